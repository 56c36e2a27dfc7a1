import type { PromoterProfile } from "./record.ts";

/** Changes to a profile. null: cleared. undefined: not given. */
export type ProfileChanges = { [Field in keyof PromoterProfile]?: PromoterProfile[Field] | undefined };

/** A profile with the given fields. The others are null. */
export function newProfile(given: ProfileChanges): PromoterProfile {
  return {
    firstName: given.firstName ?? null,
    lastName: given.lastName ?? null,
    website: given.website ?? null,
    companyName: given.companyName ?? null,
    phoneNumber: given.phoneNumber ?? null,
    address: given.address ?? null,
    vatId: given.vatId ?? null,
    country: given.country ?? null,
    walletEmail: given.walletEmail ?? null,
    avatarUrl: given.avatarUrl ?? null,
    description: given.description ?? null,
    companyNumber: given.companyNumber ?? null,
    twitterUrl: given.twitterUrl ?? null,
    youtubeUrl: given.youtubeUrl ?? null,
    facebookUrl: given.facebookUrl ?? null,
    linkedinUrl: given.linkedinUrl ?? null,
    instagramUrl: given.instagramUrl ?? null,
    twitchUrl: given.twitchUrl ?? null,
    tiktokUrl: given.tiktokUrl ?? null,
  };
}
