import { sql, type SqlBool } from "kysely";
import { Failure } from "../../../failure.ts";
import { among, findOwned, type Schema } from "../../../storage/query.ts";
import type { Reader, Transaction, View } from "../../../storage/store.ts";
import { flag, integer, json, table, text, time, type RowOf } from "../../../storage/table.ts";

export const PAYOUT_METHODS = ["bank", "crypto", "custom", "paypal", "wise", "dots"] as const;

export type PayoutMethodName = (typeof PAYOUT_METHODS)[number];

/** The methods' names in sentences: `paid by …`. */
export const METHOD_WORDS: Record<PayoutMethodName, string> = {
  bank: "bank transfer",
  crypto: "crypto wallet",
  custom: "another way",
  paypal: "PayPal",
  wise: "Wise",
  dots: "Dots",
};

const fields = {
  id: integer(),
  promoter_id: integer(),
  method: text<PayoutMethodName>(),
  /** The destination of the money: an account, a wallet. */
  details: json<Record<string, unknown>>().personal({}).sealed(),
  meta: json<Record<string, unknown>>().personal({}).secret(),
  /** At most one of a promoter's methods is selected. */
  is_selected: flag(),
  is_disabled: flag(),
  is_managed: flag(),
  /**
   * The method that replaced it when its details changed. It is kept, unselected and disabled, for the
   * payouts that used it. Absent: it is current.
   */
  replaced_by_id: integer().optional(),
  /** When the promoter's money was redirected here. Absent: it is the promoter's first method. */
  changed_at: time().optional(),
  created_at: time(),
};

/** A way to pay a promoter. */
export type PayoutMethod = RowOf<typeof fields>;

/** A promoter can have only one selected method. */
export const payoutMethods = table("payout-method", fields, {
  derived: {
    /** The promoter whose selected method this is. */
    selected_by_id: ["integer", ({ promoter_id, is_selected }) => (is_selected ? promoter_id : null)],
  },
  unique: { selected: ["selected_by_id"] },
  indexes: { promoter: { on: ["promoter_id"] } },
  sealed: {
    // Otherwise an account could be given to another promoter by changing one number in the store.
    boundTo: ({ promoter_id }) => [promoter_id],
    isSecret: ({ details }) => Object.keys(details ?? {}).length > 0,
    without: (method) => ({ ...method, details: {} }),
  },
});

/** The payout method that a promoter has selected, or null. */
export function findSelectedPayoutMethod(
  reader: Reader,
  accountId: number,
  promoterId: number,
): Promise<PayoutMethod | null> {
  return reader.find(payoutMethods, "selected", accountId, [promoterId]);
}

/**
 * The same for a payout that begins to use the method. Changes of its details wait until the transaction has
 * ended, and then see that it is used.
 */
export async function lockSelectedPayoutMethod(
  tx: Transaction,
  accountId: number,
  promoterId: number,
): Promise<PayoutMethod | null> {
  const selected = await findSelectedPayoutMethod(tx, accountId, promoterId);
  return selected && tx.lock(payoutMethods, accountId, selected.id);
}

/** The payout method that each of some promoters has selected, or null. */
export async function readSelectedPayoutMethods(
  view: View,
  accountId: number,
  promoterIds: readonly number[],
): Promise<(promoterId: number) => PayoutMethod | null> {
  const methods = await findOwned(view, payoutMethods, {
    account_id: accountId,
    index: "promoter",
    ids: promoterIds,
  });
  return (promoterId) => methods(promoterId).find(({ is_selected }) => is_selected) ?? null;
}

/** Those of some promoters who have a payout method, or had one. */
export async function findPayees(
  view: View,
  accountId: number,
  promoterIds: readonly number[],
): Promise<Set<number>> {
  const query = view
    .query<Schema<{ payout_methods: typeof payoutMethods }>>()
    .selectFrom("payout_methods")
    .where("account_id", "=", accountId)
    .where(among("promoter_id", promoterIds))
    .groupBy("promoter_id")
    .select("promoter_id");
  return new Set((await view.rows(query)).map((row) => Number(row.promoter_id)));
}

/** @throws Failure `not_found` */
export async function loadPayoutMethod(reader: Reader, accountId: number, id: number): Promise<PayoutMethod> {
  const method = await reader.get(payoutMethods, accountId, id);
  if (method === null) throw new Failure("not_found", "Payout method not found.");
  return method;
}

/** Replaced payout methods are shown by their payouts only. */
export const IS_CURRENT = sql<SqlBool>`payout_methods.replaced_by_id is null`;
