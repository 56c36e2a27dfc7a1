import { email, text } from "../../input/fields.ts";
import { parseUrl } from "../../url.ts";

/*
 * Fields that people type themselves, into the portal and on the sign-up page. Programs of the company may send more.
 */

/** An e-mail address. Choice: its domain has a dot, because mail from here would reach no other. */
export const mailAddress = email.refine(
  // Without an "@" it is no address at all, which is another fault.
  (value) => !value.includes("@") || /@[^.]+(\.[^.]+)+$/.test(value),
  "needs a domain such as example.com",
);

/**
 * A site: `blog.example.com` becomes `https://blog.example.com`. Choice: nothing but a web address, because somebody may
 * make a link of it, and `javascript:` would run there.
 */
export const site = text
  .trim()
  .transform((value) => (/^https?:\/\//i.test(value) ? value : `https://${value.replace(/^\/+/, "")}`))
  .refine(isSite, "is not the address of a site");

/** Characters that no address has as they are, and that would end an attribute of a page. */
const UNSAFE = /[\s"'<>\\`]/;

function isSite(value: string): boolean {
  const url = parseUrl(value);
  return url !== null && url.hostname.includes(".") && url.username === "" && !UNSAFE.test(value);
}
