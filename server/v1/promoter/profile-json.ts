import { z } from "zod";
import type { PromoterProfile } from "../../domain/promoter/promoter.ts";

const socialAccount = z.object({ url: z.string().nullable() }).meta({ id: "V1SocialAccount" });

/** @see docs/spec/v1.md "Profile" */
export const profileAnswer = z
  .object({
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    website: z.string().nullable(),
    company_name: z.string().nullable(),
    phone_number: z.string().nullable(),
    address: z.string().nullable(),
    vat_id: z.string().nullable(),
    country: z.string().nullable(),
    wallet_email: z.string().nullable(),
    avatar_url: z.string().nullable(),
    description: z.string().nullable(),
    social_accounts: z.object({
      twitter: socialAccount,
      youtube: socialAccount,
      facebook: socialAccount,
      linkedin: socialAccount,
      instagram: socialAccount,
    }),
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
