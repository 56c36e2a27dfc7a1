import type { EventEntity } from "@paddle/paddle-node-sdk";
import { z } from "zod";
import type { BillingConnection } from "../../domain/billing/connection.ts";
import { Failure } from "../../failure.ts";
import type { Nothing, Told } from "../told.ts";
import { payerOf } from "../payer.ts";
import type { Provider, ProviderEvent } from "../provider.ts";
import { asked, openPaddleApi, type PaddleApi } from "./api.ts";
import { adjustmentMade } from "./adjustment.ts";
import { customData, instant } from "./fields.ts";
import { transactionCompleted } from "./transaction.ts";

const PAGE = 200;

/** Makes the adapter of Paddle. */
export function newProvider(connection: BillingConnection): Provider {
  let opened: Promise<PaddleApi | null> | null = null;
  const api = () => (opened ??= openPaddleApi(connection));
  return {
    verify: (body, headers) => verify(body, headers.get("paddle-signature") ?? "", connection.secret),
    async toOperation({ type, at, data }) {
      if (type === "transaction.completed") {
        return transactionCompleted(data, await api());
      }
      if (type === "adjustment.created" || type === "adjustment.updated") {
        return adjustmentMade(data, at);
      }
      if (type === "subscription.canceled") return subscriptionCanceled(data, at);
      return { kind: "nothing", reason: `Events of type ${type} do not count` };
    },
    lookUp: async (customerId) => (await api())?.payer(customerId) ?? null,
    async *list(since) {
      yield* listEvents(await required(api()), since);
    },
    async *history(lead) {
      yield* listHistory(await required(api()), lead);
    },
  };
}

async function verify(body: string, signature: string, secret: string): Promise<ProviderEvent> {
  const { Paddle } = await import("@paddle/paddle-node-sdk");
  // The package needs no API key for it. It uses the system's clock, and refuses what is older than five seconds.
  const { webhooks } = new Paddle("");
  if (!(await webhooks.isSignatureValid(body, secret, signature).catch(() => false))) {
    throw new Failure("malformed", "The signature is not Paddle's for this account, or it is too old");
  }
  try {
    const event = await webhooks.unmarshal(body, secret, signature);
    return { ...eventOf(event), signedAt: signedAt(signature) };
  } catch {
    throw new Failure("malformed", "The event can't be read: a field of its type is missing");
  }
}

/** The package has checked the signature, so it has its time: `ts=1760000000;h1=…`. */
function signedAt(signature: string): Date {
  return new Date(Number(/(?:^|;)ts=(\d+)/.exec(signature)?.[1]) * 1_000);
}

function eventOf({ eventType, occurredAt, data }: EventEntity): ProviderEvent {
  return { type: eventType, at: new Date(occurredAt), signedAt: null, data };
}

async function required(opened: Promise<PaddleApi | null>): Promise<PaddleApi> {
  const api = await opened;
  if (api !== null) return api;
  throw new Failure("refused", "The connection with Paddle has no API key; connect again with one");
}

const subscriptionShape = z.object({
  id: z.string(),
  customerId: z.string().nullish(),
  canceledAt: instant.nullish(),
  customData,
});

function subscriptionCanceled(data: unknown, at: Date): Told {
  const { id, customerId, canceledAt, customData: metadata } = subscriptionShape.parse(data);
  const payer = payerOf({ customerId: customerId ?? null, email: null, metadata: [metadata] });
  return { kind: "cancellation", subscriptionId: id, payer, at: canceledAt ?? at };
}

async function* listEvents({ client }: PaddleApi, since: Date): AsyncGenerator<ProviderEvent> {
  const events = client.events.list({ orderBy: "id[DESC]", perPage: PAGE });
  while (events.hasMore) {
    for (const each of await asked(events.next())) {
      const event = eventOf(each);
      if (event.at < since) return;
      yield event;
    }
  }
}

async function* listHistory(
  api: PaddleApi,
  { uid, email }: { uid: string | null; email: string | null },
): AsyncGenerator<Told | Nothing> {
  const { client } = api;
  const customers = await api.customersOf({ uid, email });
  if (customers.length === 0) return;
  const bought = client.transactions.list({ customerId: customers, status: ["completed"], perPage: PAGE });
  while (bought.hasMore) {
    for (const each of await asked(bought.next())) {
      yield transactionCompleted(each, api);
    }
  }
  const adjusted = client.adjustments.list({ customerId: customers });
  while (adjusted.hasMore) {
    for (const each of await asked(adjusted.next())) {
      yield adjustmentMade(each, new Date(each.createdAt));
    }
  }
}
