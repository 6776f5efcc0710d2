type Level = "debug" | "info" | "warn" | "error";

const write = (level: Level, ...words: unknown[]) => {
  console.log(level, ...words);
};

export const logger = {
  debug: (...words: unknown[]) => write("debug", ...words),
  info: (...words: unknown[]) => write("info", ...words),
  warn: (...words: unknown[]) => write("warn", ...words),
  error: (...words: unknown[]) => write("error", ...words),
};
