import type { operations } from "../ui/api/types.ts";

/** A kind of e-mail that campaigns send to promoters. */
export type EmailKind = operations["previewEmail"]["parameters"]["query"]["kind"];

/** What each e-mail is called, and when it is sent. */
export const EMAILS: Record<EmailKind, { label: string; hint: string }> = {
  signup_accepted: { label: "Welcome", hint: "When somebody joins and is accepted at once." },
  accepted: { label: "Accepted", hint: "When you accept somebody who waited." },
  rejected: { label: "Rejected", hint: "When you reject somebody." },
  new_referral: { label: "New lead", hint: "When somebody signs up through their link." },
  new_commission: { label: "New commission", hint: "When they have earned something." },
  payout_sent: { label: "Payout sent", hint: "When you have paid them." },
};

export const EMAIL_KINDS = Object.keys(EMAILS) as EmailKind[];
