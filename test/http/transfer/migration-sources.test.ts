import { afterEach, beforeEach, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { findFaults } from "../../support/consistency.ts";
import {
  fillRates,
  importInto,
  outcomesOf,
  standingsHere,
  standingsThere,
} from "../../support/migrations.ts";
import { lastingBreaches } from "../../support/money-laws.ts";
import { startDub } from "../../support/sources/dub.ts";
import { startFirstPromoter } from "../../support/sources/firstpromoter.ts";
import { startPartnerStack } from "../../support/sources/partnerstack.ts";
import { readSource } from "../../support/sources/reading.ts";
import { startRewardful } from "../../support/sources/rewardful.ts";
import { startTolt } from "../../support/sources/tolt.ts";

const STARTS = [
  ["rewardful", startRewardful],
  ["firstpromoter", startFirstPromoter],
  ["tolt", startTolt],
  ["partnerstack", startPartnerStack],
  ["dub", startDub],
] as const;

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
  await fillRates(app.context.store, app.accountId);
});
afterEach(() => app.close());

it.each(STARTS)("takes %s over to the cent, and changes nothing the next time", async (program, start) => {
  const standIn = await start({ size: 600 });
  const { all } = await readSource(program, standIn);
  await standIn.close();
  const migrated = await importInto(app, all, program);
  const { rows } = migrated.proof;
  expect(rows.flatMap(({ email, differences }) => differences.map((each) => `${email}: ${each}`))).toEqual(
    [],
  );
  expect(await standingsHere(app.context.store, standIn.truth)).toEqual(standingsThere(standIn.truth));
  expect(await findFaults(app.stored.engine)).toEqual([]);
  // A source may deny the commission of a refunded sale instead of taking it back.
  const breaches = await lastingBreaches(app.context.store, app.accountId);
  expect(breaches.filter((breach) => !/^commission \d+ of \d+ has \d+ left$/.test(breach))).toEqual([]);
  const before = await app.stored.entries();
  const again = await importInto(app, all, program);
  expect(Object.keys(outcomesOf(again)).filter((each) => !["known", "left_out"].includes(each))).toEqual([]);
  expect(await app.stored.entries()).toEqual(before);
});
