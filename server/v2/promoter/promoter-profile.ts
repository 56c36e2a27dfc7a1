import { z } from "zod";
import type { ProfileChanges, Promoter } from "../../domain/promoter/promoter.ts";
import { longText, text } from "../../input/fields.ts";
import type { Account } from "../../domain/account/account.ts";

const clearable = text.nullable();

/** The fields of a profile that can be written. The server sets the others. */
export const profileParams = z
  .object(
    {
      first_name: clearable,
      last_name: clearable,
      website: clearable,
      company_name: clearable,
      company_number: clearable,
      phone_number: clearable,
      vat_id: clearable,
      country: clearable,
      address: clearable,
      avatar: clearable,
      description: longText.nullable(),
      instagram_url: clearable,
      youtube_url: clearable,
      linkedin_url: clearable,
      facebook_url: clearable,
      twitter_url: clearable,
      twitch_url: clearable,
      tiktok_url: clearable,
    },
    "is invalid",
  )
  .partial()
  .meta({ id: "PromoterProfileInput" });

const shown = z.string().nullable();

/** @see docs/spec/v2.md "Profile" */
export const promoterProfileAnswer = z
  .object({
    id: z.int(),
    first_name: shown,
    last_name: shown,
    website: shown,
    company_name: shown,
    company_number: shown,
    phone_number: shown,
    vat_id: shown,
    country: shown,
    address: shown,
    avatar: shown,
    w8_form_url: shown,
    w9_form_url: shown,
    description: shown,
    instagram_url: shown,
    youtube_url: shown,
    linkedin_url: shown,
    facebook_url: shown,
    twitter_url: shown,
    twitch_url: shown,
    tiktok_url: shown,
    invoice_details_validation_errors: z.record(z.string(), z.unknown()),
    should_validate_invoice_details: z.boolean(),
  })
  .meta({ id: "PromoterProfile" });

/** Choice: a profile has the id of its promoter, because each promoter has one profile. */
export function promoterProfileJson(
  { id, profile }: Promoter,
  account: Account,
): z.output<typeof promoterProfileAnswer> {
  return {
    id,
    first_name: profile.firstName,
    last_name: profile.lastName,
    website: profile.website,
    company_name: profile.companyName,
    company_number: profile.companyNumber,
    phone_number: profile.phoneNumber,
    vat_id: profile.vatId,
    country: profile.country,
    address: profile.address,
    avatar: profile.avatarUrl,
    w8_form_url: null,
    w9_form_url: null,
    description: profile.description,
    instagram_url: profile.instagramUrl,
    youtube_url: profile.youtubeUrl,
    linkedin_url: profile.linkedinUrl,
    facebook_url: profile.facebookUrl,
    twitter_url: profile.twitterUrl,
    twitch_url: profile.twitchUrl,
    tiktok_url: profile.tiktokUrl,
    invoice_details_validation_errors: {},
    should_validate_invoice_details: account.requiresInvoiceDetails,
  };
}

/** A profile's changes. undefined: not given. */
export function profileChanges(given: z.output<typeof profileParams>): ProfileChanges {
  return {
    firstName: given.first_name,
    lastName: given.last_name,
    website: given.website,
    companyName: given.company_name,
    companyNumber: given.company_number,
    phoneNumber: given.phone_number,
    vatId: given.vat_id,
    country: given.country,
    address: given.address,
    avatarUrl: given.avatar,
    description: given.description,
    instagramUrl: given.instagram_url,
    youtubeUrl: given.youtube_url,
    linkedinUrl: given.linkedin_url,
    facebookUrl: given.facebook_url,
    twitterUrl: given.twitter_url,
    twitchUrl: given.twitch_url,
    tiktokUrl: given.tiktok_url,
  };
}
