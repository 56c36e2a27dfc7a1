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
    picture: ({ email, cust_id, note, custom_fields, profile, archived_at }) => [
      email,
      cust_id,
      note,
      custom_fields,
      [profile.first_name, profile.last_name, profile.company_name, profile.country],
      [profile.website, profile.phone_number, profile.address, profile.company_number, profile.vat_id],
      archived_at !== null,
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
    return { ...child, parent_promoter_id: parent.id };
  };
  return keep<Promoter>(step, {
    kind: "parent",
    id,
    said: parentId,
    table: promoters,
    picture: ({ parent_promoter_id }) => parent_promoter_id,
    async add() {
      const childId = await ownId(step, "promoter", id);
      const child = childId && (await tx.get(promoters, account.id, childId));
      if (!child) return `promoter ${id} was not imported, so has no parent`;
      if (child.parent_promoter_id !== null) return { record: child, is_found_here: true };
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
  if (known !== null) return { record: known, is_found_here: true };
  const place = plan.firstPlaces.get(said.id) ?? null;
  const campaignId = await campaignOf(step, place?.campaign_id ?? null);
  const custId = await freeCustId(step, said.cust_id);
  const id = await context.store.nextId("promoter");
  const promoterCampaignId = await context.store.nextId("promoter-campaign");
  const promoter = newPromoter(
    context,
    {
      email: said.email.trim(),
      cust_id: custId,
      note: said.note,
      temp_password_hash: null,
      profile: newProfile(profileOf(said)),
      skip_email_notification: false,
      created_at: new Date(said.created_at),
      own: {
        custom_fields: said.custom_fields,
        ...(said.isArchived && { archived_at: context.now.toISOString() }),
      },
    },
    {
      account_id: account.id,
      id,
      parent_promoter_id: null,
      default_promoter_campaign_id: promoterCampaignId,
      fraud_suspicions: [],
    },
  );
  await tx.insert(promoters, promoter);
  // Imported promoters are never suspicious, but a later promoter with the same mailbox is.
  await isSharedMailbox(tx, promoter);
  const remarks = await addPlace(step, {
    promoter,
    id: promoterCampaignId,
    campaign_id: campaignId,
    said: place,
  });
  if (custId !== said.cust_id)
    remarks.push(`promoter ${said.email}: another one has the id ${said.cust_id} already`);
  if (place === null)
    remarks.push(`promoter ${said.email} is in no campaign there, and waits for approval here`);
  return { record: promoter, remark: remarks.length === 0 ? undefined : remarks.join("; ") };
}

async function changed(step: Step, before: Promoter, said: SourcePromoter): Promise<Promoter> {
  const other = await findPromoterByEmail(step.tx, before.account_id, said.email);
  const isFree = other === null || other.id === before.id;
  const custId = said.cust_id === before.cust_id ? before.cust_id : await freeCustId(step, said.cust_id);
  const archivedAt = said.isArchived ? (before.archived_at ?? step.context.now.toISOString()) : null;
  return withoutFormerCheck({
    ...before,
    email: isFree ? said.email.trim() : before.email,
    cust_id: custId,
    note: said.note,
    custom_fields: said.custom_fields,
    profile: { ...before.profile, ...profileOf(said) },
    archived_at: archivedAt,
  });
}

/** Writes a changed promoter, and archives or restores them in every campaign, like in the source. */
async function putChanged({ tx, account }: Step, before: Promoter, after: Promoter): Promise<Promoter> {
  await tx.put(promoters, after);
  if ((before.archived_at === null) === (after.archived_at === null)) return after;
  for (const place of await tx.view.list(promoterCampaigns, "promoter", account.id, [after.id])) {
    const own = { account_id: account.id, promoter_campaign_id: place.id };
    const archived = await tx.get(archivedStates, account.id, place.id);
    if (after.archived_at !== null) {
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
  return (await tx.find(promoters, "cust_id", account.id, [indexed(custId)])) === null ? custId : null;
}

function profileOf({ first_name, last_name, company_name, country, contact }: SourcePromoter) {
  return { first_name, last_name, company_name, country, ...contact };
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
      if (selected !== null) return { record: selected, is_found_here: true };
      const record: PayoutMethod = {
        account_id: account.id,
        id: await context.store.nextId("payout-method"),
        promoter_id: promoter.id,
        method,
        details,
        meta: {},
        is_selected: true,
        is_disabled: false,
        is_managed: false,
        created_at: context.now.toISOString(),
      };
      await tx.insert(payoutMethods, record);
      return { record };
    },
    async change(before) {
      // Paid payouts must keep showing where the money went.
      const isUsed = (await tx.view.count(payouts, "method", account.id, [before.id])) > 0;
      if (isUsed || before.replaced_by_id !== undefined) return "payouts here were paid by it";
      return { ...before, method, details };
    },
  });
}
