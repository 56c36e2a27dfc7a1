import type { PayoutMethod } from "../payout-method/record.ts";
import type { Store } from "../../storage/store.ts";
import type { Promoter } from "../promoter/record.ts";
import { findSelectedPayoutMethod, payoutMethods } from "../payout-method/payout-method.ts";
import { once } from "../once.ts";
import { loadPromoter } from "../promoter/promoter.ts";

/** A promoter with the data that payouts are filtered by. */
export interface Payee {
  promoter: Promoter;
  /** null: none is selected. */
  selected: PayoutMethod | null;
  /** Sum of the pending cash payouts. */
  pendingCents: number;
}

/** Reads the promoters and methods of payouts. Each is read once, however many payouts it has. */
export interface PayeeReader {
  payee(promoterId: number): Promise<Payee>;
  /** The payout method that a promoter has selected. null: none. */
  selected(promoterId: number): Promise<PayoutMethod | null>;
  /** A payout method that was used. null: it is gone. */
  method(id: number): Promise<PayoutMethod | null>;
}

/** Makes a reader for one request. */
export function payeeReader(store: Store, accountId: number): PayeeReader {
  const selected = once((promoterId) => findSelectedPayoutMethod(store, accountId, promoterId));
  return {
    payee: once(async (promoterId) => ({
      promoter: await loadPromoter(store, accountId, promoterId),
      selected: await selected(promoterId),
      pendingCents: await pendingCents(store, accountId, promoterId),
    })),
    selected,
    method: once((id) => store.get(payoutMethods, accountId, id)),
  };
}

async function pendingCents(store: Store, accountId: number, promoterId: number): Promise<number> {
  let cents = 0;
  for await (const sums of store.sums(accountId, ["payout.grouped", "pending", promoterId])) {
    for (const [[, metric], sum] of sums) if (metric === "cents") cents += sum;
  }
  return cents;
}
