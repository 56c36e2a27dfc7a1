import fc from "fast-check";
import { loadAccount } from "../../server/domain/program/account/account.ts";
import { createAccount } from "../../server/domain/access/account-creation.ts";
import { type Actor, systemChance } from "../../server/domain/context.ts";
import { connectPayments } from "../../server/domain/ledger/payment/connection.ts";
import {
  findPaymentOf,
  isLive,
  paymentOrders,
  payments,
  type Payment,
  type PaymentState,
} from "../../server/domain/ledger/payment/payment.ts";
import { decidePayment } from "../../server/domain/ledger/payment/steps.ts";
import { createPaymentsBatch } from "../../server/domain/ledger/payments-batch/changes.ts";
import { paymentFile } from "../../server/domain/ledger/payments-batch/payment-file.ts";
import { payouts } from "../../server/domain/ledger/payout/payout.ts";
import { movePayout } from "../../server/domain/ledger/payout/status.ts";
import { asItIs } from "../../server/domain/show.ts";
import { Failure } from "../../server/failure.ts";
import { askOpenPayments, sendBatch, handlePaymentEvent, type Run } from "../../server/payments/send.ts";
import { newStore } from "../../server/storage/store.ts";
import type { Engine } from "../../server/storage/session.ts";
import { TEST_SEAL } from "./memory-engine.ts";
import { mortalEngine } from "./mortal-engine.ts";
import {
  startPaypalApi,
  PAYPAL_FAULTS,
  type ItemStatus,
  type PaypalApi,
  type PaypalItem,
} from "./paypal-api.ts";
import { rethrow } from "./payments.ts";
import { addPayout, addPromoter, selectMethod } from "./payouts.ts";

const HOUR_MS = 60 * 60 * 1_000;
const USER: Actor = { kind: "user", id: 1, name: "ada@acme.example" };
const PROMOTERS = 3;

/** What happens in a history. Processes are killed after some commits, before or after the last one is written. */
export type PaymentEvent =
  | { does: "send" | "job"; kill: { afterCommits: number; isWritten: boolean } | null; fault: Fault | null }
  | { does: "both"; kill: { afterCommits: number; isWritten: boolean }; fault: Fault | null }
  | { does: "wait"; ms: number }
  | { does: "settle"; nth: number; status: ItemStatus; events: "none" | "one" | "two" | "late" }
  | { does: "outage"; isAway: boolean }
  | { does: "connect"; nth: number }
  | { does: "decide"; nth: number }
  | { does: "by hand"; nth: number; to: "completed" | "pending" | "cancelled" | "failed" }
  | { does: "file" | "batch" };

type Fault = (typeof PAYPAL_FAULTS)[number];

const kill = fc.record({ afterCommits: fc.nat(7), isWritten: fc.boolean() });
const fault = fc.option(fc.constantFrom(...PAYPAL_FAULTS));

/** Random histories of payments. */
export function paymentHistory(length: number): fc.Arbitrary<PaymentEvent[]> {
  const statuses: ItemStatus[] = [
    "SUCCESS",
    "SUCCESS",
    "UNCLAIMED",
    "FAILED",
    "RETURNED",
    "ONHOLD",
    "REVERSED",
  ];
  const event = fc.oneof(
    { weight: 5, arbitrary: fc.record({ does: fc.constant("send" as const), kill: fc.option(kill), fault }) },
    { weight: 5, arbitrary: fc.record({ does: fc.constant("job" as const), kill: fc.option(kill), fault }) },
    { weight: 2, arbitrary: fc.record({ does: fc.constant("both" as const), kill, fault }) },
    {
      weight: 4,
      arbitrary: fc.record({
        does: fc.constant("wait" as const),
        ms: fc.constantFrom(60_000, 4 * 60_000, HOUR_MS, 25 * HOUR_MS, 31 * 24 * HOUR_MS),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        does: fc.constant("settle" as const),
        nth: fc.nat(20),
        status: fc.constantFrom(...statuses),
        events: fc.constantFrom("none", "one", "two", "late"),
      }),
    },
    { weight: 1, arbitrary: fc.record({ does: fc.constant("outage" as const), isAway: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant("connect" as const), nth: fc.nat(1) }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant("decide" as const), nth: fc.nat(5) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        does: fc.constant("by hand" as const),
        nth: fc.nat(5),
        to: fc.constantFrom("completed", "pending", "cancelled", "failed"),
      }),
    },
    { weight: 1, arbitrary: fc.record({ does: fc.constantFrom("file" as const, "batch" as const) }) },
  );
  return fc.array(event, { minLength: length / 2, maxLength: length });
}

