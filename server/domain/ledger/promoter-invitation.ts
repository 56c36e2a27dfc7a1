import { Failure } from "../../failure.ts";
import type { Language } from "../../languages/languages.ts";
import type { Account } from "../program/account/account.ts";
import { loadCampaign } from "../program/campaign/campaign.ts";
import type { Context } from "../context.ts";
import { createPromoter, type CreatedPromoter } from "../people/promoter/creation.ts";
import { findPromoterByEmail, mailLanguage, newProfile, type Promoter } from "../people/promoter/promoter.ts";
import { refLink } from "../people/promoter-campaign/promoter-campaign.ts";
import { loadTerms } from "./terms.ts";
import { enqueueAccessEmail } from "../people/portal/sign-in.ts";

/** A person to invite. Null names are not known. */
interface Invitee {
  email: string;
  first_name: string | null;
  last_name: string | null;
}

/** People whom the company invites to become promoters. */
export interface Invitation {
  people: Invitee[];
  /** Null for the account's default campaign. */
  campaign_id: number | null;
  /** A message from the company, or null. */
  message: string | null;
  /** The language of the promoters, or null if it is not known. */
  language: Language | null;
  /** Whether each gets an e-mail. */
  isMailed: boolean;
}

/** A promoter with an invited address, new or known. */
export interface Invited {
  promoter: Promoter;
  isNew: boolean;
}

/**
 * Makes promoters of invited people, each in one commit with their e-mail.
 *
 * @throws Failure `not_found` for the campaign
 * @see docs/spec/v2.md "Promoters"
 */
export async function invitePromoters(
  context: Context,
  account: Account,
  { people, ...invitation }: Invitation,
): Promise<Invited[]> {
  const { store } = context;
  if (invitation.campaign_id !== null) await loadCampaign(store, account.id, invitation.campaign_id);
  const invited: Invited[] = [];
  for (const person of people) invited.push(await inviteOne(context, account, { ...person, ...invitation }));
  return invited;
}

type OneInvitation = Omit<Invitation, "people"> & Invitee;

async function inviteOne(context: Context, account: Account, given: OneInvitation): Promise<Invited> {
  const known = await findPromoterByEmail(context.store, account.id, given.email);
  if (known !== null) return { promoter: known, isNew: false };
  try {
    return { promoter: (await add(context, account, given)).promoter, isNew: true };
  } catch (error) {
    // Another request for the address was faster.
    if (!(error instanceof Failure) || error.kind !== "taken") throw error;
    const promoter = await findPromoterByEmail(context.store, account.id, given.email);
    if (promoter === null) throw error;
    return { promoter, isNew: false };
  }
}

async function add(
  context: Context,
  account: Account,
  { email, first_name, last_name, campaign_id, message, language: wanted, isMailed }: OneInvitation,
): Promise<CreatedPromoter> {
  const invitee = {
    ...DEFAULTS,
    email,
    campaign_id,
    profile: newProfile({ first_name, last_name }),
    own: {
      ...(isMailed && { is_invited: true as const }),
      ...(wanted !== null && { language: wanted }),
    },
  };
  return context.store.transact(async (tx) => {
    const made = await createPromoter(tx, context, account, invitee);
    if (!isMailed) return made;
    const { promoter, promoterCampaign: joined, campaign } = made;
    const language = mailLanguage(account, promoter);
    const offer = (await loadTerms(tx.view, { account, campaign, joined, promoter, language })).join(" ");
    await enqueueAccessEmail(tx, context, {
      id: await tx.nextId("delivery"),
      kind: "promoter_invitation",
      account,
      promoter,
      campaignName: campaign.name,
      values: { ref_link: refLink(joined, campaign), offer, message: message ?? "" },
    });
    return made;
  });
}

/** An invited promoter starts without these. */
const DEFAULTS = {
  cust_id: null,
  ref_token: null,
  coupon: null,
  display_coupon: null,
  temp_password_hash: null,
  landing_url: null,
  uses_url_tracking: false,
  parent_promoter_id: null,
  parentPromoterEmail: null,
  note: null,
  created_at: null,
  skip_email_notification: false,
  alwaysApprove: true,
  address: null,
  isInvited: true,
};
