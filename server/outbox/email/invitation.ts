import type { Context } from "../../domain/context.ts";
import { enqueue, newDelivery } from "../../domain/webhook/delivery.ts";
import { newProfile } from "../../domain/promoter/promoter.ts";
import { createPromoter, type CreatedPromoter } from "../../domain/promoter/creation.ts";
import { asItIs } from "../../domain/show.ts";
import type { Account } from "../../domain/account/account.ts";
import { newEmail } from "./email.ts";

/** A person whom the company invites to become a promoter. */
export interface Invitation {
  email: string;
  /** null: the account's default campaign. */
  campaignId: number | null;
  /** The server's public address. null: mail is not set up, so no e-mail is sent. */
  publicUrl: string | null;
}

/**
 * Makes an invited promoter and, in the same commit, the e-mail with their link.
 *
 * Choice: they get the welcome e-mail even if the campaign does not send it to promoters who sign up
 * themselves.
 *
 * @throws Failure `not_found` for the campaign, `taken` if a promoter has the e-mail address
 */
export async function invitePromoter(
  context: Context,
  account: Account,
  { email, campaignId, publicUrl }: Invitation,
): Promise<CreatedPromoter> {
  const { store, now } = context;
  const id = await store.nextId("delivery");
  return createPromoter(context, account, {
    ...NOBODY_YET,
    email,
    campaignId,
    profile: newProfile({}),
    async invite(tx, made) {
      // A campaign that sends the welcome e-mail by itself needs no second one.
      if (publicUrl === null || made.campaign.emails.includes("signup_accepted")) return;
      const welcome = newEmail("signup_accepted", { account, publicUrl, ...made });
      const lane = `promoter/${made.promoter.id}`;
      await enqueue(
        tx,
        newDelivery({ id, ownerId: account.id, lane, email: welcome, createdAt: now.toISOString() }),
        now,
      );
    },
    show: asItIs,
  });
}

/** An invited promoter begins without these. */
const NOBODY_YET = {
  custId: null,
  refToken: null,
  coupon: null,
  displayCoupon: null,
  tempPasswordHash: null,
  landingUrl: null,
  usesUrlTracking: false,
  parentPromoterId: null,
  parentPromoterEmail: null,
  note: null,
  createdAt: null,
  skipEmailNotification: false,
  alwaysApprove: true,
  address: null,
};
