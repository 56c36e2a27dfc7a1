import { z } from "zod";
import type { PromoterProfile } from "../../domain/promoter/record.ts";
import { field } from "../../http/fields.ts";

const socialAccount = z
  .object({
    url: field(z.string().nullable(), "An absolute web address.", "https://www.example.com/?via=jane"),
  })
  .meta({ id: "V1SocialAccount" });

/** @see docs/spec/v1.md "Profile" */
export const profileAnswer = z
  .object({
    first_name: field(z.string().nullable(), "First name.", "Jane"),
    last_name: field(z.string().nullable(), "Last name.", "Doe"),
    website: field(z.string().nullable(), "Address of their web site.", "https://blog.example.com"),
    company_name: field(z.string().nullable(), "Name of the company.", "Acme"),
    phone_number: field(z.string().nullable(), "Phone number.", "+1 555 0100"),
    address: field(z.string().nullable(), "Postal address.", "1 Main Street, Springfield"),
    vat_id: field(z.string().nullable(), "VAT id of their company.", "DE123456789"),
    country: field(z.string().nullable(), "Two-letter code of their country.", "US"),
    wallet_email: field(
      z.string().nullable(),
      "E-mail address of the wallet that they are paid to.",
      "jane@wallet.example",
    ),
    avatar_url: field(
      z.string().nullable(),
      "Address of their picture.",
      "https://blog.example.com/jane.png",
    ),
    description: field(z.string().nullable(), "A longer description.", "Ten percent off in spring"),
    social_accounts: field(
      z.object({
        twitter: field(socialAccount, "Their page on Twitter."),
        youtube: field(socialAccount, "Their channel on YouTube."),
        facebook: field(socialAccount, "Their page on Facebook."),
        linkedin: field(socialAccount, "Their page on LinkedIn."),
        instagram: field(socialAccount, "Their page on Instagram."),
      }),
      "Their pages on social networks.",
    ),
  })
  .meta({ id: "V1Profile" });

/** A promoter's profile as V1 shows it. */
export function profileJson(profile: PromoterProfile): z.output<typeof profileAnswer> {
  return {
    first_name: profile.firstName,
    last_name: profile.lastName,
    website: profile.website,
    company_name: profile.companyName,
    phone_number: profile.phoneNumber,
    address: profile.address,
    vat_id: profile.vatId,
    country: profile.country,
    wallet_email: profile.walletEmail,
    avatar_url: profile.avatarUrl,
    description: profile.description,
    social_accounts: {
      twitter: { url: profile.twitterUrl },
      youtube: { url: profile.youtubeUrl },
      facebook: { url: profile.facebookUrl },
      linkedin: { url: profile.linkedinUrl },
      instagram: { url: profile.instagramUrl },
    },
  };
}
