import type { PayoutMethod } from "../payout-method/record.ts";
import type { Store } from "../../storage/store.ts";
import type { Payee } from "./filter.ts";
import { findSelectedPayoutMethod, payoutMethods } from "../payout-method/payout-method.ts";
import { once } from "../once.ts";
import { loadPromoter } from "../promoter/promoter.ts";

/** Reads the promoters and methods of payouts. Each is read once, however many payouts it has. */
export interface PayeeReader {
  payee(promoterId: number): Promise<Payee>;
  /** A payout method that was used. null: it is gone. */
  method(id: number): Promise<PayoutMethod | null>;
}

/** Makes a reader for one request. */
export function payeeReader(store: Store, accountId: number): PayeeReader {
  return {
    payee: once((promoterId) => readPayee(store, accountId, promoterId)),
    method: once((id) => store.get(payoutMethods, accountId, id)),
  };
}

async function readPayee(store: Store, accountId: number, promoterId: number): Promise<Payee> {
  return {
    promoter: await loadPromoter(store, accountId, promoterId),
    selected: await findSelectedPayoutMethod(store, accountId, promoterId),
    pendingCents: await pendingCents(store, accountId, promoterId),
  };
}

async function pendingCents(store: Store, accountId: number, promoterId: number): Promise<number> {
  let cents = 0;
  for await (const sums of store.sums(accountId, ["payout.grouped", "pending", promoterId])) {
    for (const [[, metric], sum] of sums) if (metric === "cents") cents += sum;
  }
  return cents;
}
