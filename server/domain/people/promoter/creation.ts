import { Failure } from "../../../failure.ts";
import { findPage, type Found, type Schema, type Window } from "../../../storage/query.ts";
import { type Reader, type Transaction, type View, refuseTaken } from "../../../storage/store.ts";
import type { Account } from "../../program/account/account.ts";
import { loadCampaignOrDefault, type Campaign } from "../../program/campaign/campaign.ts";
import type { Context } from "../../context.ts";
import { isErased, refuseErased } from "../erased.ts";
import { announce } from "../../events/event.ts";
import type { FraudSuspicion } from "../lead/lead.ts";
import { hashAddress, rememberAddress } from "../lead/suspicion.ts";
import { findTakenFields } from "../promoter-campaign/changes.ts";
import {
  newPromoterCampaign,
  promoterCampaigns,
  requireLandingPage,
  deriveRefToken,
  refTokens,
  type PromoterCampaign,
  type PromoterCampaignState,
} from "../promoter-campaign/promoter-campaign.ts";
import {
  findPromoterByEmail,
  findTakenPromoter,
  isSharedMailbox,
  loadPromoter,
  promoters,
  type Promoter,
  type PromoterProfile,
} from "./promoter.ts";

/** @see docs/spec/v1.md "Promoter" */
export const AUTH_TOKEN_LENGTH = 32;

/** The input for a new promoter. Null fields are not given. */
export interface NewPromoter {
  email: string;
  cust_id: string | null;
  ref_token: string | null;
  coupon: string | null;
  display_coupon: string | null;
  campaign_id: number | null;
  temp_password_hash: string | null;
  /** The password itself, if the request gave it, for the event of V1. */
  temp_password?: string | undefined;
  landing_url: string | null;
  uses_url_tracking: boolean;
  parent_promoter_id: number | null;
  parentPromoterEmail: string | null;
  note: string | null;
  profile: PromoterProfile;
  created_at: Date | null;
  skip_email_notification: boolean;
  alwaysApprove: boolean;
  /** The network address of the request, stored as a keyed hash, or null if unknown. */
  address: string | null;
  /** Whether the promoter is imported from another program, without any notification. */
  isHistory?: boolean;
  /** Their state in the other program. Absent: the campaign decides. */
  state?: PromoterCampaignState;
  /** Whether the company invites the promoter, who is then accepted in any campaign. */
  isInvited?: boolean;
  /** The data of promoters who join by themselves, or were invited by e-mail. */
  own?: Partial<
    Pick<Promoter, "password_hash" | "custom_fields" | "is_unconfirmed" | "is_invited" | "language">
  >;
}

/** A new promoter with their first promoter campaign. */
export interface CreatedPromoter {
  promoter: Promoter;
  promoterCampaign: PromoterCampaign;
  campaign: Campaign;
}

/**
 * Makes a promoter and their first promoter campaign.
 *
 * @throws Failure `invalid` if the page to track is missing, `not_found` for an unknown campaign or parent,
 * `taken` naming every unique field that belongs to another
 * @see docs/spec/v1.md "Create a promoter"
 */
export async function createPromoter(
  tx: Transaction,
  context: Context,
  account: Account,
  input: NewPromoter,
): Promise<CreatedPromoter> {
  requireLandingPage(input);
  const made = await newRecords(tx, context, { account, input });
  const { promoter, promoterCampaign } = made;
  await tx.insert(promoters, promoter);
  await tx.insert(promoterCampaigns, promoterCampaign);
  await tx.put(refTokens, {
    account_id: account.id,
    token: promoterCampaign.ref_token,
    promoter_campaign_id: promoterCampaign.id,
  });
  if (input.address !== null) {
    const addressHash = hashAddress(account, input.address);
    await rememberAddress(tx, promoter, { address_hash: addressHash, is_own: true, now: context.now });
  }
  if (!input.isHistory) {
    const { temp_password } = input;
    await announce(tx, context, { entity: "promoter", before: null, after: promoter, temp_password });
    await announce(tx, context, { entity: "promoter_campaign", before: null, after: promoterCampaign });
  }
  return made;
}

/**
 * Gives a promoter a parent.
 *
 * @throws Failure `not_found`, `refused`, or `invalid` for a circle
 */
export async function assignParent(
  tx: Transaction,
  context: Context,
  accountId: number,
  { promoter_id, parent_promoter_id }: { promoter_id: number; parent_promoter_id: number },
): Promise<void> {
  const promoter = await loadPromoter(tx, accountId, promoter_id);
  refuseErased(promoter);
  const parent = await loadParent(tx, accountId, parent_promoter_id);
  await refuseCircle(tx, promoter, parent);
  const after = { ...promoter, parent_promoter_id };
  await tx.put(promoters, after);
  await announce(tx, context, { entity: "promoter", before: promoter, after });
}

/** A page of the promoters recruited by a promoter, newest first. */
export function findChildren(
  view: View,
  { account_id, id }: Promoter,
  window: Window,
): Promise<Found<Promoter>> {
  const query = view
    .query<Schema<{ promoters: typeof promoters }>>()
    .selectFrom("promoters")
    .where("account_id", "=", account_id)
    .where("parent_promoter_id", "=", id)
    .orderBy("id", "desc");
  return findPage(view, promoters, { query, ...window });
}

