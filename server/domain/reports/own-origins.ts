import { sql, type SqlBool } from "kysely";
import { isWithin, type Schema } from "../../storage/query.ts";
import type { View } from "../../storage/store.ts";
import type { commissions } from "../ledger/commission/commission.ts";
import type { sales } from "../ledger/sale/sale.ts";
import { ownClicksQuery } from "../people/daily.ts";
import { leads } from "../people/lead/lead.ts";
import { findOriginName, NO_VISIT, type OriginKind } from "../people/origin.ts";
import { isoRange } from "../span.ts";
import { promoCodes } from "../people/promo-code/promo-code.ts";
import type { Promoter } from "../people/promoter/promoter.ts";
import { addDays, periodsOf, type Period } from "./figures.ts";

/** The clicks from a source or to a landing page, and what its leads, or those with a promo code, have brought their promoter. */
export interface OwnOrigin {
  name: string;
  /** 0 for a promo code, because only links have clicks. */
  clicks: number;
  referrals: number;
  customers: number;
  sales: number;
  sales_cents: number;
  earnings_cents: number;
}

type OriginSchema = Schema<{ leads: typeof leads; sales: typeof sales; commissions: typeof commissions }>;
type Sums = Omit<OwnOrigin, "name">;
type Row = { key: string | null } & { [Name in keyof Sums]?: number | string };

/**
 * A promoter's own clicks and leads in a range of days, with their sales and what these earned the promoter, by source or by
 * landing page. Those that earned most come first. The cost depends on the promoter's leads and on the days with clicks,
 * because each figure is read by an index that begins with their promoter or with the lead.
 *
 * @throws Failure `invalid` if the range ends before it begins
 */
export async function reportOwnOrigins(
  view: View,
  { account_id, id: promoterId }: Pick<Promoter, "account_id" | "id">,
  { kind, range }: { kind: OriginKind; range: Period },
): Promise<OwnOrigin[]> {
  periodsOf(range, "year");
  const rows = await readRows(view, { account_id, promoter_id: promoterId, kind, range });
  // A forgotten name counts as "other".
  return addedByName(rows, (key) =>
    findOriginName(view, account_id, { kind, key: key ?? NO_VISIT[`${kind}_key`] }),
  );
}

/**
 * The sales with a promoter's own promo codes in a range of days, and what they earned the promoter. The leads are those
 * who bought. Codes of sales that an older release recorded are not known.
 *
 * @throws Failure `invalid` if the range ends before it begins
 */
export async function reportOwnCodes(
  view: View,
  { account_id, id: promoterId }: Pick<Promoter, "account_id" | "id">,
  range: Period,
): Promise<OwnOrigin[]> {
  periodsOf(range, "year");
  const rows = await readCodeRows(view, { account_id, promoter_id: promoterId, range });
  return addedByName(
    rows,
    async (id) => (await view.get(promoCodes, account_id, Number(id)))?.code ?? `#${id}`,
  );
}

/** Adds up rows by the names of their keys, and puts those first that earned most. */
async function addedByName(
  rows: Row[],
  nameOf: (key: string | null) => Promise<string>,
): Promise<OwnOrigin[]> {
  const found = new Map<string, Sums>();
  // Together, because a server of Postgres answers many reads in one round trip.
  const names = await Promise.all(rows.map(({ key }) => nameOf(key)));
  for (const [at, row] of rows.entries()) {
    const name = names[at]!;
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
        other.earnings_cents - one.earnings_cents ||
        other.referrals - one.referrals ||
        other.clicks - one.clicks ||
        (one.name < other.name ? -1 : 1),
    );
}

const NOTHING: Sums = { clicks: 0, referrals: 0, customers: 0, sales: 0, sales_cents: 0, earnings_cents: 0 };

function sumsOf(of: (figure: keyof Sums) => number): Sums {
  return {
    clicks: of("clicks"),
    referrals: of("referrals"),
    customers: of("customers"),
    sales: of("sales"),
    sales_cents: of("sales_cents"),
    earnings_cents: of("earnings_cents"),
  };
}

interface Days {
  from: string;
  before: string;
}

interface Wanted {
  account_id: number;
  promoter_id: number;
  range: Period;
}

