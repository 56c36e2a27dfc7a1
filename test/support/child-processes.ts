import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

/** The processes that a process has started and that are still running. */
export function childrenOf(pid: number): number[] {
  // pgrep is used if there is no such file. Small Linux systems have only the file.
  const listing = `/proc/${pid}/task/${pid}/children`;
  try {
    const text = existsSync(listing)
      ? readFileSync(listing, "utf8")
      : execFileSync("pgrep", ["-P", String(pid)]).toString();
    return text.trim().split(/\s+/).filter(Boolean).map(Number);
  } catch {
    return []; // pgrep reports no children by this error
  }
}

/** Kills a process if it is still running. */
export function endNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended since it was listed.
  }
}
