import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accounts } from "../../../server/domain/account/account.ts";
import { SYSTEM } from "../../../server/domain/account/record.ts";
import { generatePayouts } from "../../../server/domain/payout-run/generate.ts";
import { latestPeriod } from "../../../server/domain/payout/period.ts";
import { commissions } from "../../../server/domain/commission/commission.ts";
import { payouts } from "../../../server/domain/payout/payout.ts";
import type { Collection } from "../../../server/storage/collection.ts";
import { leads } from "../../../server/domain/lead/lead.ts";
import { newJobs } from "../../../server/process/jobs.ts";
import { newContext } from "../../../server/request/services.ts";
import type { AtomicDriver } from "../../../server/storage/driver.ts";
import { memoryDriver } from "../../../server/storage/drivers/memory.ts";
import { newStore, type Store } from "../../../server/storage/store.ts";
import { findFaults } from "../../../server/transfer/check.ts";
import { startApp, type TestApp } from "../../support/app.ts";
import { ENGINES, useEmptyStore } from "../../support/drivers.ts";
import { makeReward, offer } from "../../support/money.ts";
import { breaches, readLedger } from "../../support/money-laws.ts";
import { rounds } from "../../support/rounds.ts";

const LEADS = ["a@example.com", "b@example.com", "c@example.com"];
const STATUSES = ["approved", "denied", "pending"] as const;
const BATCHES = ["mark_as_paid", "mark_as_unpaid", "cancel", "destroy"] as const;

/** Something that happens to the money of a program. */
type Step =
  | { kind: "sale"; lead: number; key: number; amount: number; instalments: boolean }
  | { kind: "refund"; lead: number; key: number; amount: number; sale: number | null }
  | { kind: "cancellation"; lead: number }
  | { kind: "status"; commission: number; status: (typeof STATUSES)[number] }
  | { kind: "move"; lead: number; promoter: number; leaves: boolean }
  | { kind: "payouts"; action: (typeof BATCHES)[number]; payout: number }
  | { kind: "month" };

const lead = fc.nat(LEADS.length - 1);
// Few values, so that refunds of everything, and steps that meet the same record, are frequent.
const key = fc.nat(12);
const amount = fc.constantFrom(1, 3, 10, 333, 334, 1_001);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("sale" as const),
      lead,
      key,
      amount,
      instalments: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("refund" as const),
      lead,
      key,
      amount,
      sale: fc.option(key, { nil: null }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cancellation" as const), lead }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("status" as const),
      commission: fc.nat(30),
      status: fc.constantFrom(...STATUSES),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("move" as const),
      lead,
      promoter: fc.nat(3),
      leaves: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("payouts" as const),
      action: fc.constantFrom(...BATCHES),
      payout: fc.nat(8),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: "month" }) },
);
/** Steps that happen at once, each once or twice. */
const wave = fc.array(fc.record({ step, times: fc.integer({ min: 1, max: 2 }) }), {
  minLength: 1,
  maxLength: 5,
});
const history = (maxLength: number) => fc.array(wave, { minLength: 1, maxLength, size: "max" });

describe("the laws of money hold in every history", () => {
  it("in memory", async () => {
    await fc.assert(
      fc.asyncProperty(history(25), async (waves) => {
        const driver = memoryDriver();
        await live(driver, newStore(driver), waves);
      }),
      { numRuns: rounds(10, 300) },
    );
  }, 1_200_000);

  describe.each(ENGINES.filter((kind) => kind !== "memory"))("in %s", (kind) => {
    let driver: AtomicDriver;
    let store: Store;
    useEmptyStore(kind, (...empty) => ([driver, store] = empty));

    it("with the same result as in memory", async () => {
      const [waves] = fc.sample(history(rounds(15, 150)), { numRuns: 1, seed: 7 });
      await live(driver, store, waves!);
    }, 300_000);
  });
});

it("sums do not depend on the order of independent events", async () => {
  const sale = fc.record({ lead, amount, refunded: amount });
  await fc.assert(
    fc.asyncProperty(
      fc.array(sale, { minLength: 2, maxLength: 12 }),
      fc.infiniteStream(fc.nat()),
      async (events, order) => {
        const sums: unknown[] = [];
        const shuffled = events.map((event, id) => ({ event, id, at: order.next().value as number }));
        for (const arranged of [shuffled, shuffled.toSorted((one, other) => one.at - other.at)]) {
          const app = await begin(newStore(memoryDriver()));
          for (const { event, id } of arranged) {
            await app.v1("/track/sale", saleOf(event.lead, id, event.amount));
            if (event.refunded > 0 && event.refunded <= event.amount) {
              await app.v1("/track/refund", refundOf(event.lead, id, event.refunded, id));
            }
          }
          const { promoters } = await readLedger(app.services.store, app.accountId);
          sums.push(await Promise.all(promoters.map(({ id }) => balances(app, id))));
        }
        expect(sums[1]).toEqual(sums[0]);
      },
    ),
    { numRuns: rounds(10, 200) },
  );
}, 300_000);

