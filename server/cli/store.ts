import { readConfig } from "../config.ts";
import {
  openConfiguredDriver,
  openConfiguredStore,
  requireConfiguredStore,
} from "../process/configured-store.ts";
import { auditedStore } from "../domain/audit/audited-store.ts";
import { COMMAND_LINE } from "../domain/audit/record.ts";
import { systemChance, type Context } from "../domain/context.ts";
import type { AtomicDriver } from "../storage/driver.ts";

/** Opens the store of the settings, which must exist, runs `work` on it and closes it. */
export async function withStore(work: (context: Context) => Promise<void>): Promise<void> {
  await requireConfiguredStore(readConfig());
  await withNewStore(work);
}

/** Like `withStore`, but makes the store if there is none. */
export async function withNewStore(work: (context: Context) => Promise<void>): Promise<void> {
  const store = await openConfiguredStore(readConfig(), { notify: tell });
  try {
    const now = new Date();
    const audited = auditedStore(store, { actor: COMMAND_LINE, clock: () => now });
    await work({ store: audited, now, chance: systemChance, actor: COMMAND_LINE });
  } finally {
    await store.close();
  }
}

/** Opens the driver of an existing store, runs `work` on it and closes it. */
export async function withDriver(work: (driver: AtomicDriver) => Promise<void>): Promise<void> {
  await requireConfiguredStore(readConfig());
  await withNewDriver(work);
}

/** Like `withDriver`, but makes the store if there is none. */
export function withNewDriver(work: (driver: AtomicDriver) => Promise<void>): Promise<void> {
  return usingDriver(openConfiguredDriver(readConfig(), { notify: tell }), work);
}

/** Runs `work` on a driver and closes it. */
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

/** Writes a message for people to standard error, because standard output is for results. */
export function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}
