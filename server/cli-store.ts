import { readConfig } from "./config.ts";
import { openConfiguredDriver, openConfiguredStore } from "./configured-store.ts";
import { systemChance, type Context } from "./domain/context.ts";
import type { AtomicDriver } from "./storage/driver.ts";
import { newStore } from "./storage/store.ts";

/** Works on the store that the environment names, and closes it after. */
export async function withStore(work: (context: Context) => Promise<void>): Promise<void> {
  const store = await openConfiguredStore(readConfig());
  try {
    await work({ store, now: new Date(), chance: systemChance });
  } finally {
    await store.close();
  }
}

/** Works on the driver of that store, and closes it after. */
export function withDriver(work: (driver: AtomicDriver) => Promise<void>): Promise<void> {
  return usingDriver(openConfiguredDriver(readConfig()), work);
}

/** Works on a driver, and closes it after. */
export async function usingDriver(
  opened: Promise<AtomicDriver>,
  work: (driver: AtomicDriver) => Promise<void>,
): Promise<void> {
  const store = newStore(await opened);
  try {
    await work(await opened);
  } finally {
    await store.close();
  }
}

/** Writes a result to standard output. */
export function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Tells people how far a long command is; standard output is for results. */
export function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}
