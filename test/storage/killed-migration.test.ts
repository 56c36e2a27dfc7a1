import { afterEach, beforeEach, expect, it } from "vitest";
import { accounts } from "../../server/domain/program/account/account.ts";
import { SYSTEM, type Context } from "../../server/domain/context.ts";
import { createAccount } from "../../server/domain/access/account-creation.ts";
import type { Engine } from "../../server/storage/session.ts";
import { openEngine, storeOn } from "../../server/storage/open.ts";
import { TABLES } from "../../server/tables.ts";
import { importMigration } from "../../server/transfer/migration/import.ts";
import type { SourceRecord } from "../../server/transfer/migration/model.ts";
import { countedChance, NOW } from "../support/app.ts";
import { allEntries, findFaults } from "../support/consistency.ts";
import { recordsOf } from "../support/former-program.ts";
import { contentOf, fillRates } from "../support/migrations.ts";
import { startCluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { mortalEngine } from "../support/mortal-engine.ts";
import { newDice } from "../support/sources/program.ts";
import { readStandIn } from "../support/sources/reading.ts";
import { startRewardful } from "../support/sources/rewardful.ts";
import { rewardful } from "../../server/transfer/migration/sources/rewardful.ts";

const KILLS = 20;
const LONG_MS = 120_000;

let records: readonly SourceRecord[];
const engines: Engine[] = [];
beforeEach(async () => {
  const standIn = await startRewardful({ size: 4_000 });
  records = (await readStandIn(rewardful, standIn)).all;
  await standIn.close();
});
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

async function newContextOn(engine: Engine): Promise<Context> {
  return { store: await storeOn(engine), now: new Date(NOW), chance: countedChance() };
}

async function newEngine(url = "memory:"): Promise<Engine> {
  const engine = await openEngine(url, { tables: TABLES });
  engines.push(engine);
  const context = await newContextOn(engine);
  await createAccount(context, { name: "Acme", publicId: "acme", landingUrl: "https://www.acme.example/" });
  await fillRates(context.store, 1);
  return engine;
}

async function migrate(engine: Engine): Promise<string> {
  const context = await newContextOn(engine);
  const account = (await context.store.get(accounts, SYSTEM, 1))!;
  const migration = { program: "rewardful", records: recordsOf(records), onProgress: () => {} } as const;
  const { proof } = await importMigration(context, account, migration);
  return JSON.stringify(proof, (name, value: unknown) => (name === "promoterId" ? undefined : value));
}

it("is the same store after 20 kills as after none", async () => {
  const whole = await newEngine();
  const proof = await migrate(whole);
  const dice = newDice(20_261_126);
  const cut = await newEngine();
  let died = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const mortal = mortalEngine(cut);
    mortal.kill({ afterCommits: dice(4), isWritten: dice(2) === 0 });
    await migrate(mortal.engine).catch(() => {});
    if (mortal.isDead()) died++;
  }
  expect(died).toBeGreaterThan(KILLS / 2);
  expect(await migrate(cut)).toBe(proof);
  expect(contentOf(await allEntries(cut))).toEqual(contentOf(await allEntries(whole)));
  expect(await findFaults(cut)).toEqual([]);
});

it.skipIf(POSTGRES_FOLDER === null)("is the same store on Postgres", { timeout: LONG_MS }, async () => {
  const cluster = await startCluster();
  try {
    records = records.slice(0, 1_500);
    const [one, other] = [await newEngine(), await newEngine(cluster.url())];
    expect(await migrate(other)).toBe(await migrate(one));
    expect(contentOf(await allEntries(other))).toEqual(contentOf(await allEntries(one)));
    expect(await migrate(other)).toBe(await migrate(one));
    expect(await findFaults(other)).toEqual([]);
    for (const engine of engines.splice(0)) await engine.close();
  } finally {
    await cluster.remove();
  }
});
