import type { Context } from "../domain/context.ts";
import { enqueue, newDelivery } from "../domain/delivery.ts";
import { newProfile } from "../domain/profile.ts";
import { createPromoter, type CreatedPromoter } from "../domain/promoter-creation.ts";
import { asItIs } from "../domain/show.ts";
import type { Account } from "../records.ts";
import { newEmail } from "./letter.ts";

/** Whom the company asks to be its promoter. */
export interface Invitation {
  email: string;
  /** null: the account's default campaign. */
  campaignId: number | null;
  /** Where the server is found. null: mail is not set up, and no letter goes out. */
  publicUrl: string | null;
}

/**
 * Makes a promoter whom the company invites, and in the same commit the letter with their link.
 *
 * Choice: the letter is that of new promoters, whether or not the campaign sends it to those who sign up themselves.
 *
 * @throws Failure `not_found` for the campaign, `taken` for the e-mail address of a promoter
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
      // One that sends this letter by itself needs no second one.
      if (publicUrl === null || made.campaign.letters.includes("signup_accepted")) return;
      const letter = newEmail("signup_accepted", { account, publicUrl, ...made });
      const lane = `promoter/${made.promoter.id}`;
      await enqueue(
        tx,
        newDelivery({ id, ownerId: account.id, lane, letter, createdAt: now.toISOString() }),
        now,
      );
    },
    show: asItIs,
  });
}

/** What is not known of somebody who was only invited. */
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
