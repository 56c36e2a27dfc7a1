import { setTimeout } from "node:timers/promises";
import type { Environment, Paddle } from "@paddle/paddle-node-sdk";
import type { BillingConnection } from "../../domain/billing/connection.ts";
import { Failure } from "../../failure.ts";
import type { Payer } from "../told.ts";
import { payerOf } from "../payer.ts";

/** The part of Paddle's API that we read. */
export interface PaddleApi {
  client: Paddle;
  /** The code of a discount. null: it has none. */
  promoCode(id: string): Promise<string | null>;
  payer(customerId: string): Promise<Payer>;
  /** The customer whose id is the uid, otherwise those with this e-mail address. */
  customersOf(names: { uid: string | null; email: string | null }): Promise<string[]>;
}

/** Paddle's API for a connection: the sandbox's for its keys. null: the connection has no key. */
export async function openPaddleApi({ apiKey, apiUrl }: BillingConnection): Promise<PaddleApi | null> {
  if (apiKey === null) return null;
  const {
    Environment: environments,
    LogLevel,
    Paddle: PaddleClient,
  } = await import("@paddle/paddle-node-sdk");
  const usual = apiKey.includes("_sdbx_") ? environments.sandbox : environments.production;
  // The package takes any address in place of an environment's name.
  const environment = (apiUrl?.replace(/\/+$/, "") ?? usual) as Environment;
  const client = new PaddleClient(apiKey, { environment, logLevel: LogLevel.none });
  return {
    client,
    promoCode: async (id) => (await asked(client.discounts.get(id))).code,
    async payer(customerId) {
      const { email, customData } = await asked(client.customers.get(customerId));
      return payerOf({ customerId, email, metadata: [customData as Record<string, unknown> | null] });
    },
    async customersOf({ uid, email }) {
      if (uid?.startsWith("ctm_")) return [uid];
      if (email === null) return [];
      return (await asked(client.customers.list({ email: [email] }).next())).map(({ id }) => id);
    },
  };
}

/** Paddle waits five seconds for our answer. Its package itself would wait for five minutes. */
const TIMEOUT_MS = 5_000;

/** @throws Failure `refused` with Paddle's own reason, so that people see it, and Paddle sends the event again */
export async function asked<T>(answer: Promise<T>): Promise<T> {
  const patience = setTimeout(TIMEOUT_MS, null, { ref: false }).then(() => {
    throw new Error("it did not answer in time");
  });
  try {
    return await Promise.race([answer, patience]);
  } catch (error) {
    throw new Failure("refused", `Paddle's API refused: ${(error as Error).message}`);
  }
}
