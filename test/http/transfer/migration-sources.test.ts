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
  await fillRates(app.context.store, app.account_id);
});
afterEach(() => app.close());

/** What becomes of a promoter who is accepted, pending, rejected, blocked or inactive in the made-up program. */
const STATES: Record<string, string[]> = {
  rewardful: ["accepted", "pending", "blocked", "blocked", "blocked"],
  firstpromoter: ["accepted", "pending", "rejected", "blocked", "inactive"],
  tolt: ["accepted", "pending", "rejected", "blocked", "blocked"],
  partnerstack: ["accepted", "pending", "rejected", "blocked", "blocked"],
  dub: ["accepted", "pending", "rejected", "blocked", "inactive"],
};

it.each(STARTS)(
  "keeps states, links and codes of %s apart, and people without an e-mail",
  async (program, start) => {
    const standIn = await start();
    const { all } = await readSource(program, standIn);
    await standIn.close();
    await importInto(app, all, program);
    const states: string[] = [];
    for (const n of [1, 2, 3, 4, 5]) {
      const { body } = await app.v2("GET", `/promoters/promoter-${n}@example.com?find_by=email`);
      states.push((body as { promoter_campaigns: { state: string }[] }).promoter_campaigns[0]!.state);
    }
    expect(states).toEqual(STATES[program]);
    const promoterOf = async (uid: string) => {
      const { body } = await app.v2("GET", `/referrals/${uid}?find_by=uid`);
      return (body as { promoter_campaign: { promoter: { email: string } } }).promoter_campaign.promoter
        .email;
    };
    // The code of the first promoter is the token of the eighth one's link.
    await app.v1("/track/signup", { uid: "by-link", ref_id: "token-8" });
    expect(await promoterOf("by-link")).toBe("promoter-8@example.com");
    const sale = { uid: "by-code", event_id: "s1", amount: "1000", promo_code: "token-8" };
    const { status } = await app.v1("/track/sale", sale);
    expect(status).toBe(program === "partnerstack" ? 204 : 200);
    if (program !== "partnerstack") expect(await promoterOf("by-code")).toBe("promoter-1@example.com");
    const people = (await app.records.all("lead")).filter(
      ({ uid }) => !["by-link", "by-code"].includes(uid ?? ""),
    );
    expect(people).toHaveLength(72);
    expect(people.filter(({ email }) => email === null)).toHaveLength(1);
  },
);

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
  const breaches = await lastingBreaches(app.context.store, app.account_id);
  expect(breaches.filter((breach) => !/^commission \d+ of \d+ has \d+ left$/.test(breach))).toEqual([]);
  const before = await app.stored.entries();
  const again = await importInto(app, all, program);
  expect(Object.keys(outcomesOf(again)).filter((each) => !["known", "left_out"].includes(each))).toEqual([]);
  expect(await app.stored.entries()).toEqual(before);
});
