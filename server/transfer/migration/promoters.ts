import { isErased } from "../../domain/people/erased.ts";
import {
  payoutMethods,
  findSelectedPayoutMethod,
  type PayoutMethod,
} from "../../domain/ledger/payout-method/payout-method.ts";
import { payouts } from "../../domain/ledger/payout/payout.ts";
import { promoterCampaigns } from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { archivedStates } from "../../domain/people/promoter/changes.ts";
import { newPromoter, refuseCircle } from "../../domain/people/promoter/creation.ts";
import {
  findPromoterByEmail,
  isSharedMailbox,
  newProfile,
  promoters,
  type Promoter,
} from "../../domain/people/promoter/promoter.ts";
import { withoutFormerCheck } from "../../domain/people/vat-number.ts";
import { Failure } from "../../failure.ts";
import { indexed } from "../../storage/digests.ts";
import { campaignOf } from "./campaigns.ts";
import { keep, ownId, type Added, type Result, type Step } from "./keep.ts";
import type { SourcePayoutMethod, SourcePromoter } from "./model.ts";
import { addPlace } from "./places.ts";

/** Imports a promoter with their first promoter campaign, because each promoter needs one. */
export async function importPromoter(step: Step, said: SourcePromoter): Promise<Result> {
  const { counts: _counts, parentId: _parent, payoutMethod, ...person } = said;
  const result = await keep<Promoter>(step, {
    kind: "promoter",
    id: said.id,
    said: person,
    table: promoters,
    picture: ({ email, custId, note, customFields, profile, archivedAt }) => [
      email,
      custId,
      note,
      customFields,
      [profile.firstName, profile.lastName, profile.companyName, profile.country],
      [profile.website, profile.phoneNumber, profile.address, profile.companyNumber, profile.vatId],
      archivedAt !== null,
    ],
    add: () => addPromoter(step, said),
    change: (before) => changed(step, before, said),
    write: (before, after) => putChanged(step, before, after),
  });
  if (payoutMethod === null || result.outcome === "left_out") return result;
  const method = await importPayoutMethod(step, said.id, payoutMethod);
  return result.outcome === "known" ? method : result;
}

/** Sets a promoter's parent after both were imported. */
export function importParent(
  step: Step,
  { id, parentId }: { id: string; parentId: string },
): Promise<Result> {
  const { tx, account } = step;
  const withParent = async (child: Promoter): Promise<Promoter | string> => {
    const parentPromoterId = await ownId(step, "promoter", parentId);
    const parent = parentPromoterId && (await tx.get(promoters, account.id, parentPromoterId));
    if (!parent || isErased(parent)) return `promoter ${id}: the parent ${parentId} was not imported`;
    try {
      await refuseCircle(tx, child, parent);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return `promoter ${id}: the parent ${parentId} is the promoter, or is below them`;
    }
    return { ...child, parentPromoterId: parent.id };
  };
  return keep<Promoter>(step, {
    kind: "parent",
    id,
    said: parentId,
    table: promoters,
    picture: ({ parentPromoterId }) => parentPromoterId,
    async add() {
      const childId = await ownId(step, "promoter", id);
      const child = childId && (await tx.get(promoters, account.id, childId));
      if (!child) return `promoter ${id} was not imported, so has no parent`;
      if (child.parentPromoterId !== null) return { record: child, isFoundHere: true };
      const after = await withParent(child);
      if (typeof after === "string") return after;
      await tx.put(promoters, after);
      return { record: after };
    },
    change: withParent,
  });
}

