import { accounts } from "../../server/domain/program/account/account.ts";
import { SYSTEM } from "../../server/domain/context.ts";
import { hasMoney } from "../../server/domain/ledger/use.ts";
import { setCurrency } from "../../server/domain/program/account/settings.ts";
import { commissions } from "../../server/domain/ledger/commission/commission.ts";
import { storeRates } from "../../server/domain/ledger/rate.ts";
import { latestPeriod, payouts } from "../../server/domain/ledger/payout/payout.ts";
import { generatePayouts } from "../../server/domain/ledger/payout-run/payout-run.ts";
import { sales } from "../../server/domain/ledger/sale/sale.ts";
import { isOutage } from "../../server/failure.ts";
import { newJobs, type Scheduler } from "../../server/process/jobs.ts";
import { newContext } from "../../server/request/services.ts";
import { storeOn } from "../../server/storage/open.ts";
import type { Engine } from "../../server/storage/session.ts";
import type { Table } from "../../server/storage/table.ts";
import { NOW, startApp, type TestApp } from "./app.ts";
import { LEADS, PROMOTERS, type Step } from "./money-history.ts";
import { makeReward, offer } from "./money.ts";
import { changeAccount } from "./payouts.ts";
import { mortalEngine, type MortalEngine } from "./mortal-engine.ts";

/** Longer than the lease of the jobs, and than the rest of each. */
const LATER_MS = 2 * 60 * 60 * 1_000;
const RATES = { base: "EUR", rates: { USD: "1.0842", JPY: "163.27", KWD: "0.334", KRW: "1548.9" } };
const BONUS = {
  unit: "credits",
  amount: 3,
  flat_amount: true,
  rules: [
    { type: "promoter_campaign_revenue", operator: ">=", value: 1_000 },
    { type: "promoter_campaign_customers_count", operator: ">=", value: 2 },
  ],
};
const VISIT = {
  tid: "7f1b2c3d-1111-4222-8333-444455556666",
  url: "https://www.acme.example/pricing",
  referrer: "https://news.example/",
};

const OTHER_VISIT = { ...VISIT, tid: "7f1b2c3d-2222-4222-8333-444455556666", referrer: "" };

/** A process that may die, with a store and jobs of its own. */
interface Process {
  mortal: MortalEngine;
  app: TestApp;
  jobs: Scheduler;
}

/** A program that two processes serve. Its engine outlives them. */
export interface World {
  engine: Engine;
  processes: Process[];
  now: string;
  elapsedMs: number;
}

/**
 * Four promoters, of whom three are each other's parents, and three leads. Two are theirs, and one of these is split.
 * A lead's first sale pays more. With a target, they also get a bonus for their first 1,000 cents and second customer.
 */
export async function foundProgram(engine: Engine, currency = "USD", hasTarget = false): Promise<World> {
  const world: World = { engine, processes: [], now: NOW, elapsedMs: 0 };
  const first = await startProcess(world, false);
  const { app } = first;
  await setCurrency(app.context, await accountOf(app), { code: currency, hasMoney });
  // Payouts of two periods are due in future at once.
  await changeAccount(app.context, app.account_id, { net_payout_days: 45 });
  await publishRates(app);
  for (const name of PROMOTERS) {
    await app.v1("/promoters/create", { email: `${name}@example.com`, ref_id: name });
  }
  await app.v2("POST", "/promoters/assign_parent", { parent_promoter_id: 2, ids: [1] });
  await app.v2("POST", "/promoters/assign_parent", { parent_promoter_id: 3, ids: [2] });
  const tier = (level: number, amount: number, tier_reward_mode: string) =>
    makeReward(app, [{ amount }], { promoter_reward_type: "tier", tier_level: level, tier_reward_mode });
  await offer(
    app,
    await makeReward(app, [{ amount: 50 }], { duration: "once" }),
    await makeReward(app, [{ amount: 33.3333 }, { unit: "points", amount: 5, flat_amount: true }]),
    await tier(2, 10, "tier_commission_mode"),
    await tier(3, 1.5, "tier_net_override_mode"),
    ...(hasTarget ? [await makeReward(app, [BONUS], { promoter_reward_type: "target" })] : []),
  );
  await app.browser("/t/click", { ref_id: "jane", ...VISIT });
  await app.browser("/t/click", { ref_id: "lee", ...OTHER_VISIT });
  await app.v1("/track/signup", { email: LEADS[0]!, tid: VISIT.tid });
  await app.v1("/track/signup", { email: LEADS[1]!, ref_id: "jane" });
  await app.v1("/track/signup", { email: LEADS[2]!, ref_id: "lee" });
  await split(app, 1, [[4, 33.3333]]);
  await app.v2("POST", "/payout_methods", {
    promoter_id: 1,
    method: "paypal",
    is_selected: true,
    details: { wallet_email: "jane@example.com" },
  });
  world.processes = [first, await startProcess(world)];
  return world;
}

async function startProcess(world: World, isFilled = true): Promise<Process> {
  const mortal = mortalEngine(world.engine);
  const app = await startApp("memory", { store: await storeOn(mortal.engine), isFilled });
  app.setNow(world.now);
  return { mortal, app, jobs: newJobs(app.services, () => world.elapsedMs) };
}

/** What a process may log: that it was killed, or that the other one has taken over the jobs. */
const EXPECTED = /The process was killed|is now held by another process/;

/** Replaces each process that has died. Throws anything else that they have logged. */
export async function replaceDead(world: World): Promise<void> {
  const bugs = world.processes.flatMap(({ app }) => app.bugs);
  const others = bugs.filter((line) => !EXPECTED.test(line));
  if (others.length > 0) throw new Error(others.join("\n"));
  world.processes = await Promise.all(
    world.processes.map((process) => (process.mortal.isDead() ? startProcess(world) : process)),
  );
}

