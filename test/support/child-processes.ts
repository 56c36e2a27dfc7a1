import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

/** The processes that a process has started and that have not ended. */
export function childrenOf(pid: number): number[] {
  // Where there is no such file, pgrep tells; small Linux systems have the file alone.
  const listing = `/proc/${pid}/task/${pid}/children`;
  try {
    const text = existsSync(listing)
      ? readFileSync(listing, "utf8")
      : execFileSync("pgrep", ["-P", String(pid)]).toString();
    return text.trim().split(/\s+/).filter(Boolean).map(Number);
  } catch {
    return []; // pgrep's way to say that there are none
  }
}

/** Kills a process, if there still is one. */
export function endNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended since it was listed.
  }
}
