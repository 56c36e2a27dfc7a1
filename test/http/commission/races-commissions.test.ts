import { describe, expect, it } from "vitest";
import { importCommission } from "../../../server/domain/ledger/commission/import.ts";
import { v1 } from "../../support/calls.ts";
import { findFaults } from "../../support/consistency.ts";
import { makeReward, offer, trackV2 } from "../../support/money.ts";
import { racesAtEachTransaction, racesAtEachStep } from "../../support/race.ts";
import type { TestApp } from "../../support/app.ts";
import { createV1Promoter } from "../../support/v1-promoter.ts";

it("a commission that is imported while its lead moves follows the lead", async () => {
  const races = await racesAtEachTransaction(async (app) => {
    const account = (await app.records.get("account", app.account_id))!;
    for (const ref_id of ["jane", "bob"])
      await createV1Promoter(app, { email: `${ref_id}@example.com`, ref_id });
    await v1(app, "POST", "/track/signup", { email: "lead@example.com", ref_id: "jane" });
    const commission = {
      source_id: null,
      source: "1",
      ref_token: null,
      promoterEmail: null,
      leadEmail: "lead@example.com",
      leadUid: null,
      unit: "cash",
      amount: 100,
      status: "approved",
      sale_amount: 1_000,
      event_id: "sale-1",
      created_at: null,
    } as const;
    return {
      call: () => v1(app, "PUT", "/leads/update", { email: "lead@example.com", new_ref_id: "bob" }),
      meanwhile: () => importCommission(app.context, account, commission),
      look: async ({ engine }) => {
        const found = await app.records.all("commission");
        return {
          owners: found.map(({ promoter_id }) => promoter_id),
          faults: await findFaults(engine),
        };
      },
    };
  });
  const raced = races.slice(0, -1).map(({ answer: { status }, seen }) => ({ status, seen }));
  expect(raced).toEqual([{ status: 200, seen: { owners: [2], faults: [] } }]);
});

/** A sale with its commission (1), and a bonus (2). */
async function payable(app: TestApp): Promise<void> {
  await createV1Promoter(app, { email: "jane@example.com", ref_id: "jane" });
  await offer(app, await makeReward(app));
  await trackV2(app, "sale", {
    email: "lead@example.com",
    ref_id: "jane",
    event_id: "order-1",
    amount: 10_000,
  });
  await v1(app, "POST", "/rewards/create", { ref_id: "jane", reward_type: "cash", amount: "500" });
  // Two batches that lease the first ids at the same time would wait for each other here, but not in a server.
  await batch("approve", [99])(app);
}
const batch = (name: string, ids: number[]) => (app: TestApp) =>
  app.v2("POST", `/commissions/${name}`, { ids });
const destroy = (app: TestApp) => app.v2("DELETE", "/commissions/destroy", { ids: [1] });
const refund = (app: TestApp) =>
  trackV2(app, "refund", {
    email: "lead@example.com",
    event_id: "r-1",
    sale_event_id: "order-1",
    amount: 4_000,
  });
const pay = batch("generate_payouts", [1, 2]);
const complete = (app: TestApp) => app.v2("POST", "/payouts/mark_as_paid", { ids: [1] });

describe("what happens to a commission while something else happens to it", () => {
  it.each([
    ["denied", "gets into a payout", batch("deny", [1]), pay],
    ["approved", "is denied", batch("approve", [1]), batch("deny", [1])],
    ["denied", "is refunded", batch("deny", [1]), refund],
    ["deleted", "is refunded", destroy, refund],
    ["refunded", "is deleted", refund, destroy],
    ["deleted", "gets into a payout", destroy, pay],
    ["put into a payout", "is deleted", pay, destroy],
    ["put into a payout", "is denied", pay, batch("deny", [1])],
  ])("if it is %s and meanwhile %s, all records agree", async (_, __, call, meanwhile) => {
    const races = await racesAtEachStep(async (app) => {
      await payable(app);
      return {
        call: () => call(app),
        meanwhile: () => meanwhile(app),
        look: async ({ engine }) => findFaults(engine),
      };
    });
    expect(races.flatMap(({ seen }) => seen)).toEqual([]);
    expect(races.map(({ answer }) => answer.status).filter((status) => status >= 500)).toEqual([]);
  });

  it.each([
    ["denied", batch("deny", [1])],
    ["deleted", destroy],
  ])("if it is %s and meanwhile paid, one of both is refused", async (_, call) => {
    const races = await racesAtEachStep(async (app) => {
      await payable(app);
      await pay(app);
      return {
        call: () => call(app),
        meanwhile: () => complete(app),
        look: async ({ engine }) => {
          const commission = await app.records.get("commission", 1);
          const payout = await app.records.get("payout", 1);
          const isPaid = commission?.payout_id === 1;
          return { isPaid, paid: payout?.amount, faults: await findFaults(engine) };
        },
      };
    });
    const outcomes = new Set(races.map(({ seen }) => JSON.stringify(seen)));
    expect([...outcomes].toSorted()).toEqual([
      JSON.stringify({ isPaid: false, paid: 500, faults: [] }),
      JSON.stringify({ isPaid: true, paid: 1_500, faults: [] }),
    ]);
  });
});
