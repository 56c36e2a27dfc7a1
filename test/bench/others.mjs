// How busy other programs keep the machine. Beside them, ratios and times would tell more about them than about us.
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { cpuMicros, processesBelow } from "./servers.mjs";

/** The most processors that others may keep busy while something is measured. */
export const MOST_OTHERS = 0.5;

/** Prints what the system calls its load. It may still count a build that has just ended. */
export function printLoad() {
  const [minute] = loadavg();
  console.log(
    `load average of the last minute: ${minute.toFixed(2)}. No ratio is printed beside others' load above 0.50\n`,
  );
}

/** Begins to watch. The returned function tells how many processors other programs have kept busy since. */
export function watchOthers() {
  const [startedAt, busy, own] = [performance.now(), busyMs(), ownMs()];
  return () => Math.max(0, (busyMs() - busy - (ownMs() - own)) / (performance.now() - startedAt));
}

/** The time in which processors have worked, for us, for others and for other machines of the same host. @see proc(5) */
function busyMs() {
  const [line] = readFileSync("/proc/stat", "utf8").split("\n", 1);
  const [, user, nice, system, , , irq, softirq, steal] = line.split(/\s+/).map(Number);
  return (user + nice + system + irq + softirq + steal) * 10;
}

/** The time of this process and of all processes that it has started. */
function ownMs(pid = process.pid) {
  try {
    const [, ...children] = processesBelow(pid);
    return cpuMicros(pid) / 1_000 + children.reduce((sum, child) => sum + ownMs(child), 0);
  } catch {
    return 0; // it has just ended, and its parent counts it
  }
}
