import fc from "fast-check";
import { createAccount } from "../../server/domain/access/account-creation.ts";
import { systemChance, type Actor } from "../../server/domain/context.ts";
import { connectPayments } from "../../server/domain/ledger/payment/connection.ts";
import { paymentOrders, payments, type Payment } from "../../server/domain/ledger/payment/payment.ts";
import { decidePayment } from "../../server/domain/ledger/payment/steps.ts";
import { createPaymentsBatch } from "../../server/domain/ledger/payments-batch/changes.ts";
import { loadAccount } from "../../server/domain/program/account/account.ts";
import { asItIs } from "../../server/domain/show.ts";
import { Failure } from "../../server/failure.ts";
import { askOpenPayments, handlePaymentEvent, sendBatch, type Run } from "../../server/payments/send.ts";
import type { Engine } from "../../server/storage/session.ts";
import { newStore } from "../../server/storage/store.ts";
import { TEST_SEAL } from "./memory-engine.ts";
import { mortalEngine, type Death } from "./mortal-engine.ts";
import { rethrow } from "./payments.ts";
import { addPayout, addPromoter, selectMethod } from "./payouts.ts";
import {
  startStripeApi,
  startTremendousApi,
  startWiseApi,
  type SignedEvent,
  type TransferApi,
  type TransferFault,
} from "./transfer-apis.ts";

const HOUR_MS = 60 * 60 * 1_000;
const USER: Actor = { kind: "user", id: 1, name: "ada@acme.example" };
const PROMOTERS = 3;

/** What happens in a history. Processes are killed after some commits, before or after the last one is written. */
export type TransferEvent =
  | { does: "send" | "job" | "both"; kill: Death | null; faults: TransferFault[] }
  | { does: "wait"; ms: number }
  | { does: "event"; nth: number; isBack: boolean; comes: "never" | "once" | "twice" | "late" | "forged" }
  | { does: "outage"; isAway: boolean }
  | { does: "decide"; nth: number };

/** Random histories of payments by a provider that pays each promoter by a request of its own. */
export function transferHistory(length: number): fc.Arbitrary<TransferEvent[]> {
  const faults: TransferFault[] = ["paid, then 500", "paid, answer lost", "503", "request lost"];
  const event = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        does: fc.constantFrom("send" as const, "job" as const, "both" as const),
        kill: fc.option(fc.record({ afterCommits: fc.nat(9), isWritten: fc.boolean() })),
        faults: fc.array(fc.constantFrom(...faults), { maxLength: 3 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        does: fc.constant("wait" as const),
        ms: fc.constantFrom(60_000, 4 * 60_000, HOUR_MS, 25 * HOUR_MS, 31 * 24 * HOUR_MS),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        does: fc.constant("event" as const),
        nth: fc.nat(9),
        isBack: fc.boolean(),
        comes: fc.constantFrom("never", "once", "twice", "late", "forged"),
      }),
    },
    { weight: 1, arbitrary: fc.record({ does: fc.constant("outage" as const), isAway: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant("decide" as const), nth: fc.nat(5) }) },
  );
  return fc.array(event, { minLength: length / 2, maxLength: length });
}

export const TRANSFER_PROVIDERS = ["stripe", "wise", "tremendous"] as const;

type Provider = (typeof TRANSFER_PROVIDERS)[number];

/** The payout method of promoter `nth`, which the provider pays. */
function methodOf(provider: Provider, nth: number) {
  if (provider === "stripe") return { method: "custom", details: { stripe_account: `acct_${nth}` } } as const;
  if (provider === "wise")
    return { method: "wise", details: { wise_email: `p${nth}@wise.example` } } as const;
  return { method: "custom", details: { gift_card_email: `p${nth}@cards.example` } } as const;
}

