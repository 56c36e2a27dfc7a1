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
import type { Show } from "../../show.ts";
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
  custId: string | null;
  refToken: string | null;
  coupon: string | null;
  displayCoupon: string | null;
  campaignId: number | null;
  tempPasswordHash: string | null;
  /** The password itself, if the request gave it, for the event of V1. */
  tempPassword?: string | undefined;
  landingUrl: string | null;
  usesUrlTracking: boolean;
  parentPromoterId: number | null;
  parentPromoterEmail: string | null;
  note: string | null;
  profile: PromoterProfile;
  createdAt: Date | null;
  skipEmailNotification: boolean;
  alwaysApprove: boolean;
  /** The network address of the request, stored as a keyed hash, or null if unknown. */
  address: string | null;
  /** Whether the promoter is imported from another program, without any notification. */
  isHistory?: boolean;
  /** Their state in the other program. Absent: the campaign decides. */
  state?: PromoterCampaignState;
  /**
   * Present if the company invites the promoter. They are accepted in any campaign, and invited in the same
   * commit.
   */
  invite?: (tx: Transaction, made: CreatedPromoter) => Promise<void>;
  /** The data of promoters who join by themselves, or were invited by e-mail. */
  own?: Partial<Pick<Promoter, "passwordHash" | "customFields" | "isUnconfirmed" | "isInvited" | "language">>;
  /** Runs in the same commit. */
  andThen?: (tx: Transaction, made: CreatedPromoter) => Promise<void>;
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
export async function createPromoter<T>(
  context: Context,
  account: Account,
  { show, ...input }: NewPromoter & { show: Show<CreatedPromoter, T> },
): Promise<T> {
  requireLandingPage(input);
  const id = await context.store.nextId("promoter");
  const promoterCampaignId = await context.store.nextId("promoter-campaign");
  return context.store.transact(async (tx) => {
    const made = await newRecords(tx, context, { account, input, id, promoterCampaignId });
    const { promoter, promoterCampaign } = made;
    await tx.insert(promoters, promoter);
    await tx.insert(promoterCampaigns, promoterCampaign);
    await tx.put(refTokens, { accountId: account.id, token: promoterCampaign.refToken, promoterCampaignId });
    if (input.address !== null) {
      const addressHash = hashAddress(account, input.address);
      await rememberAddress(tx, promoter, { addressHash, isOwn: true, now: context.now });
    }
    if (!input.isHistory) {
      const { tempPassword } = input;
      await announce(tx, context, { entity: "promoter", before: null, after: promoter, tempPassword });
      await announce(tx, context, { entity: "promoter_campaign", before: null, after: promoterCampaign });
    }
    await input.andThen?.(tx, made);
    await input.invite?.(tx, made);
    return show(tx.view, made);
  });
}

/**
 * Gives a promoter a parent.
 *
 * @throws Failure `not_found`, `refused`, or `invalid` for a circle
 */
export async function assignParent(
  context: Context,
  accountId: number,
  { promoterId, parentPromoterId }: { promoterId: number; parentPromoterId: number },
): Promise<void> {
  await context.store.transact(async (tx) => {
    const promoter = await loadPromoter(tx, accountId, promoterId);
    refuseErased(promoter);
    const parent = await loadParent(tx, accountId, parentPromoterId);
    await refuseCircle(tx, promoter, parent);
    const after = { ...promoter, parentPromoterId };
    await tx.put(promoters, after);
    await announce(tx, context, { entity: "promoter", before: promoter, after });
  });
}

/** A page of the promoters recruited by a promoter, newest first. */
export function findChildren(
  view: View,
  { accountId, id }: Promoter,
  window: Window,
): Promise<Found<Promoter>> {
  const query = view
    .query<Schema<{ promoters: typeof promoters }>>()
    .selectFrom("promoters")
    .where("account_id", "=", accountId)
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
      above.parentPromoterId === null
        ? null
        : await tx.get(promoters, promoter.accountId, above.parentPromoterId);
  }
}

async function newRecords(
  tx: Transaction,
  context: Context,
  given: { account: Account; input: NewPromoter; id: number; promoterCampaignId: number },
): Promise<CreatedPromoter> {
  const { account, input, id } = given;
  const campaign = await loadCampaignOrDefault(tx, account, input.campaignId);
  const parent = await findParent(tx, account.id, input);
  const promoter = newPromoter(context, input, {
    accountId: account.id,
    id,
    parentPromoterId: parent?.id ?? null,
    defaultPromoterCampaignId: given.promoterCampaignId,
    fraudSuspicions: await judgePromoter(tx, { accountId: account.id, id, email: input.email }),
  });
  const promoterCampaign = firstPromoterCampaign(input, promoter, campaign);
  refuseTaken({
    ...(await findTakenPromoter(tx, promoter)),
    ...(await findTakenFields(tx, null, promoterCampaign)),
  });
  promoterCampaign.refToken ||= await deriveRefToken(tx, context.chance, {
    accountId: account.id,
    firstName: input.profile.firstName,
    email: input.email,
  });
  return { promoter, promoterCampaign, campaign };
}

async function findParent(tx: Transaction, accountId: number, input: NewPromoter): Promise<Promoter | null> {
  const { parentPromoterId, parentPromoterEmail } = input;
  if (parentPromoterId !== null) return loadParent(tx, accountId, parentPromoterId);
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
    | "custId"
    | "note"
    | "tempPasswordHash"
    | "profile"
    | "skipEmailNotification"
    | "createdAt"
    | "own"
  >,
  own: Pick<
    Promoter,
    "accountId" | "id" | "parentPromoterId" | "defaultPromoterCampaignId" | "fraudSuspicions"
  >,
): Promoter {
  return {
    ...own,
    email: input.email,
    custId: input.custId,
    note: input.note,
    tempPasswordHash: input.tempPasswordHash,
    authToken: chance.token(AUTH_TOKEN_LENGTH),
    profile: input.profile,
    customFields: null,
    trackAdTraffic: null,
    skipEmailNotification: input.skipEmailNotification,
    invoiceDetailsStatus: "pending",
    netPayoutDays: null,
    taxRateHundredths: 0,
    lastLoginAt: null,
    archivedAt: null,
    createdAt: (input.createdAt ?? now).toISOString(),
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
  promoter: Pick<Promoter, "accountId" | "id" | "email">,
): Promise<FraudSuspicion[]> {
  return (await isSharedMailbox(tx, promoter)) ? ["same_promoter_email"] : [];
}

function firstPromoterCampaign(input: NewPromoter, promoter: Promoter, campaign: Campaign): PromoterCampaign {
  return newPromoterCampaign({
    accountId: promoter.accountId,
    id: promoter.defaultPromoterCampaignId,
    campaignId: campaign.id,
    promoterId: promoter.id,
    state: input.state ?? (isApproved(promoter, campaign, input) ? "accepted" : "pending"),
    refToken: input.refToken ?? "",
    coupon: input.coupon,
    displayCoupon: input.displayCoupon,
    landingUrl: input.landingUrl,
    usesUrlTracking: input.usesUrlTracking,
    createdAt: promoter.createdAt,
  });
}

/** @see docs/spec/states.md "Promoters and promoter campaigns", 2 */
function isApproved(promoter: Promoter, campaign: Campaign, input: NewPromoter): boolean {
  if (input.invite !== undefined) return true;
  if (!campaign.autoApprovePromoters) return false;
  return input.alwaysApprove || promoter.fraudSuspicions.length === 0;
}
