import { z } from "zod";
import { field } from "../http/fields.ts";

/* Fields with the same meaning in several nouns and in both generations. */

export const refToken = field(
  z.string(),
  "The promoter's referral id, as in their links: lower-case letters, digits, `-` and `_`.",
  "jane",
);

export const referralLink = field(
  z.string(),
  "The promoter's referral link.",
  "https://www.example.com/?via=jane",
);

export const landingUrl = field(z.string(), "Page that referral links lead to.", "https://www.example.com/");

export const coupon = field(
  z.string().nullable(),
  "Code or id of the coupon at your billing provider.",
  "JANE10",
);

export const custId = field(
  z.string().nullable(),
  "Your own user id for the promoter. Webhooks carry it.",
  "user-4711",
);

export const uid = field(
  z.string().nullable(),
  "Your own id of the person, as your billing provider knows it. Later sales find the lead by it.",
  "cus_99",
);

export const tid = field(
  z.string(),
  "The visitor's id, from the cookie `_svc_tid`. It names the promoter who sent the visitor.",
  "7c9e6679-7425-40de-944b-e07fc1f90ae7",
);

export const subId = field(
  z.string().nullable(),
  "A channel of the promoter's own, such as a newsletter.",
  "newsletter-7",
);

export const customFields = field(
  z.record(z.string(), z.unknown()),
  "Fields of your own, as an object. In a form, write it as JSON.",
  {
    plan: "pro",
  },
);

export const ownData = field(
  z.record(z.string(), z.unknown()),
  "Further data of your own. In a form, write it as JSON.",
  { source: "spring" },
);
