import { readdirSync, readlinkSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Ends the connections to SQLite files whose drivers are disposed of. The binding keeps each one until its statements are
 * collected as garbage, and until then it looks like the connection of another process.
 */
export async function endConnections(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let round = 0; round < 10 && hasConnections(); round++) {
    await nextTurn();
    collect();
  }
  await nextTurn();
}

/** Whether this process has a store's file open. Only Linux says so. */
function hasConnections(): boolean {
  if (process.platform !== "linux") return true;
  return readdirSync("/proc/self/fd").some((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).includes("tidemark.db");
    } catch {
      return false; // the descriptor of the folder itself
    }
  });
}