/** The program as it looks after a new start. */
export async function appOf(world: World): Promise<TestApp> {
  return (await startProcess(world)).app;
}

/** Lets one of the processes take a step. Refusals are fine, bugs are not. */
export async function take(world: World, step: Step, at: number): Promise<void> {
  const process = world.processes[at % world.processes.length]!;
  try {
    let answer = await act(world, process, step);
    // On a slow machine, a step may lose races for so long that the server asks for it again.
    while (answer?.status === 503 && !process.mortal.isDead()) answer = await act(world, process, step);
    if (answer !== null && answer.status >= 500 && answer.status !== 503)
      throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  } catch (error) {
    if (!isOutage(error) || !process.mortal.isDead()) throw error;
  }
}

type Answer = { status: number; body: unknown } | null;

async function act(world: World, process: Process, step: Step): Promise<Answer> {
  const { app } = process;
  switch (step.kind) {
    case "sale":
      return app.v1("/track/sale", {
        email: LEADS[step.lead]!,
        event_id: `inv_${step.key}`,
        amount: String(step.amount),
        currency: step.currency ?? "",
        ...(step.instalments && { recurring_reward_frequency: "20", max_recurring: "2" }),
      });
    case "refund":
      return refund(app, step);
    case "cancellation": {
      const event = step.key === null ? {} : { event_id: `sub_${step.key}` };
      return app.v1("/track/cancellation", { email: LEADS[step.lead]!, ...event });
    }
    case "status": {
      const id = String((await oneOf(app, commissions, step.commission))?.id ?? 1);
      return app.v1("/rewards/update", { id, status: step.status });
    }
    case "move": {
      const to = { new_ref_id: PROMOTERS[step.promoter]!, soft_switch: String(step.leaves) };
      return app.v1("/leads/update", { email: LEADS[step.lead]!, ...to });
    }
    case "splits":
      return split(app, step.lead, step.splits);
    case "state":
      return app.v2("PUT", `/promoter_campaigns/${step.promoter + 1}`, { state: step.state });
    case "bonus": {
      const commission = { promoter_campaign_id: step.promoter + 1, amount: step.amount };
      return app.v2("POST", "/commissions", { commission_type: "custom", unit: "cash", ...commission });
    }
    case "hold":
      return app.v2("PUT", "/campaigns/1", { commission_hold_days: step.days });
    case "payouts": {
      const method = step.action === "destroy" ? "DELETE" : "POST";
      const id = (await oneOf(app, payouts, step.payout))?.id ?? 1;
      return app.v2(method, `/payouts/${step.action}`, { ids: [id] });
    }
    case "by hand": {
      const id = (await oneOf(app, commissions, step.commission))?.id ?? 1;
      return app.v2("POST", "/commissions/generate_payouts", { ids: [id] });
    }
    case "month":
      return passMonth(world, process);
  }
}

async function refund(app: TestApp, step: Extract<Step, { kind: "refund" }>): Promise<Answer> {
  const sale = await oneOf(app, sales, step.sale);
  if (sale === null) return null;
  const { event_id, lead_id, original_amount, original_currency, refunded_original_amount } = sale;
  const left = original_amount - refunded_original_amount;
  const amounts = {
    "a cent": 1,
    "a third": Math.ceil(original_amount / 3),
    "the rest": left,
    more: left + 1,
  };
  return app.v1("/track/refund", {
    email: LEADS[lead_id - 1]!,
    event_id: `re_${step.key}`,
    amount: String(amounts[step.part]),
    currency: original_currency ?? "",
    sale_event_id: step.isNamed ? event_id : "",
  });
}

function split(app: TestApp, lead: number, splits: [number, number][]) {
  const split_details = splits.map(([promoter_campaign_id, percentage]) => ({
    promoter_campaign_id,
    percentage,
  }));
  return app.v2("PUT", `/referrals/${lead + 1}`, { split_details });
}

/** A record that is there, chosen by a number. null: there is none. */
async function oneOf<R extends { id: number }>(
  { services, account_id }: TestApp,
  from: Table<R>,
  choice: number,
): Promise<R | null> {
  const all = await services.store.page(from, "id", account_id, [], { limit: 1_000 });
  return all[choice % all.length] ?? null;
}

/** Moves the clock on by a month. Then the month that is over is paid by hand, and by the jobs at the same time. */
async function passMonth(world: World, { app, jobs }: Process): Promise<null> {
  const before = app.services.clock();
  const month = new Date(Date.UTC(before.getUTCFullYear(), before.getUTCMonth() + 1, 2));
  world.now = month.toISOString();
  for (const process of world.processes) process.app.setNow(world.now);
  await publishRates(app);
  const period = latestPeriod({ payout_cycle: "monthly" }, month);
  const run = generatePayouts(newContext(app.services), await accountOf(app), period);
  await Promise.all([runToTheEnd(run), runJobs(world, jobs)]);
  return null;
}

async function runToTheEnd(run: AsyncGenerator<unknown, unknown>): Promise<void> {
  while (!(await run.next()).done);
}

/** Twice, because a process waits before it takes the lease of another one. */
async function runJobs(world: World, jobs: Scheduler): Promise<void> {
  for (let pass = 0; pass < 2; pass++) {
    world.elapsedMs += LATER_MS;
    await jobs.pass();
  }
}

async function publishRates({ services, account_id }: TestApp): Promise<void> {
  const day = services.clock().toISOString().slice(0, 10);
  await storeRates(newContext(services), account_id, [{ day, ...RATES }]);
}

async function accountOf({ services, account_id }: TestApp) {
  return (await services.store.get(accounts, SYSTEM, account_id))!;
}
