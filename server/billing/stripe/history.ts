import type Stripe from "stripe";
import type { Lead } from "../../domain/lead/lead.ts";
import type { Nothing, Told } from "../told.ts";
import type { ProviderEvent } from "../provider.ts";
import { asked, type StripeApi } from "./api.ts";
import { chargeRefunded, chargeSucceeded } from "./charge.ts";
import { invoicePaid } from "./invoice.ts";

const PAGE = 100;

/** The events of these types since an instant, newest first. Stripe keeps events for thirty days. */
export async function* listEvents(
  { client }: StripeApi,
  { since, types }: { since: Date; types: string[] },
): AsyncGenerator<ProviderEvent> {
  const created = { gte: Math.floor(since.getTime() / 1_000) };
  for await (const event of all((after) => client.events.list({ created, types, limit: PAGE, ...after }))) {
    yield { type: event.type, at: new Date(event.created * 1_000), signedAt: null, data: event.data };
  }
}

/** All payments and refunds of a lead. Its uid is the customer's id, or its e-mail address names the customers. */
export async function* listHistory(api: StripeApi, { uid, email }: Lead): AsyncGenerator<Told | Nothing> {
  const { client } = api;
  for (const customer of await customersOf(client, { uid, email })) {
    const invoices = all((after) =>
      client.invoices.list({ customer, status: "paid", limit: PAGE, ...after }),
    );
    for await (const invoice of invoices) yield invoicePaid(invoice, api);
    for await (const charge of all((after) => client.charges.list({ customer, limit: PAGE, ...after }))) {
      yield chargeSucceeded(charge, api);
      if (charge.amount_refunded > 0) yield* refundsOf(api, charge);
    }
  }
}

async function customersOf(client: Stripe, { uid, email }: Pick<Lead, "uid" | "email">): Promise<string[]> {
  if (uid?.startsWith("cus_")) return [uid];
  if (email === null) return [];
  const { data } = await asked(client.customers.list({ email, limit: PAGE }));
  return data.map(({ id }) => id);
}

/** The refunds of a charge. Each has the same sums before and after it that its event has. */
async function* refundsOf(api: StripeApi, charge: Stripe.Charge): AsyncGenerator<Told | Nothing> {
  const { data } = await asked(api.client.refunds.list({ charge: charge.id, limit: PAGE }));
  let before = 0;
  for (const { amount, created, status } of data.toReversed()) {
    if (status === "failed" || status === "canceled") continue;
    const refunded = { ...charge, amount_refunded: before + amount };
    yield chargeRefunded({ data: refunded, before, at: new Date(created * 1_000) }, api);
    before += amount;
  }
}

/** Every item of a list that comes in pages. */
async function* all<T extends { id: string }>(
  page: (after: { starting_after?: string }) => Promise<{ data: T[]; has_more: boolean }>,
): AsyncGenerator<T> {
  let after: { starting_after?: string } = {};
  for (;;) {
    const { data, has_more: hasMore } = await asked(page(after));
    yield* data;
    const last = data.at(-1);
    if (!hasMore || last === undefined) return;
    after = { starting_after: last.id };
  }
}