/** The sums of each key: of clicks, of leads, of their sales, and of the commissions in cash that were approved. */
async function readRows(view: View, { kind, ...wanted }: Wanted & { kind: OriginKind }): Promise<Row[]> {
  const { account_id, promoter_id, range } = wanted;
  const days = daysOf(wanted);
  const byClick = ownClicksQuery(view, { account_id, promoter_id, kind })
    .where("daily.day", ">=", range.from)
    .where("daily.day", "<=", range.to);
  const key = sql<string | null>`${sql.ref(`leads.${kind}_key`)}`;
  const own = ownLeads(view, wanted).groupBy(key).select(key.as("key"));
  const byLead = own.select([
    countedIn("leads.created_at", days).as("referrals"),
    countedIn("leads.customer_since", days).as("customers"),
  ]);
  const bySale = ownSales(view, wanted)
    .groupBy(key)
    .select([key.as("key"), ...SALE_SUMS]);
  const byCommission = own
    .innerJoin("commissions", (join) =>
      join
        .onRef("commissions.account_id", "=", "leads.account_id")
        .onRef("commissions.lead_id", "=", "leads.id"),
    )
    .where("commissions.promoter_id", "=", promoter_id)
    .where(EARNED)
    .where(isWithin("commissions.created_at", days))
    .select(sql<number>`sum(commissions.amount)`.as("earnings_cents"));
  const [clickRows, leadRows, saleRows, commissionRows] = await Promise.all([
    view.rows(byClick),
    view.rows(byLead),
    view.rows(bySale),
    view.rows(byCommission),
  ]);
  return [...clickRows, ...leadRows, ...saleRows, ...commissionRows];
}

/** The sums of each promo code: of the sales with it, and of the commissions in cash that were approved. */
async function readCodeRows(view: View, wanted: Wanted): Promise<Row[]> {
  const days = daysOf(wanted);
  const key = sql<string>`cast(sales.promo_code_id as text)`;
  const bySale = ownSales(view, wanted)
    .where(sql<SqlBool>`${key} is not null`)
    .groupBy(key)
    .select([key.as("key"), ...SALE_SUMS])
    .select([
      sql<number>`count(distinct leads.id)`.as("referrals"),
      sql<number>`count(distinct case when ${isWithin("leads.customer_since", days)} then leads.id end)`.as(
        "customers",
      ),
    ]);
  const byCommission = ownLeads(view, wanted)
    .innerJoin("commissions", (join) =>
      join
        .onRef("commissions.account_id", "=", "leads.account_id")
        .onRef("commissions.lead_id", "=", "leads.id"),
    )
    .innerJoin("sales", (join) =>
      join.onRef("sales.account_id", "=", "leads.account_id").onRef("sales.id", "=", "commissions.sale_id"),
    )
    .where(sql<SqlBool>`${key} is not null`)
    .where("commissions.promoter_id", "=", wanted.promoter_id)
    .where(EARNED)
    .where(isWithin("commissions.created_at", days))
    .groupBy(key)
    .select([key.as("key"), sql<number>`sum(commissions.amount)`.as("earnings_cents")]);
  const [saleRows, commissionRows] = await Promise.all([view.rows(bySale), view.rows(byCommission)]);
  return [...saleRows, ...commissionRows];
}

const EARNED = sql<SqlBool>`commissions.status = 'approved' and commissions.unit = 'cash'`;
const SALE_SUMS = [
  sql<number>`sum(case when sales.is_duplicate then 0 else 1 end)`.as("sales"),
  sql<number>`sum(sales.amount_cents)`.as("sales_cents"),
] as const;

function daysOf({ range }: Wanted): Days {
  return isoRange({ from: Date.parse(range.from), before: Date.parse(addDays(range.to, 1)) });
}

function countedIn(column: string, days: Days) {
  return sql<number>`sum(case when ${isWithin(column, days)} then 1 else 0 end)`;
}

/** The leads of a promoter that are in use. */
function ownLeads(view: View, { account_id, promoter_id }: Wanted) {
  return view
    .query<OriginSchema>()
    .selectFrom("leads")
    .where("leads.account_id", "=", account_id)
    .where("leads.promoter_id", "=", promoter_id)
    .where("leads.archived_at", "is", null);
}

/** Their sales in the range. */
function ownSales(view: View, wanted: Wanted) {
  return ownLeads(view, wanted)
    .innerJoin("sales", (join) =>
      join.onRef("sales.account_id", "=", "leads.account_id").onRef("sales.lead_id", "=", "leads.id"),
    )
    .where("sales.promoter_id", "=", wanted.promoter_id)
    .where(isWithin("sales.created_at", daysOf(wanted)));
}
