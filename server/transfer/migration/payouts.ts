import { book } from "../../domain/ledger/books/entry.ts";
import { commissions, type Commission } from "../../domain/ledger/commission/commission.ts";
import {
  findSourceId,
  pictureOf,
  sourceIds,
  sourceIdsOf,
  type SourceId,
} from "../../domain/program/migration/source-id.ts";
import { payouts, payoutTerms, withTax, type Payout } from "../../domain/ledger/payout/payout.ts";
import { promoters } from "../../domain/people/promoter/promoter.ts";
import type { PromoterCampaign } from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import type { Result, Step } from "./keep.ts";
import type { SourceCommission, SourcePayout } from "./model.ts";
import { placeOf } from "./places.ts";

/** The payout of a commission: `new` if it is yet to be made, null if there is none. */
export async function findPart(
  step: Step,
  commission: SourceCommission,
  owner: PromoterCampaign,
): Promise<Payout | "new" | null> {
  const { status, isPaid, unit, payout_id } = commission;
  const said = payout_id === null ? undefined : step.plan.payouts.get(payout_id);
  const isEarned = status === "approved" || (status === "pending" && isPaid);
  // If the commission is paid but the payout is not, it was paid in another way.
  if (
    said === undefined ||
    !isEarned ||
    said.status === "cancelled" ||
    (isPaid && said.status !== "completed")
  )
    return null;
  const parts = await partsOf(step, await keptPayout(step, said));
  const isIts = (part: Payout) =>
    !isSettledHere(part, said) &&
    part.campaign_id === owner.campaign_id &&
    part.promoter_id === owner.promoter_id &&
    part.unit === unit;
  return parts.find(isIts) ?? "new";
}

/** Whether a payout was processed here, so that its sum must stay. */
function isSettledHere({ status, payments_batch_id }: Payout, said: SourcePayout | undefined): boolean {
  return payments_batch_id !== null || (status !== "pending" && status !== said?.status);
}

/** Whether the payout that a commission is in was settled here. */
export async function isInSettledPart(
  { tx, account, plan }: Step,
  { payout_id }: Commission,
  said: SourceCommission,
): Promise<boolean> {
  const part = payout_id === null ? null : await tx.get(payouts, account.id, payout_id);
  return part !== null && part.unit === "cash" && isSettledHere(part, plan.payouts.get(said.payout_id ?? ""));
}

/**
 * The same, but made if needed. Payouts here are for one promoter campaign and unit, so one of the source's may become
 * several. Commissions come before their payouts, so the first commission makes it.
 */
export async function payoutPartOf(
  step: Step,
  commission: SourceCommission,
  owner: PromoterCampaign,
): Promise<Payout | null> {
  const { tx, plan } = step;
  const found = await findPart(step, commission, owner);
  const said = plan.payouts.get(commission.payout_id ?? "");
  if (found !== "new" || said === undefined) return found === "new" ? null : found;
  const known = await keptPayout(step, said);
  const part = await newPart(step, said, { owner, unit: commission.unit, amount: 0 });
  await tx.insert(payouts, part);
  const before = await partsOf(step, known);
  const partIds = [...before, part].map(({ id }) => id);
  // What was edited here stays known as edited.
  const ownDigest = isAsKept(known, before) ? pictureOfParts([...before, part]) : known.own_digest;
  await tx.put(sourceIds, { ...known, part_ids: partIds, record_id: partIds[0]!, own_digest: ownDigest });
  return part;
}

/** The parts of a commission that an import sets. */
export function pictureOfCommission(commission: Commission): unknown {
  const { promoter_campaign_id, status, unit, amount, payout_id, is_paid_elsewhere } = commission;
  return [promoter_campaign_id, status, unit, amount, payout_id, is_paid_elsewhere];
}

