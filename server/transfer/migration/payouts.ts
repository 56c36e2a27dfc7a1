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
  const { status, isPaid, unit, payoutId } = commission;
  const said = payoutId === null ? undefined : step.plan.payouts.get(payoutId);
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
    part.campaignId === owner.campaignId &&
    part.promoterId === owner.promoterId &&
    part.unit === unit;
  return parts.find(isIts) ?? "new";
}

/** Whether a payout was processed here, so that its sum must stay. */
function isSettledHere({ status, paymentsBatchId }: Payout, said: SourcePayout | undefined): boolean {
  return paymentsBatchId !== null || (status !== "pending" && status !== said?.status);
}

/** Whether the payout that a commission is in was settled here. */
export async function isInSettledPart(
  { tx, account, plan }: Step,
  { payoutId }: Commission,
  said: SourceCommission,
): Promise<boolean> {
  const part = payoutId === null ? null : await tx.get(payouts, account.id, payoutId);
  return part !== null && part.unit === "cash" && isSettledHere(part, plan.payouts.get(said.payoutId ?? ""));
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
  const said = plan.payouts.get(commission.payoutId ?? "");
  if (found !== "new" || said === undefined) return found === "new" ? null : found;
  const known = await keptPayout(step, said);
  const part = await newPart(step, said, { owner, unit: commission.unit, amount: 0 });
  await tx.insert(payouts, part);
  const before = await partsOf(step, known);
  const partIds = [...before, part].map(({ id }) => id);
  // What was edited here stays known as edited.
  const ownDigest = isAsKept(known, before) ? pictureOfParts([...before, part]) : known.ownDigest;
  await tx.put(sourceIds, { ...known, partIds, recordId: partIds[0]!, ownDigest });
  return part;
}

/** The parts of a commission that an import sets. */
export function pictureOfCommission(commission: Commission): unknown {
  const { promoterCampaignId, status, unit, amount, payoutId, isPaidElsewhere } = commission;
  return [promoterCampaignId, status, unit, amount, payoutId, isPaidElsewhere];
}

/** Moves a commission to another payout, and changes the sums of both. */
export async function moveInto(
  step: Step,
  commission: Commission,
  { part, before }: { part: Pick<Payout, "id"> | null; before: Commission | null },
): Promise<Commission> {
  if (before !== null && before.payoutId !== null) await add(step, before.payoutId, -before.amount);
  if (part !== null) await add(step, part.id, commission.amount);
  const isPaidElsewhere = commission.isPaidElsewhere && part === null;
  return { ...commission, payoutId: part?.id ?? null, isPaidElsewhere };
}

/** Imports a payout's own data after its commissions. */
export async function importPayout(step: Step, said: SourcePayout): Promise<Result> {
  const { tx } = step;
  const sourceDigest = pictureOf(said);
  const known = await keptPayout(step, said);
  if (known.sourceDigest === sourceDigest) return { outcome: "known" };
  const parts = await partsOf(step, known);
  if (parts.length === 0) return addWithout(step, said, { ...known, sourceDigest });
  const isNew = known.sourceDigest === NOT_YET;
  const wanted = parts.map((part) => ({ ...part, ...stateOf(said) }));
  const isSame = pictureOfParts(wanted) === pictureOfParts(parts);
  if (!isSame && !isAsKept(known, parts))
    return {
      outcome: "edited",
      remark: `payout ${said.id}: it changed there and here, so it stays as it is here`,
    };
  if (!isSame && said.status === "cancelled") return cancelParts(step, parts, { ...known, sourceDigest });
  if (!isSame) for (const [at, part] of wanted.entries()) await putPart(step, parts[at]!, part);
  const partIds = parts.map(({ id }) => id);
  const recordId = partIds[0]!;
  await tx.put(sourceIds, { ...known, partIds, recordId, sourceDigest, ownDigest: pictureOfParts(wanted) });
  return { outcome: isNew ? "added" : isSame ? "known" : "changed" };
}

/** The digest of a payout whose own record was not imported yet. */
const NOT_YET = "-";

async function keptPayout({ tx, account, program }: Step, { id }: SourcePayout): Promise<SourceId> {
  const name = { program, kind: "payout" as const, sourceId: id };
  const known = await findSourceId(tx, account.id, name);
  const blank = {
    accountId: account.id,
    ...name,
    recordId: 0,
    sourceDigest: NOT_YET,
    ownDigest: pictureOfParts([]),
  };
  return known ?? blank;
}

