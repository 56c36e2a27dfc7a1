import { connectPayments } from "../../server/domain/payment/connection.ts";
import { PROCESS } from "../../server/domain/audit/audit.ts";
import { systemChance } from "../../server/domain/context.ts";
import { payments, payoutClaims } from "../../server/domain/payment/payment.ts";
import { newSeal } from "../../server/seal.ts";
import { SECRET_KEY } from "./app.ts";
import { withStore } from "./operations.ts";
import { askOpenPayments } from "../../server/payments/send.ts";
import type { TestApp } from "./app.ts";
import type { PaypalApi } from "./paypal-api.ts";

/** Connects the account with a stand-in. Only the command line may name an address. */
export async function connectPaypal(
  { context, accountId, services }: TestApp,
  { url }: PaypalApi,
): Promise<void> {
  await connectPayments(context, accountId, {
    seal: services.seal,
    provider: "paypal",
    clientId: "client-1",
    secret: "secret-1",
    webhookId: "hook-1",
    apiUrl: url,
  });
}

/** One round of the job that sends payments and asks about them. */
export async function runPaymentJob({ services }: TestApp): Promise<void> {
  const { store, chance, clock, seal } = services;
  const round = askOpenPayments({ store, chance, clock, seal, actor: PROCESS });
  while ((await round.next()).done !== true);
}

/** Lets the job of a server run on a store until nothing is open, and resolves to the state of each payout's payment. */
export function finishPayments(url: string): Promise<[payoutId: number, state: string][]> {
  return withStore(url, async ({ store, accountId }) => {
    for (let hours = 1; hours <= 3; hours += 1) {
      const clock = () => new Date(Date.now() + hours * 60 * 60 * 1_000);
      const round = askOpenPayments({ store, chance: systemChance, clock, seal: newSeal([SECRET_KEY]) });
      while ((await round.next()).done !== true);
    }
    const claims = await store.list(payoutClaims, "id", accountId, []);
    const found = claims.map(async ({ payoutId, paymentId }): Promise<[number, string]> => {
      const payment = await store.get(payments, accountId, paymentId);
      return [payoutId, payment?.state ?? "none"];
    });
    return Promise.all(found);
  });
}
