import { afterEach, expect, it } from "vitest";
import { accounts } from "../../server/domain/program/account/account.ts";
import { SYSTEM, type Context } from "../../server/domain/context.ts";
import { createAccount } from "../../server/domain/access/account-creation.ts";
import type { Engine } from "../../server/storage/session.ts";
import { openEngine, storeOn } from "../../server/storage/open.ts";
import { TABLES } from "../../server/tables.ts";
import { importMigration } from "../../server/transfer/migration/migrate.ts";
import type { SourceName, SourceRecord } from "../../server/transfer/migration/model.ts";
import { countedChance, NOW } from "../support/app.ts";
import { allEntries, findFaults } from "../support/consistency.ts";
import { recordsOf } from "../support/former-program.ts";
import { contentOf, fillRates } from "../support/migrations.ts";
import { startCluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { mortalEngine } from "../support/mortal-engine.ts";
import { newDice } from "../support/sources/program.ts";
import { startDub } from "../support/sources/dub.ts";
import { startFirstPromoter } from "../support/sources/firstpromoter.ts";
import { startPartnerStack } from "../support/sources/partnerstack.ts";
import { readSource } from "../support/sources/reading.ts";
import { startRewardful } from "../support/sources/rewardful.ts";
import { startTolt } from "../support/sources/tolt.ts";
import { TEST_SEAL } from "../support/memory-engine.ts";

const KILLS = 20;
const LONG_MS = 120_000;

const STARTS = [
  ["rewardful", startRewardful, 4_000],
  ["firstpromoter", startFirstPromoter, 1_800],
  ["tolt", startTolt, 1_800],
  ["partnerstack", startPartnerStack, 1_800],
  ["dub", startDub, 1_800],
] as const;

const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

async function newContextOn(engine: Engine): Promise<Context> {
  return { store: await storeOn(engine), now: new Date(NOW), chance: countedChance() };
}

async function newEngine(url = "memory:"): Promise<Engine> {
  const engine = await openEngine(url, { tables: TABLES, seal: TEST_SEAL });
  engines.push(engine);
  const context = await newContextOn(engine);
  await createAccount(context, { name: "Acme", public_id: "acme", landing_url: "https://www.acme.example/" });
  await fillRates(context.store, 1);
  return engine;
}

interface Given {
  program: SourceName;
  records: readonly SourceRecord[];
}

async function given(program: SourceName, start: (typeof STARTS)[number][1], size: number): Promise<Given> {
  const standIn = await start({ size });
  const { all } = await readSource(program, standIn);
  await standIn.close();
  return { program, records: all };
}

async function migrate(engine: Engine, { program, records }: Given): Promise<string> {
  const context = await newContextOn(engine);
  const account = (await context.store.get(accounts, SYSTEM, 1))!;
  const migration = { program, records: recordsOf(records), onProgress: () => {} };
  const { proof } = await importMigration(context, account, migration);
  return JSON.stringify(proof, (name, value: unknown) => (name === "promoter_id" ? undefined : value));
}

it.each(STARTS)("of %s is the same store after 20 kills as after none", async (program, start, size) => {
  const former = await given(program, start, size);
  const whole = await newEngine();
  const proof = await migrate(whole, former);
  const dice = newDice(20_261_126);
  const cut = await newEngine();
  let died = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const mortal = mortalEngine(cut);
    mortal.kill({ afterCommits: dice(4), isWritten: dice(2) === 0 });
    await migrate(mortal.engine, former).catch(() => {});
    if (mortal.isDead()) died++;
  }
  expect(died).toBeGreaterThan(KILLS / 2);
  expect(await migrate(cut, former)).toBe(proof);
  expect(contentOf(await allEntries(cut))).toEqual(contentOf(await allEntries(whole)));
  expect(await findFaults(cut)).toEqual([]);
});

it.skipIf(POSTGRES_FOLDER === null)("is the same store on Postgres", { timeout: LONG_MS }, async () => {
  const cluster = await startCluster();
  try {
    const { program, records } = await given("rewardful", startRewardful, 4_000);
    const former = { program, records: records.slice(0, 1_500) };
    const [one, other] = [await newEngine(), await newEngine(cluster.url())];
    expect(await migrate(other, former)).toBe(await migrate(one, former));
    expect(contentOf(await allEntries(other))).toEqual(contentOf(await allEntries(one)));
    expect(await migrate(other, former)).toBe(await migrate(one, former));
    expect(await findFaults(other)).toEqual([]);
    for (const engine of engines.splice(0)) await engine.close();
  } finally {
    await cluster.remove();
  }
});