async function partsOf({ tx, account }: Step, { partIds = [] }: SourceId): Promise<Payout[]> {
  const found: Payout[] = [];
  for (const id of partIds) {
    const part = await tx.get(payouts, account.id, id);
    if (part !== null) found.push(part);
  }
  return found;
}

function pictureOfParts(parts: Pick<Payout, "id" | "status" | "paidAt" | "error">[]): string {
  return pictureOf(parts.map(({ id, status, paidAt, error }) => [id, status, paidAt, error]));
}

/** Whether the parts of a payout are as an import left them. One that it emptied was pending, and has gone with that. */
function isAsKept({ partIds = [], ownDigest }: SourceId, parts: Payout[]): boolean {
  const emptied = (id: number) => ({ id, status: "pending", paidAt: null, error: null }) as const;
  const withEmptied = partIds.map((id) => parts.find((part) => part.id === id) ?? emptied(id));
  return pictureOfParts(parts) === ownDigest || pictureOfParts(withEmptied) === ownDigest;
}

/** A payout without commissions. Only a cancelled one is one here, because the sum of any other would be nothing. */
async function addWithout(step: Step, said: SourcePayout, row: SourceId): Promise<Result> {
  const { tx } = step;
  const isNew = (await findSourceId(tx, row.accountId, row)) === null;
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
    partIds: [part.id],
    recordId: part.id,
    ownDigest: pictureOfParts([part]),
  });
  return { outcome: "added" };
}

/** A cancelled payout pays nothing, so its commissions are owed again. */
async function cancelParts(step: Step, parts: Payout[], row: SourceId): Promise<Result> {
  const { tx, account } = step;
  const cancelled = parts.map((part): Payout => ({ ...part, status: "cancelled", paidAt: null }));
  for (const [at, part] of cancelled.entries()) {
    for (const { id } of await tx.view.list(commissions, "payout", account.id, [part.id]))
      await free(step, id);
    await putPart(step, parts[at]!, part);
  }
  await tx.put(sourceIds, { ...row, ownDigest: pictureOfParts(cancelled) });
  return { outcome: "changed" };
}

async function free({ tx, account }: Step, id: number): Promise<void> {
  const commission = await tx.get(commissions, account.id, id);
  if (commission === null) return;
  const after = { ...commission, payoutId: null };
  await tx.put(commissions, after);
  for (const row of await sourceIdsOf(tx.view, account.id, { kind: "commission", recordId: id })) {
    // Edited records stay marked as edited.
    if (row.ownDigest === pictureOf(pictureOfCommission(commission)))
      await tx.put(sourceIds, { ...row, ownDigest: pictureOf(pictureOfCommission(after)) });
  }
}

async function newPart(
  step: Step,
  said: SourcePayout,
  { owner, unit, amount }: { owner: PromoterCampaign; unit: Payout["unit"]; amount: number },
): Promise<Payout> {
  const { tx, context, account } = step;
  const promoter = await tx.get(promoters, account.id, owner.promoterId);
  if (promoter === null) throw new Error(`Promoter ${owner.promoterId} is gone`);
  const start = said.periodStart ?? said.createdAt;
  const end = said.periodEnd ?? said.createdAt;
  return {
    accountId: account.id,
    id: await context.store.nextId("payout"),
    promoterCampaignId: owner.id,
    promoterId: owner.promoterId,
    campaignId: owner.campaignId,
    ...payoutTerms({ unit, amount }, { start, end: end < start ? start : end }, { ...account, promoter }),
    hasOwnTerms: true,
    runId: null,
    groupRef: null,
    paymentsBatchId: null,
    payoutMethodId: null,
    ...stateOf(said),
    createdAt: said.createdAt,
  };
}

function stateOf({ status, error, paidAt, createdAt }: SourcePayout) {
  return {
    status,
    error,
    paidAt: status === "completed" ? (paidAt ?? createdAt) : null,
    processingStartedAt: status === "processing" ? createdAt : null,
    failedAt: status === "failed" ? createdAt : null,
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
  const totalInclTax = withTax(sum, payout.taxRateHundredths);
  await putPart(step, payout, { ...payout, amount: sum, totalInclTax });
}
