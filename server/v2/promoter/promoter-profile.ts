import { z } from "zod";
import { VAT_STATUSES, type ProfileChanges, type Promoter } from "../../domain/people/promoter/promoter.ts";
import { vatCheckOf, invoiceDetailFaults } from "../../domain/people/vat-number.ts";
import { longText, text } from "../../input/fields.ts";
import type { Account } from "../../domain/program/account/account.ts";
import { field, recordId } from "../../http/fields.ts";

const clearable = text.nullable();

/** The fields of a profile that can be written. The server sets the others. */
export const profileParams = z
  .object(
    {
      first_name: field(clearable, "First name.", "Jane"),
      last_name: field(clearable, "Last name.", "Doe"),
      website: field(clearable, "Address of their web site.", "https://blog.example.com"),
      company_name: field(clearable, "Name of the company.", "Acme"),
      company_number: field(clearable, "Registration number of their company.", "HRB 12345"),
      phone_number: field(clearable, "Phone number.", "+1 555 0100"),
      vat_id: field(clearable, "VAT id of their company.", "DE123456789"),
      country: field(clearable, "Two-letter code of their country.", "US"),
      address: field(clearable, "Postal address.", "1 Main Street, Springfield"),
      avatar: field(clearable, "Address of their picture.", "https://blog.example.com/jane.png"),
      description: field(longText.nullable(), "A longer description.", "Ten percent off in spring"),
      instagram_url: field(clearable, "Their page on Instagram.", "https://instagram.com/jane"),
      youtube_url: field(clearable, "Their channel on YouTube.", "https://youtube.com/@jane"),
      linkedin_url: field(clearable, "Their page on LinkedIn.", "https://linkedin.com/in/jane"),
      facebook_url: field(clearable, "Their page on Facebook.", "https://facebook.com/jane"),
      twitter_url: field(clearable, "Their page on Twitter.", "https://twitter.com/jane"),
      twitch_url: field(clearable, "Their channel on Twitch.", "https://twitch.tv/jane"),
      tiktok_url: field(clearable, "Their page on TikTok.", "https://tiktok.com/@jane"),
    },
    "is invalid",
  )
  .partial()
  .meta({ id: "PromoterProfileInput" });

const shown = z.string().nullable();

/** What VIES has said about a VAT number. */
export const vatCheckFields = {
  vat_id_status: field(
    z.enum(VAT_STATUSES).nullable(),
    "What VIES has said about the VAT id. `unknown`: it has not answered yet, and is asked again. Null: it was not asked, because there is no VAT id of the European Union, or a moment ago. An extension of Tidemark.",
    "valid",
  ),
  vat_id_checked_at: field(z.iso.datetime().nullable(), "When VIES answered, or null.", null),
};

/** @see docs/spec/v2.md "Profile" */
export const promoterProfileAnswer = z
  .object({
    id: recordId,
    first_name: field(shown, "First name.", "Jane"),
    last_name: field(shown, "Last name.", "Doe"),
    website: field(shown, profileParams.shape.website),
    company_name: field(shown, "Name of the company.", "Acme"),
    company_number: field(shown, profileParams.shape.company_number),
    phone_number: field(shown, "Phone number.", "+1 555 0100"),
    vat_id: field(shown, profileParams.shape.vat_id),
    country: field(shown, profileParams.shape.country),
    address: field(shown, profileParams.shape.address),
    avatar: field(shown, profileParams.shape.avatar),
    w8_form_url: field(shown, "Their tax form W-8, or null if it was not uploaded.", null),
    w9_form_url: field(shown, "Their tax form W-9, or null if it was not uploaded.", null),
    description: field(shown, profileParams.shape.description),
    instagram_url: field(shown, profileParams.shape.instagram_url),
    youtube_url: field(shown, profileParams.shape.youtube_url),
    linkedin_url: field(shown, profileParams.shape.linkedin_url),
    facebook_url: field(shown, profileParams.shape.facebook_url),
    twitter_url: field(shown, profileParams.shape.twitter_url),
    twitch_url: field(shown, profileParams.shape.twitch_url),
    tiktok_url: field(shown, profileParams.shape.tiktok_url),
    invoice_details_validation_errors: field(
      z.record(z.string(), z.unknown()),
      "Errors in the invoice details, by field.",
      {},
    ),
    should_validate_invoice_details: field(
      z.boolean(),
      "Whether promoters need approved invoice details to be paid.",
    ),
    ...vatCheckFields,
  })
  .meta({ id: "PromoterProfile" });

/** A profile has the id of its promoter, because each promoter has exactly one. */
export function promoterProfileJson(
  promoter: Promoter,
  account: Account,
): z.output<typeof promoterProfileAnswer> {
  const { id, profile } = promoter;
  return {
    id,
    first_name: profile.first_name,
    last_name: profile.last_name,
    website: profile.website,
    company_name: profile.company_name,
    company_number: profile.company_number,
    phone_number: profile.phone_number,
    vat_id: profile.vat_id,
    country: profile.country,
    address: profile.address,
    avatar: profile.avatar_url,
    w8_form_url: null,
    w9_form_url: null,
    description: profile.description,
    instagram_url: profile.instagram_url,
    youtube_url: profile.youtube_url,
    linkedin_url: profile.linkedin_url,
    facebook_url: profile.facebook_url,
    twitter_url: profile.twitter_url,
    twitch_url: profile.twitch_url,
    tiktok_url: profile.tiktok_url,
    invoice_details_validation_errors: invoiceDetailFaults(profile),
    should_validate_invoice_details: account.requires_invoice_details,
    ...vatCheckJson(promoter),
  };
}

/** The values of what VIES has said. */
export function vatCheckJson(promoter: Promoter) {
  const check = vatCheckOf(promoter);
  return { vat_id_status: check?.status ?? null, vat_id_checked_at: check?.checked_at ?? null };
}

/** The changes to a profile. Fields that are undefined stay. */
export function profileChanges(given: z.output<typeof profileParams>): ProfileChanges {
  return {
    first_name: given.first_name,
    last_name: given.last_name,
    website: given.website,
    company_name: given.company_name,
    company_number: given.company_number,
    phone_number: given.phone_number,
    vat_id: given.vat_id,
    country: given.country,
    address: given.address,
    avatar_url: given.avatar,
    description: given.description,
    instagram_url: given.instagram_url,
    youtube_url: given.youtube_url,
    linkedin_url: given.linkedin_url,
    facebook_url: given.facebook_url,
    twitter_url: given.twitter_url,
    twitch_url: given.twitch_url,
    tiktok_url: given.tiktok_url,
  };
}
