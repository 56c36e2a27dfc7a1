import type { Store } from "../../storage/store.ts";
import { commissions, type Commission } from "../ledger/commission/commission.ts";
import { once } from "../show.ts";
import { findOriginName } from "../people/origin.ts";
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
      (refund) => ({ kind: "refund", at: refund.createdAt, refund }) as const,
    ),
    ...(await commissionEntries(store, earned)),
    ...(await payoutEntries(store, earned)),
  ];
  return entries.toSorted(
    (one, other) =>
      (one.at ?? "").localeCompare(other.at ?? "") || ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind),
  );
}

function latest<R extends { createdAt: string }>(
  store: Store,
  from: Parameters<typeof store.page<R, "lead">>[0],
  { accountId, id }: Lead,
): Promise<R[]> {
  return store.page(from, "lead", accountId, [id], { limit: MOST_OF_A_KIND, reverse: true });
}

async function clickOf(store: Store, { accountId, tid, origin }: Lead): Promise<TimelineEntry[]> {
  const visitor = tid === null ? null : await store.get(visitors, accountId, tid);
  if (origin === null && visitor === null) return [];
  const { sourceKey, pageKey } = origin ?? visitor?.origin ?? {};
  const source = await findOriginName(store, accountId, { kind: "source", key: sourceKey });
  const page = await findOriginName(store, accountId, { kind: "page", key: pageKey });
  return [{ kind: "click", at: visitor?.createdAt ?? null, visit: { source, page, visitor } }];
}

function ownEntries(lead: Lead): TimelineEntry[] {
  const cancelled = cancellationsOf(lead).slice(-MOST_OF_A_KIND);
  return [
    { kind: "signup", at: lead.createdAt },
    ...cancelled.map((at): TimelineEntry => ({ kind: "cancellation", at })),
  ];
}

async function saleEntries(store: Store, lead: Lead): Promise<TimelineEntry[]> {
  const rewardOf = once((id) => store.get(rewards, lead.accountId, id));
  const found = (await latest(store, sales, lead)).filter(({ isDuplicate }) => !isDuplicate);
  return Promise.all(
    found.map(async (sale) => ({
      kind: "sale",
      at: sale.createdAt,
      sale,
      referralReward: sale.referralRewardId === null ? null : await rewardOf(sale.referralRewardId),
    })),
  );
}

async function commissionEntries(store: Store, earned: Commission[]): Promise<TimelineEntry[]> {
  const ids = [...new Set(earned.map(({ promoterId }) => promoterId))];
  const accountId = earned[0]?.accountId ?? 0;
  const found = await Promise.all(ids.map((id) => store.get(promoters, accountId, id)));
  const byId = new Map(ids.map((id, at) => [id, found[at] ?? null]));
  return earned.map((commission) => ({
    kind: "commission",
    at: commission.createdAt,
    commission,
    promoter: byId.get(commission.promoterId) ?? null,
  }));
}

/** A payout is placed at its payment, and until then at its creation. */
async function payoutEntries(store: Store, earned: Commission[]): Promise<TimelineEntry[]> {
  const ids = new Set(earned.map(({ payoutId }) => payoutId).filter((id) => id !== null));
  const accountId = earned[0]?.accountId ?? 0;
  const found = await Promise.all([...ids].map((id) => store.get(payouts, accountId, id)));
  return found
    .filter((payout) => payout !== null)
    .map((payout) => ({ kind: "payout", at: payout.paidAt ?? payout.createdAt, payout }));
}
