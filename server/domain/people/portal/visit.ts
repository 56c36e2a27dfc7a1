import type { Transaction } from "../../../storage/store.ts";
import type { Context } from "../../context.ts";
import { loadPromoterTotals } from "../daily.ts";
import { loadPromoter, promoters, type PortalVisit, type Promoter } from "../promoter/promoter.ts";

/** Later calls belong to the same visit, so that a reload of the page doesn't hide what is new. */
const VISIT_MS = 4 * 60 * 60 * 1_000;

/** A promoter's totals, over all days. */
type Totals = PortalVisit["totals"];

const COUNTED = [
  "clicks",
  "referrals",
  "commissions",
  "earnings_cents",
  "paid_cents",
] as const satisfies (keyof Totals)[];

/** What has been added since a promoter's last visit. */
export interface News {
  /** When they were there last. */
  since: string;
  added: Totals;
}

/**
 * Notes that a promoter looks at their portal, once in four hours. Resolves to what was added since the visit before, or null
 * on their first one.
 *
 * @throws Failure `not_found`
 */
export function noteVisit(context: Context, promoter: Promoter): Promise<News | null> {
  return context.store.transact(async (tx) => {
    const current = await loadPromoter(tx, promoter.account_id, promoter.id);
    const totals = await totalsOf(tx, current);
    const { visit } = current;
    const isSame = visit !== undefined && context.now.getTime() - Date.parse(visit.at) < VISIT_MS;
    const before = isSame ? visit.before : visit && { at: visit.at, totals: visit.totals };
    if (!isSame) {
      const now = { at: context.now.toISOString(), totals, ...(before && { before }) };
      await tx.put(promoters, { ...current, visit: now });
    }
    return before === undefined ? null : { since: before.at, added: difference(totals, before.totals) };
  });
}

async function totalsOf(tx: Transaction, { account_id, id }: Promoter): Promise<Totals> {
  const totals = await loadPromoterTotals(tx.view, account_id, id);
  return Object.fromEntries(COUNTED.map((name) => [name, totals[name]])) as Totals;
}

/** Nothing is less than before: what was taken back since is no news to begin with. */
function difference(totals: Totals, before: Totals): Totals {
  const added = COUNTED.map((name) => [name, Math.max(0, totals[name] - before[name])]);
  return Object.fromEntries(added) as Totals;
}
