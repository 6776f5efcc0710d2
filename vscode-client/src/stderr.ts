// What the server writes to stderr. It sends its log over the protocol too, so
// those lines would stand in the output channel twice; what is left is what the
// protocol cannot carry: the time before it is up, and a crash.

import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

export type LogLevelName = "trace" | "debug" | "info" | "warn" | "error";

export interface StderrLine {
  readonly level: LogLevelName;
  readonly text: string;
  /** Whether this is a line of the log and no other output. */
  readonly log: boolean;
}

/** Reads a line as the server's log writes it; anything else is an error. */
export function readLine(line: string): StderrLine {
  const match = /^\d{4}-\d\d-\d\dT[\d:.]+Z\s+(TRACE|DEBUG|INFO|WARN|ERROR)\s+(.*)$/u.exec(line);
  if (match === null) {
    return { level: "error", text: line, log: false };
  }
  const [, level, text] = match;
  return { level: level?.toLowerCase() as LogLevelName, text: text ?? "", log: true };
}

/** Hands on each line that does not arrive in another way. */
export function forwardStderr(
  stderr: Readable,
  arrivesByProtocol: () => boolean,
  write: (level: LogLevelName, text: string) => void,
): void {
  createInterface({ input: stderr, crlfDelay: Infinity }).on("line", (raw) => {
    const line = readLine(raw);
    if (line.text.trim() !== "" && !(line.log && arrivesByProtocol())) {
      write(line.level, line.text);
    }
  });
}
