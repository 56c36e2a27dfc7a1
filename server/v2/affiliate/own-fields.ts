import { z } from "zod";
import { email, text } from "../../input/fields.ts";
import { parseUrl } from "../../url.ts";

/*
 * Fields that people enter themselves, in the portal and on the sign-up page. They are stricter than those of the
 * company's API.
 */

/** An e-mail address. Its domain needs a dot, because other domains can't be reached from here. */
export const mailAddress = email.refine(
  // Text without an "@" gets the error of `email` instead.
  (value) => !value.includes("@") || /@[^.]+(\.[^.]+)+$/.test(value),
  "needs a domain such as example.com",
);

/**
 * A site: `blog.example.com` becomes `https://blog.example.com`. Only web addresses are allowed, because a page may
 * link to it, and a `javascript:` link would run.
 */
export const site = text
  .trim()
  .transform((value) => (/^https?:\/\//i.test(value) ? value : `https://${value.replace(/^\/+/, "")}`))
  .refine(isSite, "is not the address of a site");

/** Characters that an address must escape, and that could end an HTML attribute. */
const UNSAFE = /[\s"'<>\\`]/;

function isSite(value: string): boolean {
  const url = parseUrl(value);
  return url !== null && url.hostname.includes(".") && url.username === "" && !UNSAFE.test(value);
}

const MIN_LENGTH = 8;
const MAX_LENGTH = 200;

/** A new password. Its length is the only rule (NIST SP 800-63B, 5.1.1.2). */
export const newPassword = z
  .string("is invalid")
  .min(MIN_LENGTH, `is too short (minimum is ${MIN_LENGTH} characters)`)
  .max(MAX_LENGTH, `is too long (maximum is ${MAX_LENGTH} characters)`);
