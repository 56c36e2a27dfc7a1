import { listAccounts, type Account } from "../../program/account/account.ts";
import { campaigns, isInvited, type Campaign, type SignupAnswers } from "../../program/campaign/campaign.ts";
import type { Context } from "../../context.ts";
import type { CurrentContract } from "../contract/contract.ts";
import { signContracts } from "../contract/document.ts";
import { acceptTerms } from "./agreements.ts";
import { enqueueAccessEmail } from "./sign-in.ts";
import { createPromoter } from "../promoter/creation.ts";
import { findPromoterByEmail, newProfile } from "../promoter/promoter.ts";
import { findByRefToken } from "../promoter-campaign/promoter-campaign.ts";
import { Failure } from "../../../failure.ts";
import type { Language } from "../../../languages/languages.ts";
import type { Store } from "../../../storage/store.ts";

/** A campaign that people may join, and its account. */
export interface OpenCampaign {
  account: Account;
  campaign: Campaign;
}

/** An applicant. */
export interface Newcomer {
  email: string;
  first_name: string;
  last_name: string | null;
  password_hash: string;
  answers: SignupAnswers;
  /** The referral id of the promoter who recruited them. Null or unknown ids are ignored. */
  parentRefToken: string | null;
  address: string | null;
  /** The contracts that they have signed. */
  signed: CurrentContract[];
  /** Whether the server can send e-mails. Otherwise addresses need no confirmation. */
  has_mail: boolean;
  /** Null if their browser prefers none of ours. */
  language: Language | null;
}

/**
 * Finds a campaign by its id alone, which is unique in the server. Without its invitation, a private campaign
 * is answered like an unknown one, so that private campaigns can't be probed.
 *
 * @throws Failure `not_found`
 * @see docs/spec/v2.md "Joining"
 */
export async function loadOpenCampaign(
  store: Store,
  id: number,
  invitation: string | null,
): Promise<OpenCampaign> {
  for (const account of await listAccounts(store)) {
    const campaign = await store.get(campaigns, account.id, id);
    if (campaign !== null && isInvited(account, campaign, invitation)) return { account, campaign };
  }
  throw new Failure("not_found", "Campaign not found.");
}

/**
 * Makes an applicant a promoter, and sends them an e-mail with their first link.
 *
 * The answer does not reveal whether an address is known: its owner gets an e-mail instead, and a new address
 * grants no access until the link in its e-mail was followed. A server without mail can't ask for a
 * confirmation. The answer is the same there, but an applicant who then signs in finds out whether the
 * address was new.
 *
 * @see docs/spec/v2.md "Joining"
 */
export async function joinProgram(
  context: Context,
  { account, campaign }: OpenCampaign,
  newcomer: Newcomer,
): Promise<void> {
  const { store } = context;
  const deliveryId = await store.nextId("delivery");
  const known = await findPromoterByEmail(store, account.id, newcomer.email);
  if (known !== null) return remind(context, { account, campaign, newcomer, deliveryId });
  try {
    await add(context, { account, campaign, newcomer, deliveryId });
  } catch (error) {
    // Another request for the address was faster.
    if (!(error instanceof Failure) || error.kind !== "taken") throw error;
    await remind(context, { account, campaign, newcomer, deliveryId });
  }
}

interface Joining extends OpenCampaign {
  newcomer: Newcomer;
  deliveryId: number;
}

async function remind(context: Context, { account, campaign, newcomer, deliveryId }: Joining): Promise<void> {
  if (!newcomer.has_mail) return;
  await context.store.transact(async (tx) => {
    const promoter = await findPromoterByEmail(tx, account.id, newcomer.email);
    // An archived promoter can't sign in, so a link would be useless.
    if (promoter === null || promoter.archived_at !== null) return;
    const kind = promoter.is_unconfirmed ? "join_accepted" : "address_known";
    await enqueueAccessEmail(tx, context, {
      id: deliveryId,
      kind,
      account,
      promoter,
      campaignName: campaign.name,
    });
  });
}

async function add(context: Context, { account, campaign, newcomer, deliveryId }: Joining): Promise<void> {
  const { email, first_name, last_name, answers, password_hash, has_mail, language } = newcomer;
  const applicant = {
    ...FROM_THE_PAGE,
    email,
    campaign_id: campaign.id,
    parent_promoter_id: await findParentId(context.store, account.id, newcomer.parentRefToken),
    profile: newProfile({ first_name, last_name }),
    address: newcomer.address,
    own: {
      password_hash,
      custom_fields: Object.keys(answers).length === 0 ? null : answers,
      ...(has_mail && { is_unconfirmed: true as const }),
      ...(language !== null && { language }),
    },
  };
  await context.store.transact(async (tx) => {
    const { promoter, promoterCampaign } = await createPromoter(tx, context, account, applicant);
    await signContracts(tx, context, { promoter, wanted: newcomer.signed, address: newcomer.address });
    await acceptTerms(tx, context, { promoterCampaign, campaign });
    if (!has_mail) return;
    const kind = promoterCampaign.state === "accepted" ? "join_accepted" : "join_waiting";
    await enqueueAccessEmail(tx, context, {
      id: deliveryId,
      kind,
      account,
      promoter,
      campaignName: campaign.name,
    });
  });
}

async function findParentId(
  store: Store,
  accountId: number,
  refToken: string | null,
): Promise<number | null> {
  const parent = refToken === null ? null : await findByRefToken(store, accountId, refToken);
  return parent?.state === "accepted" ? parent.promoter_id : null;
}

const FROM_THE_PAGE = {
  cust_id: null,
  ref_token: null,
  coupon: null,
  display_coupon: null,
  temp_password_hash: null,
  landing_url: null,
  uses_url_tracking: false,
  parentPromoterEmail: null,
  note: null,
  created_at: null,
  skip_email_notification: false,
  alwaysApprove: false,
};