/** A program with payouts to be paid by a provider, and the processes that pay them. */
export async function newTransferWorld(engine: Engine, provider: Provider) {
  let now = Date.parse("2026-03-04T05:06:07.890Z");
  const clock = () => new Date(now);
  const starts = {
    stripe: () => startStripeApi(clock),
    wise: startWiseApi,
    tremendous: startTremendousApi,
  };
  const api: TransferApi = await starts[provider]();
  const store = newStore(engine);
  const context = () => ({ store, chance: systemChance, now: clock(), actor: USER });
  const landingUrl = "https://www.acme.example/";
  const made = { name: "Acme", public_id: "acme", landing_url: landingUrl, key: "key-of-acme" };
  const { account } = await createAccount(context(), made);
  const { method } = methodOf(provider, 1);
  for (let nth = 1; nth <= PROMOTERS; nth += 1) {
    const promoter = await addPromoter(context(), account, { email: `p${nth}@example.com` });
    await selectMethod(context(), promoter, methodOf(provider, nth));
    await addPayout(context(), promoter, { total_incl_tax: 1_000 * nth });
  }
  const connection = {
    seal: TEST_SEAL,
    provider,
    secret: "secret-1",
    api_url: api.url,
    webhookKey: api.webhookKey,
    profile_id: "7",
    campaign_id: "campaign-1",
  };
  await store.transact((tx) => connectPayments(tx, context(), account.id, connection));
  const { batch } = await createPaymentsBatch(context(), account, { method, show: asItIs });
  const taken = new Set<string>();
  const late: SignedEvent[] = [];
  const madePayments = () => store.list(payments, "id", account.id, []);
  /** Our payments by their names at the provider. One of Tremendous has that of its order. */
  const named = async () => {
    const orders = await store.list(paymentOrders, "id", account.id, []);
    const names = new Map(orders.map(({ id, reference }) => [id, reference]));
    const nameOf = ({ order_id, reference }: Payment) =>
      provider === "tremendous" ? (names.get(order_id) ?? "") : reference;
    return new Map((await madePayments()).map((each) => [nameOf(each), each]));
  };

  /** A process that may be killed. What it was doing then is lost. */
  async function process(work: (run: Run) => Promise<void>, death: Death | null): Promise<void> {
    const mortal = mortalEngine(engine);
    if (death !== null) mortal.kill(death);
    const run = { store: newStore(mortal.engine), chance: systemChance, clock, seal: TEST_SEAL, actor: USER };
    await work(run).catch((error: unknown) => {
      if (!mortal.isDead() && !(error instanceof Failure)) throw error;
    });
  }

  async function send(run: Run): Promise<void> {
    const given = { batchId: batch.id, provider, ignoresBalance: true };
    await sendBatch(run, await loadAccount(run.store, "acme"), given);
  }

  async function job(run: Run): Promise<void> {
    const round = askOpenPayments(run, rethrow);
    while ((await round.next()).done !== true);
  }

  /** The provider sends an event to a server. */
  async function tell({ body, headers }: SignedEvent): Promise<void> {
    const given = { provider, body, headers: new Headers(headers) } as const;
    await process(async (run) => {
      await handlePaymentEvent(run, await loadAccount(run.store, "acme"), given);
    }, null);
  }

  /** The provider moves a payment on and tells it, well or badly. */
  async function news({ nth, isBack, comes }: TransferEvent & { does: "event" }): Promise<void> {
    const one = api.paid[nth % Math.max(1, api.paid.length)];
    if (one === undefined) return;
    if (isBack) {
      api.takeBack(one.id);
      taken.add(one.reference);
    }
    const event = api.event(one);
    if (comes === "late") late.push(event);
    if (comes === "forged") {
      const before = JSON.stringify(await madePayments());
      await tell({ ...event, body: `${event.body} ` });
      if (JSON.stringify(await madePayments()) !== before) throw new Error("a forged event was taken");
    }
    const times = { never: 0, once: 1, twice: 2, late: 0, forged: 0 }[comes];
    await Promise.all(Array.from({ length: times }, () => tell(event)));
    // Those that were late come after newer ones.
    if (times > 0) for (const former of late.splice(0)) await tell(former);
  }

  /** A person looks at the provider before deciding. */
  async function decide({ id }: Payment): Promise<void> {
    const [reference = ""] = [...(await named())].find(([, each]) => each.id === id) ?? [];
    const wasPaid = api.paid.some((one) => one.reference === reference) && !taken.has(reference);
    await store
      .transact((tx) => decidePayment(tx, context(), account.id, { id, wasPaid }))
      .catch((error: unknown) => {
        if (!(error instanceof Failure)) throw error;
      });
  }

  async function live(event: TransferEvent): Promise<void> {
    switch (event.does) {
      case "wait":
        now += event.ms;
        return;
      case "outage":
        api.isAway = event.isAway;
        return;
      case "event":
        return news(event);
      case "decide": {
        const open = (await madePayments()).filter(({ review }) => review !== null);
        const payment = open[event.nth % Math.max(1, open.length)];
        if (payment !== undefined && !api.isAway) await decide(payment);
        return;
      }
      default:
        api.fail(...event.faults);
        if (event.does === "both")
          await Promise.all([process(send, event.kill), process(send, null), process(job, null)]);
        else await process(event.does === "send" ? send : job, event.kill);
    }
  }

  return {
    live,
    close: () => api.close(),
    /** Payouts whose money is on its way twice. */
    async faults(): Promise<string[]> {
      const own = await named();
      const paid = api.paid.filter(({ reference }) => !taken.has(reference));
      const unknown = paid.filter(({ reference }) => !own.has(reference));
      const ids = paid.flatMap(({ reference }) => own.get(reference)?.payout_ids ?? []);
      return [
        ...unknown.map(({ id }) => `the provider has paid ${id}, which we don't know`),
        ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `payout ${id} is paid twice`),
      ];
    },
    /** What is undecided for longer than an hour after the job has run, and no owner was told. */
    async untold(): Promise<string[]> {
      await process(job, null);
      const orders = await store.list(paymentOrders, "id", account.id, []);
      const isLate = ({ is_settled, first_asked_at, created_at }: (typeof orders)[number]) =>
        !is_settled && now - Date.parse(first_asked_at ?? created_at) > HOUR_MS;
      const ids = new Set(orders.filter(isLate).map(({ id }) => id));
      return (await madePayments())
        .filter(({ order_id, state, review }) => ids.has(order_id) && isOpen(state) && review === null)
        .map(({ id }) => `payment ${id} is undecided, and nobody was told`);
    },
    /** Ends all faults, and lets all processes do their work until nothing is open. */
    async calm(): Promise<void> {
      api.recover();
      for (let round = 0; round < 4; round += 1) {
        now += 7 * HOUR_MS;
        await process(job, null);
        await process(send, null);
        now += 25 * HOUR_MS;
        for (const payment of await madePayments()) if (payment.review !== null) await decide(payment);
      }
    },
    /** Where the provider's list and ours differ. */
    async differences(): Promise<string[]> {
      const drafts = api.groups.flatMap(({ transferIds }) => transferIds).map(String);
      const isGrouped =
        provider !== "wise" ||
        drafts.toSorted().join() ===
          api.paid
            .map(({ id }) => id)
            .toSorted()
            .join();
      const isFundable = api.groups.every(
        (each) => each.transferIds.length === 0 || each.status === "COMPLETED",
      );
      if (!isGrouped || !isFundable) return [`the groups are ${JSON.stringify(api.groups)}`];
      const listed = new Map(api.paid.map((each) => [each.reference, each]));
      return [...(await named())].flatMap(([reference, { id, state }]) => {
        const wanted = !listed.has(reference) ? "failed" : taken.has(reference) ? "returned" : "confirmed";
        // A person has said that it was not paid before it came back.
        if (state === wanted || (wanted === "returned" && state === "failed")) return [];
        return [`payment ${id} is ${state}, and should be ${wanted}`];
      });
    },
  };
}

function isOpen(state: Payment["state"]): boolean {
  return state === "intent" || state === "asked";
}
