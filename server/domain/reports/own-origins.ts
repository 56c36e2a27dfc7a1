import { sql, type SqlBool } from "kysely";
import { isWithin, type Schema } from "../../storage/query.ts";
import type { View } from "../../storage/store.ts";
import type { commissions } from "../ledger/commission/commission.ts";
import type { sales } from "../ledger/sale/sale.ts";
import { leads } from "../people/lead/lead.ts";
import { findOriginName, NO_VISIT, type OriginKind } from "../people/origin.ts";
import type { Promoter } from "../people/promoter/promoter.ts";
import { addDays, periodsOf, type Period } from "./figures.ts";

/** What the leads from a source, or of a landing page, have brought their promoter. */
export interface OwnOrigin {
  name: string;
  referrals: number;
  customers: number;
  sales: number;
  salesCents: number;
  earningsCents: number;
}

type OriginSchema = Schema<{ leads: typeof leads; sales: typeof sales; commissions: typeof commissions }>;
type Sums = Omit<OwnOrigin, "name">;
type Row = { key: string | null } & { [Name in keyof Sums]?: number | string };

/**
 * A promoter's own leads in a range of days, with their sales and what these earned the promoter, by source or by landing
 * page. Those that earned most come first. The cost depends on the promoter's leads alone, because each figure is read by
 * an index that begins with their promoter or with the lead.
 *
 * @throws Failure `invalid` if the range ends before it begins
 */
export async function reportOwnOrigins(
  view: View,
  { accountId, id: promoterId }: Pick<Promoter, "accountId" | "id">,
  { kind, range }: { kind: OriginKind; range: Period },
): Promise<OwnOrigin[]> {
  periodsOf(range, "year");
  const found = new Map<string, Sums>();
  for (const row of await readRows(view, { accountId, promoterId, kind, range })) {
    const key = row.key ?? NO_VISIT[`${kind}Key`];
    // A forgotten name counts as "other".
    const name = await findOriginName(view, accountId, { kind, key });
    const sums = found.get(name) ?? NOTHING;
    found.set(
      name,
      sumsOf((figure) => sums[figure] + Number(row[figure] ?? 0)),
    );
  }
  return [...found]
    .filter(([, sums]) => Object.values(sums).some((sum) => sum !== 0))
    .map(([name, sums]) => ({ name, ...sums }))
    .toSorted(
      (one, other) =>
        other.earningsCents - one.earningsCents ||
        other.referrals - one.referrals ||
        (one.name < other.name ? -1 : 1),
    );
}

const NOTHING: Sums = { referrals: 0, customers: 0, sales: 0, salesCents: 0, earningsCents: 0 };

function sumsOf(of: (figure: keyof Sums) => number): Sums {
  return {
    referrals: of("referrals"),
    customers: of("customers"),
    sales: of("sales"),
    salesCents: of("salesCents"),
    earningsCents: of("earningsCents"),
  };
}

interface Wanted {
  accountId: number;
  promoterId: number;
  kind: OriginKind;
  range: Period;
}

/** The sums of each key: of leads, of their sales, and of the commissions in cash that were approved. */
async function readRows(view: View, { accountId, promoterId, kind, range }: Wanted): Promise<Row[]> {
  const days = { from: range.from, before: addDays(range.to, 1) };
  const key = `leads.${kind}_key` as const;
  const own = view
    .query<OriginSchema>()
    .selectFrom("leads")
    .where("leads.account_id", "=", accountId)
    .where("leads.promoter_id", "=", promoterId)
    .where("leads.archived_at", "is", null)
    .groupBy(key)
    .select(sql<string | null>`${sql.ref(key)}`.as("key"));
  const counted = (column: string) => sql<number>`sum(case when ${isWithin(column, days)} then 1 else 0 end)`;
  const byLead = own.select([
    counted("leads.created_at").as("referrals"),
    counted("leads.customer_since").as("customers"),
  ]);
  const bySale = own
    .innerJoin("sales", (join) =>
      join.onRef("sales.account_id", "=", "leads.account_id").onRef("sales.lead_id", "=", "leads.id"),
    )
    .where("sales.promoter_id", "=", promoterId)
    .where(isWithin("sales.created_at", days))
    .select([
      sql<number>`sum(case when sales.is_duplicate = 1 then 0 else 1 end)`.as("sales"),
      sql<number>`sum(sales.amount_cents)`.as("salesCents"),
    ]);
  const byCommission = own
    .innerJoin("commissions", (join) =>
      join
        .onRef("commissions.account_id", "=", "leads.account_id")
        .onRef("commissions.lead_id", "=", "leads.id"),
    )
    .where("commissions.promoter_id", "=", promoterId)
    .where(sql<SqlBool>`commissions.status = 'approved' and commissions.unit = 'cash'`)
    .where(isWithin("commissions.created_at", days))
    .select(sql<number>`sum(commissions.amount)`.as("earningsCents"));
  const [leadRows, saleRows, commissionRows] = await Promise.all([
    view.rows(byLead),
    view.rows(bySale),
    view.rows(byCommission),
  ]);
  return [...leadRows, ...saleRows, ...commissionRows];
}
