import { parse } from "../../storage/documents.ts";
import type { Schema } from "../../storage/query.ts";
import type { View } from "../../storage/store.ts";
import type { PayoutMethod } from "../payout-method/record.ts";
import { payoutMethods } from "../payout-method/payout-method.ts";
import type { Promoter } from "../promoter/record.ts";
import { promoters } from "../promoter/promoter.ts";
import { pendingCents } from "./filter.ts";

/** A promoter with the data that decide whether their payouts can be paid. */
export interface Payee {
  promoter: Promoter;
  /** null: none is selected. */
  selected: PayoutMethod | null;
  /** Sum of the pending cash payouts. */
  pendingCents: number;
}

type PayeeSchema = Schema<{ promoters: typeof promoters; payout_methods: typeof payoutMethods }>;

/** Begins a question about payees, whose rows `payeeOf` understands. */
export function payeeQuestion(view: View, accountId: number) {
  return view
    .question<PayeeSchema>()
    .selectFrom("promoters")
    .leftJoin("payout_methods as selected", (join) =>
      join
        .onRef("selected.account_id", "=", "promoters.account_id")
        .onRef("selected.selected_by_id", "=", "promoters.id"),
    )
    .where("promoters.account_id", "=", accountId)
    .select(["promoters.doc as promoter", "selected.doc as selected", pendingCents.as("pending_cents")]);
}

/** A payee from a row. */
export function payeeOf(row: { promoter: string; selected: string | null; pending_cents: number }): Payee {
  return {
    promoter: parse(promoters, row.promoter),
    selected: row.selected === null ? null : parse(payoutMethods, row.selected),
    pendingCents: Number(row.pending_cents),
  };
}
