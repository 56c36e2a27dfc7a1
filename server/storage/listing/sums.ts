import { readSum, type AtomicDriver } from "../driver.ts";
import { decodeKey, type Key, type KeyPart } from "../keys.ts";
import { scan } from "./scan.ts";

/** A counter: what follows the prefix in its name, and its value. */
export type NamedSum = [rest: KeyPart[], sum: number];

/** The counters of a stretch of keys, in chunks; those of zero are left out. */
export async function* scanSums(
  driver: Pick<AtomicDriver, "list">,
  prefix: Key,
  range: { from: string; before: string },
): AsyncGenerator<NamedSum[]> {
  for await (const entries of scan(driver, range)) {
    const sums = entries.map(([key, text]): NamedSum => [decodeKey(key).slice(prefix.length), readSum(text)]);
    yield sums.filter(([, sum]) => sum !== 0);
  }
}