/** If a promoter with this e-mail address exists, they stay unchanged and get the source's additions. */
async function addPromoter(step: Step, said: SourcePromoter): Promise<Added<Promoter> | string> {
  const { tx, context, account, plan } = step;
  if (!said.email.includes("@")) return `promoter ${said.id} has no e-mail address`;
  const known = await findPromoterByEmail(tx, account.id, said.email);
  if (known !== null) return { record: known, isFoundHere: true };
  const place = plan.firstPlaces.get(said.id) ?? null;
  const campaignId = await campaignOf(step, place?.campaignId ?? null);
  const custId = await freeCustId(step, said.custId);
  const id = await context.store.nextId("promoter");
  const promoterCampaignId = await context.store.nextId("promoter-campaign");
  const promoter = newPromoter(
    context,
    {
      email: said.email.trim(),
      custId,
      note: said.note,
      tempPasswordHash: null,
      profile: newProfile(profileOf(said)),
      skipEmailNotification: false,
      createdAt: new Date(said.createdAt),
      own: {
        customFields: said.customFields,
        ...(said.isArchived && { archivedAt: context.now.toISOString() }),
      },
    },
    {
      accountId: account.id,
      id,
      parentPromoterId: null,
      defaultPromoterCampaignId: promoterCampaignId,
      fraudSuspicions: [],
    },
  );
  await tx.insert(promoters, promoter);
  // Imported promoters are never suspicious, but a later promoter with the same mailbox is.
  await isSharedMailbox(tx, promoter);
  const remarks = await addPlace(step, { promoter, id: promoterCampaignId, campaignId, said: place });
  if (custId !== said.custId)
    remarks.push(`promoter ${said.email}: another one has the id ${said.custId} already`);
  if (place === null)
    remarks.push(`promoter ${said.email} is in no campaign there, and waits for approval here`);
  return { record: promoter, remark: remarks.length === 0 ? undefined : remarks.join("; ") };
}

async function changed(step: Step, before: Promoter, said: SourcePromoter): Promise<Promoter> {
  const other = await findPromoterByEmail(step.tx, before.accountId, said.email);
  const isFree = other === null || other.id === before.id;
  const custId = said.custId === before.custId ? before.custId : await freeCustId(step, said.custId);
  const archivedAt = said.isArchived ? (before.archivedAt ?? step.context.now.toISOString()) : null;
  return withoutFormerCheck({
    ...before,
    email: isFree ? said.email.trim() : before.email,
    custId,
    note: said.note,
    customFields: said.customFields,
    profile: { ...before.profile, ...profileOf(said) },
    archivedAt,
  });
}

/** Writes a changed promoter, and archives or restores them in every campaign, like in the source. */
async function putChanged({ tx, account }: Step, before: Promoter, after: Promoter): Promise<Promoter> {
  await tx.put(promoters, after);
  if ((before.archivedAt === null) === (after.archivedAt === null)) return after;
  for (const place of await tx.view.list(promoterCampaigns, "promoter", account.id, [after.id])) {
    const own = { accountId: account.id, promoterCampaignId: place.id };
    const archived = await tx.get(archivedStates, account.id, place.id);
    if (after.archivedAt !== null) {
      await tx.put(archivedStates, { ...own, state: place.state });
      await tx.put(promoterCampaigns, { ...place, state: "blocked" });
    } else if (archived !== null) {
      await tx.remove(archivedStates, account.id, place.id);
      await tx.put(promoterCampaigns, { ...place, state: archived.state });
    }
  }
  return after;
}

/** Null if another promoter has it. */
async function freeCustId({ tx, account }: Step, custId: string | null): Promise<string | null> {
  if (custId === null || custId === "") return null;
  return (await tx.find(promoters, "custId", account.id, [indexed(custId)])) === null ? custId : null;
}

function profileOf({ firstName, lastName, companyName, country, contact }: SourcePromoter) {
  return { firstName, lastName, companyName, country, ...contact };
}

function importPayoutMethod(
  step: Step,
  id: string,
  { method, details }: SourcePayoutMethod,
): Promise<Result> {
  const { tx, context, account } = step;
  return keep<PayoutMethod>(step, {
    kind: "payout_method",
    id,
    said: [method, details],
    table: payoutMethods,
    picture: (record) => [record.method, record.details],
    async add() {
      const promoterId = await ownId(step, "promoter", id);
      const promoter = promoterId && (await tx.get(promoters, account.id, promoterId));
      if (!promoter || isErased(promoter)) return `promoter ${id} was not imported, so has no payout method`;
      const selected = await findSelectedPayoutMethod(tx, account.id, promoter.id);
      if (selected !== null) return { record: selected, isFoundHere: true };
      const record: PayoutMethod = {
        accountId: account.id,
        id: await context.store.nextId("payout-method"),
        promoterId: promoter.id,
        method,
        details,
        meta: {},
        isSelected: true,
        isDisabled: false,
        isManaged: false,
        createdAt: context.now.toISOString(),
      };
      await tx.insert(payoutMethods, record);
      return { record };
    },
    async change(before) {
      // Paid payouts must keep showing where the money went.
      const isUsed = (await tx.view.count(payouts, "method", account.id, [before.id])) > 0;
      if (isUsed || before.replacedById !== undefined) return "payouts here were paid by it";
      return { ...before, method, details };
    },
  });
}