/** Lives through a history, and checks every law after each wave. */
async function live(
  driver: AtomicDriver,
  store: Store,
  waves: { step: Step; times: number }[][],
): Promise<void> {
  const app = await begin(store);
  for (const steps of waves) {
    const calls = steps.flatMap(({ step: each, times }) =>
      Array.from({ length: times }, () => take(app, each)),
    );
    await Promise.all(calls);
    expect(await breaches(store, app.accountId)).toEqual([]);
  }
  const faults: string[] = [];
  for await (const fault of findFaults(driver)) faults.push(fault);
  expect(faults).toEqual([]);
  expect(app.bugs).toEqual([]);
}

/** Four promoters, of whom three are each other's parents, and three leads, of whom one is split. */
async function begin(store: Store): Promise<TestApp> {
  const app = await startApp("memory", { store });
  for (const name of ["jane", "bob", "zoe", "lee"]) {
    await app.v1("/promoters/create", { email: `${name}@example.com`, first_name: name });
  }
  await app.v2("POST", "/promoters/assign_parent", { parent_promoter_id: 2, ids: [1] });
  await app.v2("POST", "/promoters/assign_parent", { parent_promoter_id: 3, ids: [2] });
  const tier = (level: number, amountPercent: number, mode: string) =>
    makeReward(app, [{ amount: amountPercent }], {
      promoter_reward_type: "tier",
      tier_level: level,
      tier_reward_mode: mode,
    });
  await offer(
    app,
    await makeReward(app, [{ amount: 33.3333 }, { unit: "points", amount: 5, flat_amount: true }]),
    await tier(2, 10, "tier_commission_mode"),
    await tier(3, 1.5, "tier_net_override_mode"),
  );
  for (const [index, email] of LEADS.entries()) {
    await app.v1("/track/signup", { email, ref_id: index === 2 ? "lee" : "jane" });
  }
  await store.transact(async (tx) => {
    const split = await tx.get(leads, app.accountId, 2);
    const splits = [{ promoterCampaignId: 4, percentTenThousandths: 333_333 }];
    await tx.put(leads, { ...split!, splits });
  });
  return app;
}

async function take(app: TestApp, each: Step): Promise<void> {
  switch (each.kind) {
    case "sale": {
      const later = each.instalments ? { recurring_reward_frequency: "20", max_recurring: "2" } : {};
      return allowed(app.v1("/track/sale", { ...saleOf(each.lead, each.key, each.amount), ...later }));
    }
    case "refund":
      return allowed(app.v1("/track/refund", refundOf(each.lead, each.key, each.amount, each.sale)));
    case "cancellation":
      return allowed(app.v1("/track/cancellation", { email: LEADS[each.lead]! }));
    case "status":
      return allowed(
        app.v1("/rewards/update", {
          id: await oneOf(app, commissions, each.commission),
          status: each.status,
        }),
      );
    case "move": {
      const new_ref_id = ["jane", "bob", "zoe", "lee"][each.promoter]!;
      return allowed(
        app.v1("/leads/update", { email: LEADS[each.lead]!, new_ref_id, soft_switch: String(each.leaves) }),
      );
    }
    case "payouts": {
      const method = each.action === "destroy" ? "DELETE" : "POST";
      return allowed(
        app.v2(method, `/payouts/${each.action}`, { ids: [await oneOf(app, payouts, each.payout)] }),
      );
    }
    case "month":
      return passMonth(app);
  }
}

/** The id of a record that is there, chosen by a number. */
async function oneOf<R extends { id: number }>(
  { services, accountId }: TestApp,
  from: Collection<R>,
  choice: number,
): Promise<string> {
  const all = await services.store.page(from, "id", accountId, [], { limit: 1_000 });
  return String(all[choice % all.length]?.id ?? 1);
}

/** A refusal is fine, a bug is not. */
async function allowed(answer: Promise<{ status: number; body: unknown }>): Promise<void> {
  const { status, body } = await answer;
  if (status >= 500) throw new Error(`${status} ${JSON.stringify(body)}`);
}

/** Moves the clock on by a month, pays the month that is over, and lets the jobs run. */
async function passMonth(app: TestApp): Promise<void> {
  const { store } = app.services;
  const before = app.services.clock();
  const month = new Date(Date.UTC(before.getUTCFullYear(), before.getUTCMonth() + 1, 2));
  app.setNow(month.toISOString());
  const account = (await store.get(accounts, SYSTEM, app.accountId))!;
  const run = generatePayouts(newContext(app.services), account, latestPeriod("monthly", month));
  while (!(await run.next()).done);
  await newJobs(app.services, () => month.getTime()).pass();
}

function saleOf(leadIndex: number, id: number, cents: number): Record<string, string> {
  return { email: LEADS[leadIndex]!, event_id: `inv_${id}`, amount: String(cents) };
}

function refundOf(leadIndex: number, id: number, cents: number, sale: number | null): Record<string, string> {
  const named = sale === null ? {} : { sale_event_id: `inv_${sale}` };
  return { email: LEADS[leadIndex]!, event_id: `re_${id}`, amount: String(cents), ...named };
}

async function balances(app: TestApp, promoterId: number): Promise<unknown> {
  const { body } = await app.v2("GET", `/promoters/${promoterId}`);
  return (body as { balances: unknown }).balances;
}
