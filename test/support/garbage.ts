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
  for (let round = 0; round < 10; round++) {
    await nextTurn();
    collect();
  }
  await nextTurn();
}
