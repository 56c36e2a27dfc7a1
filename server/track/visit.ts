import type { H3Event } from "h3";
import { isbot } from "isbot";
import { z } from "zod";
import type { Click, Visit } from "../domain/click.ts";
import { trackerNames } from "../domain/tracker-names.ts";
import { REF_COOKIE, VISITOR_COOKIE, siteCookie } from "../http/cookie.ts";
import { address as webPage, text } from "../http/fields.ts";
import type { Account } from "../records.ts";
import type { PublicRequest } from "./public-route.ts";
import { refIds } from "./ref-ids.ts";

/** What pages tell of a visit, with clicks and with sign-ups. */
export const visitParams = z.object({
  /** One ref id, or several with commas between, of which the first that is somebody's counts. */
  ref_id: text.optional(),
  // Choice: what is too long to keep is left out, since a click without its address is worth more than none.
  url: webPage.optional().catch(undefined),
  referrer: webPage.optional().catch(undefined),
  cookie_tid: text.optional(),
  domain: text.optional(),
  /** `given` where the page had asked the visitor. */
  consent: text.optional(),
});

/** Who the browser is from now on. */
export const visitAnswer = {
  tid: z.uuidv4().nullable(),
  ref_id: z.string().nullable(),
  cookie_days: z.int(),
  /** Whether the answer sets the cookies itself, so that the script has none to write. */
  has_cookies: z.boolean(),
};

const judgedAgents = new Map<string, boolean>();
const MAX_JUDGED_AGENTS = 1_000;

/** The visit that a page tells of. */
export function clickOf(
  given: z.output<typeof visitParams>,
  { tid, address }: { tid: string; address: string | null },
): Click {
  return {
    tid: tid.toLowerCase(),
    refTokens: refIds(given.ref_id ?? ""),
    cookieTid: given.cookie_tid ?? null,
    url: given.url ?? null,
    referrer: given.referrer ?? null,
    address,
    hasConsent: given.consent === "given",
  };
}

/** Whether nobody may be tracked: bots, pages fetched ahead of a visit, and those who object. */
export function isUntracked({ event, account }: Pick<PublicRequest, "event" | "account">): boolean {
  return isUnattended(event) || isOptedOut(event, account);
}

/** Tells the browser who it is, by cookies too where it would keep them. Nobody: the browser keeps nothing. */
export function tellVisit({ event, account, cookies }: PublicRequest, visit: Visit | null, domain: string) {
  if (visit === null) return { tid: null, ref_id: null, cookie_days: 0, has_cookies: false };
  const set = serverCookies(event, visit, { domain, prefix: trackerNames(account).cookie });
  cookies.push(...set);
  const { tid, refToken, cookieDays } = visit;
  return { tid, ref_id: refToken, cookie_days: cookieDays, has_cookies: set.length > 0 };
}

/** Browsers are few and alike, while the test of one costs as much as the rest of a click. */
function isKnownBot(userAgent: string): boolean {
  const known = judgedAgents.get(userAgent);
  if (known !== undefined) return known;
  if (judgedAgents.size >= MAX_JUDGED_AGENTS) judgedAgents.clear();
  const isBot = isbot(userAgent);
  judgedAgents.set(userAgent, isBot);
  return isBot;
}

function isUnattended(event: H3Event): boolean {
  const { headers } = event.req;
  const purpose = headers.get("sec-purpose") ?? headers.get("purpose") ?? headers.get("x-moz") ?? "";
  const userAgent = headers.get("user-agent") ?? "";
  return userAgent === "" || /prefetch|prerender|preview/i.test(purpose) || isKnownBot(userAgent);
}

/** @see https://w3c.github.io/gpc/ */
function isOptedOut(event: H3Event, account: Account): boolean {
  return account.honoursPrivacyControl && event.req.headers.get("sec-gpc") === "1";
}

/** Cookies that the server sets outlive the seven days that some browsers give to a script's. */
function serverCookies(
  event: H3Event,
  { tid, refToken, cookieDays }: Visit,
  { domain, prefix }: { domain: string; prefix: string },
): string[] {
  const origin = event.req.headers.get("origin");
  if (origin === null || !URL.canParse(origin)) return [];
  const common = {
    maxAgeDays: cookieDays,
    domain,
    requestHost: event.url.hostname,
    pageHost: new URL(origin).hostname,
    isSecure: origin.startsWith("https:"),
  };
  const set = [
    siteCookie({ ...common, name: prefix + VISITOR_COOKIE, value: tid }),
    siteCookie({ ...common, name: prefix + REF_COOKIE, value: refToken }),
  ];
  return set.filter((cookie) => cookie !== null);
}
