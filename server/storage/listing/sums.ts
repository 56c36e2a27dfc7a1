import { readSum, type AtomicDriver } from "../driver.ts";
import { decodeKey, type Key, type KeyPart } from "../keys.ts";
import { scan } from "./scan.ts";

/** A counter: the rest of its name after the prefix, and its value. */
export type NamedSum = [rest: KeyPart[], sum: number];

/** Yields the counters in a range, in chunks, without those of zero. */
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