/** A program with payouts to be paid by PayPal, and the processes that pay them. */
export async function newPaymentWorld(engine: Engine) {
  let now = Date.parse("2026-03-04T05:06:07.890Z");
  const clock = () => new Date(now);
  /** The company has two accounts at PayPal, and the owner may connect either. */
  const accounts = [await startPaypalApi(clock), await startPaypalApi(clock)] as const;
  let paypal = accounts[0];
  const items = () => accounts.flatMap((each) => each.items());
  const store = newStore(engine);
  const seal = TEST_SEAL;
  const context = () => ({ store, chance: systemChance, now: clock(), actor: USER });
  const made = {
    name: "Acme",
    public_id: "acme",
    landing_url: "https://www.acme.example/",
    key: "key-of-acme",
  };
  const { account } = await createAccount(context(), made);
  for (let nth = 1; nth <= PROMOTERS; nth += 1) {
    const promoter = await addPromoter(context(), account, { email: `p${nth}@example.com` });
    const details = { wallet_email: `p${nth}@wallet.example` };
    await selectMethod(context(), promoter, { method: "paypal", details });
    for (let count = 0; count < 2; count += 1)
      await addPayout(context(), promoter, { total_incl_tax: 1_000 * nth });
  }
  const connect = async (nth: number) => {
    paypal = accounts[nth]!;
    const paidBy = {
      provider: "paypal",
      client_id: "client-1",
      secret: "secret-1",
      webhook_id: "hook-1",
      api_url: paypal.url,
      seal,
    } as const;
    await store.transact((tx) => connectPayments(tx, context(), account.id, paidBy));
  };
  await connect(0);
  const batchIds = [
    (await createPaymentsBatch(context(), account, { method: "paypal", show: asItIs })).batch.id,
  ];
  const later: ReturnType<PaypalApi["settle"]>[] = [];
  const madePayments = () => store.list(payments, "id", account.id, []);

  /** A process that may be killed. What it was doing then is lost. */
  async function process(
    work: (run: Run) => Promise<void>,
    death: { afterCommits: number; isWritten: boolean } | null,
  ): Promise<void> {
    const mortal = mortalEngine(engine);
    if (death !== null) mortal.kill(death);
    const run = { store: newStore(mortal.engine), chance: systemChance, clock, seal, actor: USER };
    await work(run).catch((error: unknown) => {
      if (!mortal.isDead() && !(error instanceof Failure)) throw error;
    });
  }

  async function send(run: Run): Promise<void> {
    const acme = await loadAccount(run.store, "acme");
    for (const batchId of batchIds)
      await sendBatch(run, acme, { batchId, provider: "paypal", ignoresBalance: true });
  }

  /** PayPal sends an event to a server. */
  async function tell({ body, headers }: ReturnType<PaypalApi["settle"]>): Promise<void> {
    const given = { provider: "paypal", body, headers: new Headers(headers) } as const;
    await process(async (run) => {
      await handlePaymentEvent(run, await loadAccount(run.store, "acme"), given);
    }, null);
  }

  async function job(run: Run): Promise<void> {
    const round = askOpenPayments(run, rethrow);
    while ((await round.next()).done !== true);
  }

  /** A person looks at PayPal before deciding, and waits until PayPal knows. */
  async function decide(payment: Payment): Promise<void> {
    const item = items().find(({ reference }) => reference === payment.reference);
    if (item !== undefined && ["PENDING", "ONHOLD", "UNCLAIMED"].includes(item.status)) return;
    const wasPaid = item !== undefined && isMoney(item.status);
    const decision = { id: payment.id, wasPaid };
    await refusable(() => store.transact((tx) => decidePayment(tx, context(), account.id, decision)));
  }

  async function live(event: PaymentEvent): Promise<void> {
    switch (event.does) {
      case "wait":
        now += event.ms;
        return;
      case "outage":
        for (const each of accounts) each.isAway = event.isAway;
        return;
      case "connect":
        return connect(event.nth);
      case "settle": {
        const item = items()[event.nth % Math.max(1, items().length)];
        if (item === undefined || !follows(item.status, event.status)) return;
        const told = accounts.find((each) => each.items().includes(item))!.settle(item, event.status);
        if (event.events === "late") later.push(told);
        const times = { none: 0, one: 1, two: 2, late: 0 }[event.events];
        await Promise.all(Array.from({ length: times }, () => tell(told)));
        // Those that were late come after newer ones.
        if (times > 0) for (const former of later.splice(0)) await tell(former);
        return;
      }
      case "decide": {
        const open = (await madePayments()).filter(({ review }) => review !== null);
        const payment = open[event.nth % Math.max(1, open.length)];
        if (payment !== undefined) await decide(payment);
        return;
      }
      case "by hand": {
        const own = await store.list(payouts, "id", account.id, []);
        const { id } = own[event.nth % own.length]!;
        await refusable(() =>
          store.transact((tx) => movePayout(tx, context(), account.id, { id, to: event.to })),
        );
        return;
      }
      case "file":
        await refusable(() =>
          paymentFile(context(), account, {
            id: batchIds.at(-1)!,
            format: null,
            part: null,
            order_id: null,
            debtor: { name: null, iban: null, bic: null },
          }),
        );
        return;
      case "batch":
        await refusable(async () => {
          const { batch } = await createPaymentsBatch(context(), account, { method: "paypal", show: asItIs });
          batchIds.push(batch.id);
        });
        return;
      default:
        if (event.fault !== null) paypal.fail(event.fault);
        if (event.does === "both")
          await Promise.all([process(send, event.kill), process(send, null), process(job, null)]);
        else await process(event.does === "send" ? send : job, event.kill);
    }
  }

  return {
    live,
    async close() {
      for (const each of accounts) await each.close();
    },
    /** What breaks a law now. */
    async faults(): Promise<string[]> {
      const own = await madePayments();
      return [...doublePayments(items(), own), ...payoutsInTwoFiles(own), ...(await movedMoney())];
    },
    /** What is undecided for longer than an hour after the job has run, and no owner was told. */
    async untold(): Promise<string[]> {
      await process(job, null);
      const open = await store.list(paymentOrders, "id", account.id, []);
      const late = open.filter(
        ({ is_settled, first_asked_at, created_at }) =>
          !is_settled && now - Date.parse(first_asked_at ?? created_at) > HOUR_MS,
      );
      const ids = new Set(late.map(({ id }) => id));
      return (await madePayments())
        .filter(
          ({ order_id, state, review }) =>
            ids.has(order_id) && (state === "intent" || state === "asked") && review === null,
        )
        .map(({ id }) => `payment ${id} is undecided, and nobody was told`);
    },
    /** Ends all faults, and lets all processes do their work until nothing is open. */
    async calm(): Promise<void> {
      for (const each of accounts) each.recover();
      await connect(0);
      for (let round = 0; round < 4; round += 1) {
        for (const item of items())
          if (item.status === "PENDING" || item.status === "ONHOLD") item.status = "SUCCESS";
        // PayPal returns what is not claimed, and only then a person can tell what became of it.
        const open = new Set(
          (await madePayments()).filter(({ review }) => review !== null).map(({ reference }) => reference),
        );
        for (const item of items())
          if (item.status === "UNCLAIMED" && open.has(item.reference)) item.status = "RETURNED";
        now += 7 * HOUR_MS;
        await process(job, null);
        await process(send, null);
        now += 2 * HOUR_MS;
        for (const payment of await madePayments()) if (payment.review !== null) await decide(payment);
      }
    },
    /** Where PayPal's list and ours differ. */
    async differences(): Promise<string[]> {
      const own = new Map((await madePayments()).map((payment) => [payment.reference, payment]));
      const orders = new Map(
        (await store.list(paymentOrders, "id", account.id, [])).map((each) => [each.id, each]),
      );
      // What the other account has paid can't be looked up any more.
      const listed = accounts[0].items().map(({ reference, status }): string[] => {
        const payment = own.get(reference);
        if (payment === undefined) return [`PayPal has paid ${reference}, which we don't know`];
        // PayPal can't be asked about an order whose batch it has not named.
        const isUnknown =
          payment.decided_by !== undefined && orders.get(payment.order_id)?.provider_id === null;
        return payment.state === SAID[status] || isUnknown
          ? []
          : [`payment ${payment.id} is ${payment.state} and ${status}`];
      });
      const known = new Set(items().map(({ reference }) => reference));
      const unlisted = [...own.values()]
        .filter(
          ({ payer, reference, state }) => payer !== "file" && !known.has(reference) && state !== "failed",
        )
        .map(({ id, state }) => `payment ${id} is ${state}, and PayPal does not list it`);
      return [...listed.flat(), ...unlisted];
    },
  };

  /** Payouts that don't follow their payments. */
  async function movedMoney(): Promise<string[]> {
    const wrong: string[] = [];
    for (const payout of await store.list(payouts, "id", account.id, [])) {
      const latest = await findPaymentOf(store, payout);
      if (latest === null || latest.payer === "file") continue;
      const wanted = STATUSES[latest.state];
      if (wanted !== undefined && payout.status !== wanted)
        wrong.push(`payout ${payout.id} is ${payout.status}, and its payment ${latest.state}`);
    }
    return wrong;
  }
}

