import type { operations } from "../ui/api/types.ts";

/** A kind of e-mail that campaigns send to promoters. */
export type EmailKind = operations["previewEmail"]["parameters"]["query"]["kind"];

/** The name of each e-mail, and when it is sent. */
export const EMAILS: Record<EmailKind, { label: string; hint: string }> = {
  signup_accepted: { label: "Welcome", hint: "When a new promoter is accepted immediately." },
  accepted: { label: "Accepted", hint: "When you accept a promoter who waited." },
  rejected: { label: "Rejected", hint: "When you reject a promoter." },
  new_referral: { label: "New lead", hint: "When a person signs up through their link." },
  new_commission: { label: "New commission", hint: "When they have earned something." },
  payout_sent: { label: "Payout sent", hint: "When you have paid them." },
};

export const EMAIL_KINDS = Object.keys(EMAILS) as EmailKind[];
