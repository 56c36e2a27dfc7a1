import { z } from "zod";
import type { BillingConnection } from "../../domain/billing/connection.ts";
import { Failure } from "../../failure.ts";
import type { Nothing, Told } from "../told.ts";
import { payerOf } from "../payer.ts";
import type { Provider, ProviderEvent } from "../provider.ts";
import { openStripeApi, type StripeApi } from "./api.ts";
import {
  chargeRefunded,
  chargeSucceeded,
  disputeCreated,
  fundsReinstated,
  fundsWithdrawn,
} from "./charge.ts";
import { amount, instant, metadata, objectId } from "./fields.ts";
import { listEvents, listHistory } from "./history.ts";
import { invoicePaid } from "./invoice.ts";
import { sessionCompleted } from "./session.ts";

/** Stripe's own recommendation. */
const TOLERANCE_SECONDS = 300;

/** The input of a translation. `before` is the object as it was, if the event says so. */
interface Given {
  data: unknown;
  before: { amount_refunded?: number | undefined };
  at: Date;
}

type Translation = (given: Given, api: StripeApi | null) => Promise<Told | Nothing>;

const paid: Translation = ({ data }, api) => invoicePaid(data, api);
const session: Translation = ({ data }, api) => sessionCompleted(data, api);
const charged: Translation = ({ data }, api) => chargeSucceeded(data, api);

/** The types of events that count. */
const TRANSLATIONS: Record<string, Translation> = {
  "invoice.paid": paid,
  "invoice.payment_succeeded": paid,
  "charge.succeeded": charged,
  "charge.captured": charged,
  "checkout.session.completed": session,
  "checkout.session.async_payment_succeeded": session,
  "charge.refunded": ({ data, before, at }, api) =>
    chargeRefunded({ data, before: before.amount_refunded ?? 0, at }, api),
  "charge.dispute.created": disputeCreated,
  "charge.dispute.funds_withdrawn": fundsWithdrawn,
  "charge.dispute.funds_reinstated": fundsReinstated,
  "customer.subscription.deleted": async ({ data, at }) => subscriptionDeleted(data, at),
};

const eventData = z.object({
  object: z.unknown(),
  previous_attributes: z.object({ amount_refunded: amount.optional() }).nullish(),
});

/** Makes the adapter of Stripe. */
export function newProvider(connection: BillingConnection): Provider {
  let opened: Promise<StripeApi | null> | null = null;
  const api = () => (opened ??= openStripeApi(connection));
  return {
    verify: (body, headers, now) => verify(body, headers, { secret: connection.secret, now }),
    async toOperation({ type, at, data }) {
      const translate = TRANSLATIONS[type];
      if (translate === undefined) return { kind: "nothing", reason: `Events of type ${type} do not count` };
      const { object, previous_attributes: before } = eventData.parse(data);
      return translate({ data: object, before: before ?? {}, at }, await api());
    },
    lookUp: async (customerId) => (await api())?.payer(customerId) ?? null,
    async *list(since) {
      yield* listEvents(await required(api()), { since, types: Object.keys(TRANSLATIONS) });
    },
    async *history(lead) {
      yield* listHistory(await required(api()), lead);
    },
  };
}

async function required(opened: Promise<StripeApi | null>): Promise<StripeApi> {
  const api = await opened;
  if (api !== null) return api;
  throw new Failure("refused", "The connection with Stripe has no API key; connect again with one");
}

async function verify(
  body: string,
  headers: Headers,
  { secret, now }: { secret: string; now: Date },
): Promise<ProviderEvent> {
  const { default: Stripe } = await import("stripe");
  const signature = headers.get("stripe-signature") ?? "";
  const { webhooks } = Stripe;
  try {
    webhooks.constructEvent(body, signature, secret, TOLERANCE_SECONDS, undefined, now.getTime());
  } catch {
    throw new Failure("malformed", "The signature is not Stripe's for this account, or it is too old");
  }
  const event = eventShape.safeParse(JSON.parse(body));
  if (!event.success) throw new Failure("malformed", "The event has no type, or no date in whole seconds");
  const { type, created, data } = event.data;
  return { type, at: created, signedAt: signedAt(signature), data };
}

const eventShape = z.object({ type: z.string(), created: instant, data: z.unknown() });

/** The package has checked the signature, so it has its time: `t=1760000000,v1=…`. */
function signedAt(signature: string): Date {
  return new Date(Number(/(?:^|,)t=(\d+)/.exec(signature)?.[1]) * 1_000);
}

const subscriptionShape = z.object({
  id: z.string(),
  customer: objectId,
  ended_at: instant.nullish(),
  metadata,
});

function subscriptionDeleted(data: unknown, at: Date): Told {
  const { id, customer, ended_at: endedAt, metadata: given } = subscriptionShape.parse(data);
  const payer = payerOf({ customerId: customer, email: null, metadata: [given] });
  return { kind: "cancellation", subscriptionId: id, payer, at: endedAt ?? at };
}
