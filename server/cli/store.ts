import { readConfig } from "../config.ts";
import { openConfiguredEngine, openConfiguredStore } from "../process/configured-store.ts";
import { auditedStore } from "../domain/access/audit/audited-store.ts";
import { COMMAND_LINE } from "../domain/access/audit/audit.ts";
import { systemChance, type Context } from "../domain/context.ts";
import type { Makes } from "../storage/open.ts";
import type { Engine } from "../storage/session.ts";
import type { Store } from "../storage/store.ts";

/** Opens the configured store, which must exist, runs `work` on it and closes it. */
export function withStore(work: (context: Context) => Promise<void>): Promise<void> {
  return usingStore("nothing", work);
}

/** Like `withStore`, but makes the store if there is none. */
export function withNewStore(work: (context: Context) => Promise<void>): Promise<void> {
  return usingStore("store", work);
}

async function usingStore(makes: Makes, work: (context: Context) => Promise<void>): Promise<void> {
  const store = await openConfiguredStore(readConfig(), { makes, notify: tell });
  try {
    await work(contextOf(store));
  } finally {
    await store.close();
  }
}

/** The context of a command, whose changes are logged. */
export function contextOf(store: Store): Context {
  const now = new Date();
  const audited = auditedStore(store, { actor: COMMAND_LINE, clock: () => now });
  return { store: audited, now, chance: systemChance, actor: COMMAND_LINE };
}

/** Opens the configured store's engine, runs `work` on it and closes it. Without `makes` the store must exist. */
export function withEngine(work: (engine: Engine) => Promise<void>, makes: Makes = "nothing"): Promise<void> {
  return usingEngine(openConfiguredEngine(readConfig(), { makes, notify: tell }), work);
}

/** Runs `work` on an engine and closes it. */
export async function usingEngine(
  opened: Promise<Engine>,
  work: (engine: Engine) => Promise<void>,
): Promise<void> {
  const engine = await opened;
  try {
    await work(engine);
  } finally {
    await engine.close();
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
