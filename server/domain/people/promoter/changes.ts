import { type Transaction, refuseTaken } from "../../../storage/store.ts";
import { integer, table, text } from "../../../storage/table.ts";
import type { Chance, Context } from "../../context.ts";
import { isErased, refuseErased } from "../erased.ts";
import { withoutFormerCheck } from "../vat-number.ts";
import { announce } from "../../events/event.ts";
import { planLinkChanges, putPromoterCampaign, type LinkChanges } from "../promoter-campaign/changes.ts";
import {
  loadPromoterCampaign,
  promoterCampaigns,
  type PromoterCampaign,
  type PromoterCampaignState,
} from "../promoter-campaign/promoter-campaign.ts";
import { loadPromoterCampaignOf, lockPromoterCampaigns } from "../promoter-campaign/search.ts";
import { AUTH_TOKEN_LENGTH, refuseCircle, unknownParent } from "./creation.ts";
import {
  findPromoterByEmail,
  findTakenPromoter,
  isSharedMailbox,
  loadPromoter,
  promoters,
  signedOut,
  type InvoiceDetailsStatus,
  type ProfileChanges,
  type Promoter,
} from "./promoter.ts";
import { loadSelected, type Selected, type Selection } from "./search.ts";

/** Changes to a promoter. Missing fields stay unchanged, null clears. */
export interface PromoterChanges {
  email?: string | undefined;
  cust_id?: string | null | undefined;
  note?: string | null | undefined;
  temp_password_hash?: string | undefined;
  custom_fields?: Record<string, unknown> | null | undefined;
  parentPromoterEmail?: string | null | undefined;
  invoice_details_status?: InvoiceDetailsStatus | undefined;
  /** Null for the account's. */
  net_payout_days?: number | null | undefined;
  tax_rate_hundredths?: number | undefined;
  profile?: ProfileChanges | undefined;
  /** The campaign to change. Missing: the one that the selection named, otherwise the default one. */
  campaign_id?: number | undefined;
  promoterCampaign?: LinkChanges | undefined;
}

interface PromoterUpdate {
  selection: Selection;
  changes: PromoterChanges;
  /** Throws if the caller may not change this promoter. Absent: they may change all. */
  permit?: (tx: Transaction, promoter: Promoter) => Promise<void>;
}

/**
 * Changes a promoter and one of their promoter campaigns.
 *
 * @throws Failure `not_found` for an unknown promoter, parent or promoter campaign, `refused` for an erased
 * one, `invalid`, or `taken` naming every unique field that belongs to another
 */
export async function updatePromoter(
  tx: Transaction,
  context: Context,
  accountId: number,
  { selection, changes, permit }: PromoterUpdate,
): Promise<Promoter> {
  const selected = await loadSelected(tx, accountId, selection);
  refuseErased(selected.promoter);
  await permit?.(tx, selected.promoter);
  const changed = await changedPromoter(tx, selected.promoter, changes);
  const isNewAccess = changed.email !== selected.promoter.email || changes.temp_password_hash !== undefined;
  const promoter = isNewAccess ? signedOut(changed) : changed;
  const before = await chosenPromoterCampaign(tx, selected, changes.campaign_id);
  const { after, taken } = await planLinkChanges(tx, before, changes.promoterCampaign ?? {});
  refuseTaken({ ...(await findTakenPromoter(tx, promoter)), ...taken });
  await tx.put(promoters, promoter);
  // The former mailbox stays theirs too, so that a second account behind it is noticed.
  if (promoter.email !== selected.promoter.email) await isSharedMailbox(tx, promoter);
  await putPromoterCampaign(tx, before, after);
  await announce(tx, context, { entity: "promoter", before: selected.promoter, after: promoter });
  await announce(tx, context, { entity: "promoter_campaign", before, after });
  return promoter;
}

/**
 * Gives a promoter a new auth token. The old one becomes invalid, and the promoter is signed out everywhere.
 *
 * @throws Failure `not_found` or `refused`
 */
export async function refreshAuthToken(
  tx: Transaction,
  { chance }: Pick<Context, "chance">,
  accountId: number,
  selection: Selection,
): Promise<Promoter> {
  const { promoter } = await loadSelected(tx, accountId, selection);
  refuseErased(promoter);
  const refreshed = withoutAccess(promoter, chance);
  await tx.put(promoters, refreshed);
  return refreshed;
}

/** The promoter without any way in from before: sessions, sign-in links, and the auth token. */
export function withoutAccess(promoter: Promoter, chance: Chance): Promoter {
  return { ...signedOut(promoter), auth_token: chance.token(AUTH_TOKEN_LENGTH) };
}