/** Moves a commission to another payout, and changes the sums of both. */
export async function moveInto(
  step: Step,
  commission: Commission,
  { part, before }: { part: Pick<Payout, "id"> | null; before: Commission | null },
): Promise<Commission> {
  if (before !== null && before.payout_id !== null) await add(step, before.payout_id, -before.amount);
  if (part !== null) await add(step, part.id, commission.amount);
  const isPaidElsewhere = commission.is_paid_elsewhere && part === null;
  return { ...commission, payout_id: part?.id ?? null, is_paid_elsewhere: isPaidElsewhere };
}

/** Imports a payout's own data after its commissions. */
export async function importPayout(step: Step, said: SourcePayout): Promise<Result> {
  const { tx } = step;
  const sourceDigest = pictureOf(said);
  const known = await keptPayout(step, said);
  if (known.source_digest === sourceDigest) return { outcome: "known" };
  const parts = await partsOf(step, known);
  if (parts.length === 0) return addWithout(step, said, { ...known, source_digest: sourceDigest });
  const isNew = known.source_digest === NOT_YET;
  const wanted = parts.map((part) => ({ ...part, ...stateOf(said) }));
  const isSame = pictureOfParts(wanted) === pictureOfParts(parts);
  if (!isSame && !isAsKept(known, parts))
    return {
      outcome: "edited",
      remark: `payout ${said.id}: it changed there and here, so it stays as it is here`,
    };
  if (!isSame && said.status === "cancelled")
    return cancelParts(step, parts, { ...known, source_digest: sourceDigest });
  if (!isSame) for (const [at, part] of wanted.entries()) await putPart(step, parts[at]!, part);
  const partIds = parts.map(({ id }) => id);
  const recordId = partIds[0]!;
  await tx.put(sourceIds, {
    ...known,
    part_ids: partIds,
    record_id: recordId,
    source_digest: sourceDigest,
    own_digest: pictureOfParts(wanted),
  });
  return { outcome: isNew ? "added" : isSame ? "known" : "changed" };
}

/** The digest of a payout whose own record was not imported yet. */
const NOT_YET = "-";

async function keptPayout({ tx, account, program }: Step, { id }: SourcePayout): Promise<SourceId> {
  const name = { program, kind: "payout" as const, source_id: id };
  const known = await findSourceId(tx, account.id, name);
  const blank = {
    account_id: account.id,
    ...name,
    record_id: 0,
    source_digest: NOT_YET,
    own_digest: pictureOfParts([]),
  };
  return known ?? blank;
}

async function partsOf({ tx, account }: Step, { part_ids = [] }: SourceId): Promise<Payout[]> {
  const found: Payout[] = [];
  for (const id of part_ids) {
    const part = await tx.get(payouts, account.id, id);
    if (part !== null) found.push(part);
  }
  return found;
}

function pictureOfParts(parts: Pick<Payout, "id" | "status" | "paid_at" | "error">[]): string {
  return pictureOf(parts.map(({ id, status, paid_at, error }) => [id, status, paid_at, error]));
}

/** Whether the parts of a payout are as an import left them. One that it emptied was pending, and has gone with that. */
function isAsKept({ part_ids = [], own_digest }: SourceId, parts: Payout[]): boolean {
  const emptied = (id: number) => ({ id, status: "pending", paid_at: null, error: null }) as const;
  const withEmptied = part_ids.map((id) => parts.find((part) => part.id === id) ?? emptied(id));
  return pictureOfParts(parts) === own_digest || pictureOfParts(withEmptied) === own_digest;
}

/** A payout without commissions. Only a cancelled one is one here, because the sum of any other would be nothing. */
async function addWithout(step: Step, said: SourcePayout, row: SourceId): Promise<Result> {
  const { tx } = step;
  const isNew = (await findSourceId(tx, row.account_id, row)) === null;
  const owner = said.status === "cancelled" && said.amount >= 0 ? await placeOf(step, said) : null;
  if (owner === null) {
    if (!isNew) return { outcome: "known" };
    const remark = `payout ${said.id} names no commissions that it pays, so it is none here`;
    return said.amount === 0 ? { outcome: "known" } : { outcome: "left_out", remark };
  }
  const part = await newPart(step, said, { owner, unit: said.unit, amount: said.amount });
  await tx.insert(payouts, part);
  await tx.put(sourceIds, {
    ...row,
    part_ids: [part.id],
    record_id: part.id,
    own_digest: pictureOfParts([part]),
  });
  return { outcome: "added" };
}

