import { expect, it } from "vitest";
import type { TestApp } from "../../support/app.ts";
import { accountOf } from "../../support/billing.ts";
import { v1 } from "../../support/calls.ts";
import { racesAtEachStep } from "../../support/race.ts";
import { createV1Promoter } from "../../support/v1-promoter.ts";

/** Without an exchange rate, a sale in dollars waits once the account is in euros. */

const sell = (app: TestApp) =>
  v1(app, "POST", "/track/sale", { uid: "cus_1", event_id: "in_1", amount: "100", currency: "USD" });
const change = (app: TestApp) => app.v2("PUT", "/account", { currency: "EUR" });

/** What can be: a sale in dollars, or an account in euros. */
const POSSIBLE = [
  { currency: "USD", sold: 100 },
  { currency: "EUR", sold: null },
];

it.each([
  ["a change, before a sale", change, sell],
  ["a sale, before a change", sell, change],
])("an account's currency and its first sale never miss each other: %s", async (_, call, meanwhile) => {
  const races = await racesAtEachStep<unknown>(async (app) => {
    await createV1Promoter(app, { email: "jane@example.com", ref_id: "jane" });
    await v1(app, "POST", "/track/signup", { uid: "cus_1", ref_id: "jane" });
    return {
      call: () => call(app),
      meanwhile: () => meanwhile(app),
      look: async () => {
        const [sale] = await app.records.all("sale");
        return { currency: (await accountOf(app)).currency, sold: sale?.amount_cents ?? null };
      },
    };
  });
  expect(races.length).toBeGreaterThan(2);
  for (const { seen } of races) expect(POSSIBLE).toContainEqual(seen);
});
