// Processes of this test: started in groups of their own, ended as groups.

import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** Polls until `condition` gives something truthy, and returns that. */
export async function until(what, condition, timeoutMs = 15_000) {
  const deadline = Date.now() + timeoutMs;
  let last;
  for (;;) {
    try {
      const value = await condition();
      if (value) {
        return value;
      }
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) {
      throw new Error(`not within ${timeoutMs / 1000} s: ${what}${last ? ` (${last.message})` : ""}`);
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 25);
    });
  }
}

/** Starts a program as the leader of its own group. */
export function start(command, args, options) {
  const child = spawn(command, args, { ...options, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const collect = (chunk) => {
    output = (output + chunk).slice(-200_000);
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  const ended = new Promise((resolve) => {
    child.on("exit", resolve);
    child.on("error", (error) => {
      collect(String(error));
      resolve(1);
    });
  });
  return {
    output: () => output,
    running: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      signalGroup(child.pid, "SIGTERM");
      const timer = setTimeout(() => signalGroup(child.pid, "SIGKILL"), 3000);
      await ended;
      clearTimeout(timer);
      signalGroup(child.pid, "SIGKILL");
    },
  };
}

function signalGroup(group, signal) {
  try {
    process.kill(-group, signal);
  } catch {
    // The group is gone already.
  }
}

/** The ids of processes whose command line holds all of these words. */
export function processesWith(...words) {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .filter((pid) => {
      try {
        const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        return words.every((word) => args.some((arg) => arg.includes(word)));
      } catch {
        return false;
      }
    })
    .map(Number);
}
