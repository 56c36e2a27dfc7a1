import fc from "fast-check";
import { expect, it } from "vitest";
import type { TestApp } from "../../support/app.ts";
import { memoryEngine } from "../../support/memory-engine.ts";
import { LEADS } from "../../support/money-history.ts";
import { breaches, readLedger } from "../../support/money-laws.ts";
import { foundProgram } from "../../support/money-world.ts";
import { rounds } from "../../support/rounds.ts";

/** What a customer does, or what is decided about a commission that the customer earned. */
type Deed =
  | { kind: "sale"; amount: number; currency: "EUR" | null }
  | { kind: "refund"; sale: number; amount: number }
  | { kind: "denial"; sale: number }
  | { kind: "cancellation" };

const sale = fc.nat(3);
const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("sale" as const),
      amount: fc.constantFrom(1, 333, 1_001, 9_999),
      currency: fc.constantFrom(null, "EUR" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("refund" as const),
      sale,
      amount: fc.constantFrom(1, 333, 1_001),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("denial" as const), sale }) },
  { weight: 1, arbitrary: fc.constant<Deed>({ kind: "cancellation" }) },
);
const life = fc.array(deed, { minLength: 1, maxLength: 6 });
const lives = fc.tuple(life, life, life);

/** Tells the server of one deed. */
interface Message {
  send: (app: TestApp) => Promise<{ status: number }>;
  /** Whether the server must heed it once, however often it comes. */
  isEvent: boolean;
}

/** The messages about a customer. The deeds are an hour apart, and concern only earlier ones. */
function messagesOf(deeds: Deed[], customer: number): Message[] {
  return deeds.map((each, at) => {
    const event = (name: string, number: number) => `${name}_${customer}_${number}`;
    const who = { email: LEADS[customer]!, created_at: `2026-03-04T0${at}:00:00.000Z` };
    const amount = "amount" in each ? String(each.amount) : "";
    const sold = "sale" in each ? event("sale", each.sale % Math.max(at, 1)) : "";
    switch (each.kind) {
      case "sale": {
        const params = { ...who, event_id: event("sale", at), amount, currency: each.currency ?? "" };
        return { isEvent: true, send: (app) => app.v1("/track/sale", params) };
      }
      case "refund": {
        const params = { ...who, event_id: event("refund", at), sale_event_id: sold, amount };
        return { isEvent: true, send: (app) => app.v1("/track/refund", params) };
      }
      case "denial":
        return {
          isEvent: false,
          send: (app) => app.v1("/rewards/update", { event_id: sold, status: "denied" }),
        };
      case "cancellation": {
        const params = { ...who, event_id: event("cancellation", at) };
        return { isEvent: true, send: (app) => app.v1("/track/cancellation", params) };
      }
    }
  });
}

/** All that is left in a new program of some messages. */
async function leftBy(currency: string, tell: (app: TestApp, other: TestApp) => Promise<unknown>) {
  const engine = await memoryEngine();
  const { processes } = await foundProgram(engine, currency);
  const [app, other] = processes.map((process) => process.app) as [TestApp, TestApp];
  await tell(app, other);
  const { services, account_id, bugs } = app;
  expect([bugs, await breaches(services.store, account_id)]).toEqual([[], []]);
  const { promoters, leads, commissions, refunds } = await readLedger(services.store, account_id);
  const shown = await Promise.all(promoters.map(({ id }) => app.v2("GET", `/promoters/${id}`)));
  await engine.close();
  return {
    promoters: shown.map(({ body }) => {
      const { balances, stats } = body as { balances: unknown; stats: unknown };
      return { balances, stats };
    }),
    leads: leads.map(({ state, sales_count, refunded_sales_count, customer_since, cancelled_at }) => ({
      state,
      sales_count,
      refunded_sales_count,
      customer_since,
      cancelled_at,
    })),
    refunds: refunds.map(({ event_id, amount_cents }) => `${event_id} ${amount_cents}`).toSorted(),
    commissions: commissions
      .map(
        ({ promoter_id, tier, unit, amount, status, event_id }) =>
          `${event_id} ${tier} ${promoter_id} ${amount} ${unit} ${status}`,
      )
      .toSorted(),
  };
}

const inTurn = async (messages: Message[], app: TestApp) => {
  for (const { send } of messages) expect((await send(app)).status).toBeLessThan(500);
};

/** Sends each event twice at once, and after it one of the former events once more. */
async function againAndAgain(messages: Message[], app: TestApp, chance: Iterator<number>): Promise<void> {
  const former: Message[] = [];
  for (const message of messages) {
    if (message.isEvent) former.push(message);
    const twice = message.isEvent ? [message, message] : [message];
    await Promise.all(twice.map(({ send }) => send(app)));
    if (former.length > 0) await inTurn([former[chance.next().value % former.length]!], app);
  }
}

it("customers leave the same, in whichever order and however often the server learns of what they do", async () => {
  const currency = fc.constantFrom("USD", "JPY", "KWD");
  await fc.assert(
    fc.asyncProperty(lives, currency, fc.infiniteStream(fc.nat()), async (given, unit, chance) => {
      const told = given.map(messagesOf);
      const once = await leftBy(unit, (app) => inTurn(told.flat(), app));
      const backwards = (app: TestApp) => inTurn(told.toReversed().flat(), app);
      const together = (app: TestApp, other: TestApp) =>
        Promise.all(told.map((messages, customer) => inTurn(messages, customer === 1 ? other : app)));
      const repeatedly = (app: TestApp) => againAndAgain(told.flat(), app, chance);
      for (const tell of [backwards, together, repeatedly]) expect(await leftBy(unit, tell)).toEqual(once);
    }),
    { numRuns: rounds(3, 100) },
  );
});
