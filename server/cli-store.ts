import { readConfig } from "./config.ts";
import { openConfiguredDriver, openConfiguredStore, requireConfiguredStore } from "./configured-store.ts";
import { systemChance, type Context } from "./domain/context.ts";
import type { AtomicDriver } from "./storage/driver.ts";

/** Works on the store that the environment names and that is there already, and closes it after. */
export async function withStore(work: (context: Context) => Promise<void>): Promise<void> {
  await requireConfiguredStore(readConfig());
  await withNewStore(work);
}

/** As `withStore`, and makes the store where there is none. */
export async function withNewStore(work: (context: Context) => Promise<void>): Promise<void> {
  const store = await openConfiguredStore(readConfig());
  try {
    await work({ store, now: new Date(), chance: systemChance });
  } finally {
    await store.close();
  }
}

/** Works on the driver of a store that is there already, and closes it after. */
export async function withDriver(work: (driver: AtomicDriver) => Promise<void>): Promise<void> {
  await requireConfiguredStore(readConfig());
  await withNewDriver(work);
}

/** As `withDriver`, and makes the store where there is none. */
export function withNewDriver(work: (driver: AtomicDriver) => Promise<void>): Promise<void> {
  return usingDriver(openConfiguredDriver(readConfig()), work);
}

/** Works on a driver, and closes it after. */
export async function usingDriver(
  opened: Promise<AtomicDriver>,
  work: (driver: AtomicDriver) => Promise<void>,
): Promise<void> {
  const driver = await opened;
  try {
    await work(driver);
  } finally {
    await driver.dispose?.();
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