/** Loads a promoter who can be a parent. @throws Failure `not_found` */
export async function loadParent(reader: Reader, accountId: number, id: number): Promise<Promoter> {
  const parent = await reader.get(promoters, accountId, id);
  if (parent === null || isErased(parent)) throw unknownParent();
  return parent;
}

/** The error for a parent that does not exist. */
export function unknownParent(): Failure {
  return new Failure("not_found", "Parent promoter not found.");
}

/**
 * Refuses a promoter as their own ancestor, because tiers pay one parent after another.
 *
 * @throws Failure `invalid`
 */
export async function refuseCircle(tx: Transaction, promoter: Promoter, parent: Promoter): Promise<void> {
  for (let above: Promoter | null = parent; above !== null;) {
    if (above.id === promoter.id) {
      throw new Failure("invalid", "The parent is the promoter, or is below them.", {
        parentPromoterEmail: ["is the promoter, or is below them"],
      });
    }
    above =
      above.parent_promoter_id === null
        ? null
        : await tx.get(promoters, promoter.account_id, above.parent_promoter_id);
  }
}

async function newRecords(
  tx: Transaction,
  context: Context,
  { account, input }: { account: Account; input: NewPromoter },
): Promise<CreatedPromoter> {
  const id = await tx.nextId("promoter");
  const campaign = await loadCampaignOrDefault(tx, account, input.campaign_id);
  const parent = await findParent(tx, account.id, input);
  const promoter = newPromoter(context, input, {
    account_id: account.id,
    id,
    parent_promoter_id: parent?.id ?? null,
    default_promoter_campaign_id: await tx.nextId("promoter-campaign"),
    fraud_suspicions: await judgePromoter(tx, { account_id: account.id, id, email: input.email }),
  });
  const promoterCampaign = firstPromoterCampaign(input, promoter, campaign);
  refuseTaken({
    ...(await findTakenPromoter(tx, promoter)),
    ...(await findTakenFields(tx, null, promoterCampaign)),
  });
  promoterCampaign.ref_token ||= await deriveRefToken(tx, context.chance, {
    account_id: account.id,
    first_name: input.profile.first_name,
    email: input.email,
  });
  return { promoter, promoterCampaign, campaign };
}

async function findParent(tx: Transaction, accountId: number, input: NewPromoter): Promise<Promoter | null> {
  const { parent_promoter_id, parentPromoterEmail } = input;
  if (parent_promoter_id !== null) return loadParent(tx, accountId, parent_promoter_id);
  if (parentPromoterEmail === null) return null;
  const parent = await findPromoterByEmail(tx, accountId, parentPromoterEmail);
  if (parent === null || isErased(parent)) throw unknownParent();
  return parent;
}

/** Makes a promoter's record without writing it. */
export function newPromoter(
  { chance, now }: Pick<Context, "chance" | "now">,
  input: Pick<
    NewPromoter,
    | "email"
    | "cust_id"
    | "note"
    | "temp_password_hash"
    | "profile"
    | "skip_email_notification"
    | "created_at"
    | "own"
  >,
  own: Pick<
    Promoter,
    "account_id" | "id" | "parent_promoter_id" | "default_promoter_campaign_id" | "fraud_suspicions"
  >,
): Promoter {
  return {
    ...own,
    email: input.email,
    cust_id: input.cust_id,
    note: input.note,
    temp_password_hash: input.temp_password_hash,
    auth_token: chance.token(AUTH_TOKEN_LENGTH),
    profile: input.profile,
    custom_fields: null,
    track_ad_traffic: null,
    skip_email_notification: input.skip_email_notification,
    invoice_details_status: "pending",
    net_payout_days: null,
    tax_rate_hundredths: 0,
    last_login_at: null,
    archived_at: null,
    created_at: (input.created_at ?? now).toISOString(),
    ...input.own,
  };
}

/**
 * A new promoter is suspicious only if another promoter has the same mailbox under an address that is written
 * differently.
 *
 * @see docs/spec/tracking.md "Suspicions"
 */
async function judgePromoter(
  tx: Transaction,
  promoter: Pick<Promoter, "account_id" | "id" | "email">,
): Promise<FraudSuspicion[]> {
  return (await isSharedMailbox(tx, promoter)) ? ["same_promoter_email"] : [];
}

function firstPromoterCampaign(input: NewPromoter, promoter: Promoter, campaign: Campaign): PromoterCampaign {
  return newPromoterCampaign({
    account_id: promoter.account_id,
    id: promoter.default_promoter_campaign_id,
    campaign_id: campaign.id,
    promoter_id: promoter.id,
    state: input.state ?? (isApproved(promoter, campaign, input) ? "accepted" : "pending"),
    ref_token: input.ref_token ?? "",
    coupon: input.coupon,
    display_coupon: input.display_coupon,
    landing_url: input.landing_url,
    uses_url_tracking: input.uses_url_tracking,
    created_at: promoter.created_at,
  });
}

/** @see docs/spec/states.md "Promoters and promoter campaigns", 2 */
function isApproved(promoter: Promoter, campaign: Campaign, input: NewPromoter): boolean {
  if (input.isInvited) return true;
  if (!campaign.auto_approve_promoters) return false;
  return input.alwaysApprove || promoter.fraud_suspicions.length === 0;
}