/** The state of a promoter campaign before its promoter was archived, for their restoration. */
const fields = {
  promoter_campaign_id: integer(),
  state: text<PromoterCampaignState>(),
};

export const archivedStates = table("archived-state", fields, {
  key: ["promoter_campaign_id"],
});

/**
 * Archives a promoter and blocks them in every campaign until they are restored.
 *
 * @throws Failure `not_found`
 */
export async function archivePromoter(
  tx: Transaction,
  context: Context,
  accountId: number,
  id: number,
): Promise<void> {
  const promoter = await loadPromoter(tx, accountId, id);
  if (promoter.archived_at !== null) return;
  const after = { ...signedOut(promoter), archived_at: context.now.toISOString() };
  await tx.put(promoters, after);
  await announce(tx, context, { entity: "promoter", before: promoter, after });
  for (const promoterCampaign of await lockPromoterCampaigns(tx, promoter)) {
    const { id: promoterCampaignId, state } = promoterCampaign;
    await tx.put(archivedStates, {
      account_id: accountId,
      promoter_campaign_id: promoterCampaignId,
      state,
    });
    await putState(tx, context, { before: promoterCampaign, state: "blocked" });
  }
}

/**
 * Restores an archived promoter. Promoter campaigns get back their states, unless these were changed
 * meanwhile.
 *
 * @throws Failure `not_found`, or `refused` for an erased promoter
 * @see docs/spec/states.md "Promoters and promoter campaigns", 3
 */
export async function restorePromoter(
  tx: Transaction,
  context: Context,
  accountId: number,
  id: number,
): Promise<void> {
  const promoter = await loadPromoter(tx, accountId, id);
  if (promoter.archived_at === null) return;
  refuseErased(promoter);
  const after = { ...promoter, archived_at: null };
  await tx.put(promoters, after);
  await announce(tx, context, { entity: "promoter", before: promoter, after });
  for (const promoterCampaign of await lockPromoterCampaigns(tx, promoter)) {
    const archived = await tx.get(archivedStates, accountId, promoterCampaign.id);
    await tx.remove(archivedStates, accountId, promoterCampaign.id);
    if (archived === null || promoterCampaign.state !== "blocked") continue;
    await putState(tx, context, { before: promoterCampaign, state: archived.state });
  }
}

async function changedPromoter(
  tx: Transaction,
  before: Promoter,
  changes: PromoterChanges,
): Promise<Promoter> {
  const { profile = {} } = changes;
  const given = Object.entries(profile).filter(([, value]) => value !== undefined);
  return withoutFormerCheck({
    ...before,
    email: changes.email ?? before.email,
    cust_id: changes.cust_id === undefined ? before.cust_id : changes.cust_id,
    note: changes.note === undefined ? before.note : changes.note,
    temp_password_hash: changes.temp_password_hash ?? before.temp_password_hash,
    custom_fields: changes.custom_fields === undefined ? before.custom_fields : changes.custom_fields,
    invoice_details_status: changes.invoice_details_status ?? before.invoice_details_status,
    net_payout_days: changes.net_payout_days === undefined ? before.net_payout_days : changes.net_payout_days,
    tax_rate_hundredths: changes.tax_rate_hundredths ?? before.tax_rate_hundredths,
    parent_promoter_id: await newParentId(tx, before, changes.parentPromoterEmail),
    profile: { ...before.profile, ...Object.fromEntries(given) },
  });
}

async function newParentId(
  tx: Transaction,
  promoter: Promoter,
  email: string | null | undefined,
): Promise<number | null> {
  if (email === undefined) return promoter.parent_promoter_id;
  if (email === null) return null;
  const parent = await findPromoterByEmail(tx, promoter.account_id, email);
  if (parent === null || isErased(parent)) throw unknownParent();
  await refuseCircle(tx, promoter, parent);
  return parent.id;
}

function chosenPromoterCampaign(
  tx: Transaction,
  { promoter, promoterCampaign }: Selected,
  campaignId: number | undefined,
): Promise<PromoterCampaign> {
  const { account_id, id } = promoter;
  if (campaignId !== undefined)
    return loadPromoterCampaignOf(tx, account_id, { promoter_id: id, campaign_id: campaignId });
  return loadPromoterCampaign(tx, account_id, promoterCampaign?.id ?? promoter.default_promoter_campaign_id);
}

async function putState(
  tx: Transaction,
  context: Context,
  { before, state }: { before: PromoterCampaign; state: PromoterCampaignState },
): Promise<void> {
  const after = { ...before, state };
  await tx.put(promoterCampaigns, after);
  await announce(tx, context, { entity: "promoter_campaign", before, after });
}
