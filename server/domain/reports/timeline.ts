import type { Store } from "../../storage/store.ts";
import { commissions, type Commission } from "../ledger/commission/commission.ts";
import { once } from "../show.ts";
import { findOriginName, originKeys } from "../people/origin.ts";
import { payouts, type Payout } from "../ledger/payout/payout.ts";
import { promoters, type Promoter } from "../people/promoter/promoter.ts";
import { rewards, type Reward } from "../program/reward/reward.ts";
import { refunds, sales, type Refund, type Sale } from "../ledger/sale/sale.ts";
import { visitors, type Visitor } from "../people/visitor/visitor.ts";
import { cancellationsOf } from "../people/lead/customer.ts";
import type { Lead } from "../people/lead/lead.ts";

/** A weekly payer fills four years with them, and a page shows no more. */
const MOST_OF_A_KIND = 200;

/** The visit by which a lead came. Of an expired visitor only the source and the page are left. */
export interface Visit {
  source: string;
  page: string;
  /** Null if the visitor has expired. */
  visitor: Visitor | null;
}

/** An event in a lead's history. */
export type TimelineEntry =
  | { kind: "click"; at: string | null; visit: Visit }
  | { kind: "signup" | "cancellation"; at: string }
  | { kind: "sale"; at: string; sale: Sale; referralReward: Reward | null }
  | { kind: "refund"; at: string; refund: Refund }
  | { kind: "commission"; at: string; commission: Commission; promoter: Promoter | null }
  | { kind: "payout"; at: string; payout: Payout };

/** Events of one instant come in this order. */
const ORDER: TimelineEntry["kind"][] = [
  "click",
  "signup",
  "sale",
  "refund",
  "commission",
  "cancellation",
  "payout",
];

/** The history of a lead, oldest first: of each kind the latest 200. */
export async function loadTimeline(store: Store, lead: Lead): Promise<TimelineEntry[]> {
  const earned = await latest(store, commissions, lead);
  const entries = [
    ...(await clickOf(store, lead)),
    ...ownEntries(lead),
    ...(await saleEntries(store, lead)),
    ...(await latest(store, refunds, lead)).map(
      (refund) => ({ kind: "refund", at: refund.created_at, refund }) as const,
    ),
    ...(await commissionEntries(store, earned)),
    ...(await payoutEntries(store, earned)),
  ];
  return entries.toSorted(
    (one, other) =>
      (one.at ?? "").localeCompare(other.at ?? "") || ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind),
  );
}

function latest<R extends { created_at: string }>(
  store: Store,
  from: Parameters<typeof store.page<R, "lead">>[0],
  { account_id, id }: Lead,
): Promise<R[]> {
  return store.page(from, "lead", account_id, [id], { limit: MOST_OF_A_KIND, reverse: true });
}

async function clickOf(store: Store, lead: Lead): Promise<TimelineEntry[]> {
  const { account_id, tid } = lead;
  const visitor = tid === null ? null : await store.get(visitors, account_id, tid);
  if (lead.source_key === null && visitor === null) return [];
  const named = originKeys(lead.source_key === null ? visitor! : lead);
  const [source, page] = await Promise.all(
    named.map(([kind, key]) => findOriginName(store, account_id, { kind, key })),
  );
  return [
    { kind: "click", at: visitor?.created_at ?? null, visit: { source: source!, page: page!, visitor } },
  ];
}

function ownEntries(lead: Lead): TimelineEntry[] {
  const cancelled = cancellationsOf(lead).slice(-MOST_OF_A_KIND);
  return [
    { kind: "signup", at: lead.created_at },
    ...cancelled.map((at): TimelineEntry => ({ kind: "cancellation", at })),
  ];
}

async function saleEntries(store: Store, lead: Lead): Promise<TimelineEntry[]> {
  const rewardOf = once((id) => store.get(rewards, lead.account_id, id));
  const found = (await latest(store, sales, lead)).filter(({ is_duplicate }) => !is_duplicate);
  return Promise.all(
    found.map(async (sale) => ({
      kind: "sale",
      at: sale.created_at,
      sale,
      referralReward: sale.referral_reward_id === null ? null : await rewardOf(sale.referral_reward_id),
    })),
  );
}

async function commissionEntries(store: Store, earned: Commission[]): Promise<TimelineEntry[]> {
  const ids = [...new Set(earned.map(({ promoter_id }) => promoter_id))];
  const accountId = earned[0]?.account_id ?? 0;
  const found = await Promise.all(ids.map((id) => store.get(promoters, accountId, id)));
  const byId = new Map(ids.map((id, at) => [id, found[at] ?? null]));
  return earned.map((commission) => ({
    kind: "commission",
    at: commission.created_at,
    commission,
    promoter: byId.get(commission.promoter_id) ?? null,
  }));
}

/** A payout is placed at its payment, and until then at its creation. */
async function payoutEntries(store: Store, earned: Commission[]): Promise<TimelineEntry[]> {
  const ids = new Set(earned.map(({ payout_id }) => payout_id).filter((id) => id !== null));
  const accountId = earned[0]?.account_id ?? 0;
  const found = await Promise.all([...ids].map((id) => store.get(payouts, accountId, id)));
  return found
    .filter((payout) => payout !== null)
    .map((payout) => ({ kind: "payout", at: payout.paid_at ?? payout.created_at, payout }));
}