/** A cancelled payout pays nothing, so its commissions are owed again. */
async function cancelParts(step: Step, parts: Payout[], row: SourceId): Promise<Result> {
  const { tx, account } = step;
  const cancelled = parts.map((part): Payout => ({ ...part, status: "cancelled", paid_at: null }));
  for (const [at, part] of cancelled.entries()) {
    for (const { id } of await tx.view.list(commissions, "payout", account.id, [part.id]))
      await free(step, id);
    await putPart(step, parts[at]!, part);
  }
  await tx.put(sourceIds, { ...row, own_digest: pictureOfParts(cancelled) });
  return { outcome: "changed" };
}

async function free({ tx, account }: Step, id: number): Promise<void> {
  const commission = await tx.get(commissions, account.id, id);
  if (commission === null) return;
  const after = { ...commission, payout_id: null };
  await tx.put(commissions, after);
  for (const row of await sourceIdsOf(tx.view, account.id, { kind: "commission", record_id: id })) {
    // Edited records stay marked as edited.
    if (row.own_digest === pictureOf(pictureOfCommission(commission)))
      await tx.put(sourceIds, { ...row, own_digest: pictureOf(pictureOfCommission(after)) });
  }
}

async function newPart(
  step: Step,
  said: SourcePayout,
  { owner, unit, amount }: { owner: PromoterCampaign; unit: Payout["unit"]; amount: number },
): Promise<Payout> {
  const { tx, context, account } = step;
  const promoter = await tx.get(promoters, account.id, owner.promoter_id);
  if (promoter === null) throw new Error(`Promoter ${owner.promoter_id} is gone`);
  const start = said.period_start ?? said.created_at;
  const end = said.period_end ?? said.created_at;
  return {
    account_id: account.id,
    id: await context.store.nextId("payout"),
    promoter_campaign_id: owner.id,
    promoter_id: owner.promoter_id,
    campaign_id: owner.campaign_id,
    ...payoutTerms({ unit, amount }, { start, end: end < start ? start : end }, { ...account, promoter }),
    has_own_terms: true,
    run_id: null,
    group_ref: null,
    payments_batch_id: null,
    payout_method_id: null,
    ...stateOf(said),
    created_at: said.created_at,
  };
}

function stateOf({ status, error, paid_at, created_at }: SourcePayout) {
  return {
    status,
    error,
    paid_at: status === "completed" ? (paid_at ?? created_at) : null,
    processing_started_at: status === "processing" ? created_at : null,
    failed_at: status === "failed" ? created_at : null,
  };
}

async function putPart({ tx, context }: Step, before: Payout, after: Payout): Promise<void> {
  await tx.put(payouts, after);
  await book(tx, { ...context, isHistory: true }, { entity: "payout", before, after });
}

/** Changes the sum of a payout. An untouched payout without commissions is deleted. */
async function add(step: Step, id: number, amount: number): Promise<void> {
  const { tx, account } = step;
  const payout = await tx.get(payouts, account.id, id);
  if (payout === null) return;
  const sum = payout.amount + amount;
  const isEmpty =
    amount < 0 && sum === 0 && (await tx.view.count(commissions, "payout", account.id, [id])) <= 1;
  if (isEmpty && payout.status === "pending") return tx.remove(payouts, account.id, id);
  const totalInclTax = withTax(sum, payout.tax_rate_hundredths);
  await putPart(step, payout, { ...payout, amount: sum, total_incl_tax: totalInclTax });
}