/** What the states of PayPal's items are with us. */
const SAID: Record<ItemStatus, PaymentState> = {
  PENDING: "asked",
  ONHOLD: "asked",
  SUCCESS: "confirmed",
  UNCLAIMED: "unclaimed",
  FAILED: "failed",
  RETURNED: "returned",
  REVERSED: "returned",
};

/** The status of a payout whose payment holds it. Others are free. */
const STATUSES: Partial<Record<PaymentState, string>> = {
  intent: "processing",
  asked: "processing",
  unclaimed: "processing",
  confirmed: "completed",
};

/** Whether the money of an item is with its receiver, or may still get there. */
function isMoney(status: ItemStatus): boolean {
  return status !== "FAILED" && status !== "RETURNED" && status !== "REVERSED";
}

/** Payouts whose money is on its way twice. */
function doublePayments(items: PaypalItem[], own: Payment[]): string[] {
  const payoutIds = new Map(own.map(({ reference, payout_ids }) => [reference, payout_ids]));
  const seen = new Map<number, string>();
  const faults: string[] = [];
  for (const { id, reference, status } of items) {
    if (!isMoney(status)) continue;
    for (const payoutId of payoutIds.get(reference) ?? []) {
      if (seen.has(payoutId)) faults.push(`payout ${payoutId} is paid by ${seen.get(payoutId)} and ${id}`);
      seen.set(payoutId, id);
    }
  }
  return faults;
}

/** Payouts that are in two files that may both be used. */
function payoutsInTwoFiles(own: Payment[]): string[] {
  const seen = new Map<number, number>();
  return own
    .filter((payment) => payment.payer === "file" && isLive(payment))
    .flatMap(({ payout_ids, order_id }) =>
      payout_ids.flatMap((payoutId) => {
        const other = seen.get(payoutId);
        seen.set(payoutId, order_id);
        return other === undefined ? [] : [`payout ${payoutId} is in the files ${other} and ${order_id}`];
      }),
    );
}

/** The states that PayPal moves an item to. */
function follows(from: ItemStatus, to: ItemStatus): boolean {
  if (from === "PENDING" || from === "ONHOLD") return to !== "RETURNED" && to !== "REVERSED";
  if (from === "UNCLAIMED") return to === "SUCCESS" || to === "RETURNED";
  return from === "SUCCESS" && to === "REVERSED";
}

async function refusable(work: () => Promise<unknown>): Promise<void> {
  await work().catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
  });
}
