import type { H3Event } from "h3";
import { isbot } from "isbot";
import { z } from "zod";
import { recordClick, type ClickResult } from "../domain/visitor.ts";
import { VISITOR_COOKIE, siteCookie } from "../http/cookie.ts";
import { address as webPage, flag, text } from "../http/fields.ts";
import { shapeInput } from "../http/shape.ts";
import type { Account } from "../records.ts";
import type { PublicOperation, PublicRequest } from "./public-route.ts";

const clickParams = z.object({
  tid: z.uuidv4("is not a UUID v4"),
  ref_id: text.optional(),
  url: webPage.optional(),
  referrer: webPage.optional(),
  url_tracking: flag.optional(),
  cookie_tid: text.optional(),
  domain: text.optional(),
});

const judgedAgents = new Map<string, boolean>();
const MAX_JUDGED_AGENTS = 1_000;

/** Nobody: the browser keeps nothing. */
const NOBODY = { tid: null, ref_id: null, cookie_days: 0 };

/** `POST /t/click` */
export const trackClick: PublicOperation = {
  summary: "Record the click of a referral link",
  params: clickParams.extend({ cid: text }),
  answer: z.object({
    tid: z.uuidv4().nullable(),
    ref_id: z.string().nullable(),
    cookie_days: z.int(),
  }),
  handle: click,
};

async function click({ event, params, account, context, address, headers }: PublicRequest) {
  const given = shapeInput(clickParams, params);
  if (isUnattended(event) || isOptedOut(event, account)) return NOBODY;
  if (given.ref_id === undefined && !given.url_tracking) return NOBODY;
  const visitor = await recordClick(context, account, {
    tid: given.tid.toLowerCase(),
    refToken: given.ref_id ?? null,
    cookieTid: given.cookie_tid ?? null,
    url: given.url ?? null,
    referrer: given.referrer ?? null,
    address,
  });
  if (visitor === null) return NOBODY;
  const cookie = serverCookie(event, visitor, given.domain ?? "");
  if (cookie !== null) headers["set-cookie"] = cookie;
  return { tid: visitor.tid, ref_id: visitor.refToken, cookie_days: visitor.cookieDays };
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

/** Bots and pages fetched ahead of a visit are nobody's referral. */
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

/** A cookie that the server sets outlives the seven days that some browsers give to a script's. */
function serverCookie(event: H3Event, visitor: ClickResult, domain: string): string | null {
  const origin = event.req.headers.get("origin");
  if (origin === null || !URL.canParse(origin)) return null;
  return siteCookie({
    name: VISITOR_COOKIE,
    value: visitor.tid,
    maxAgeDays: visitor.cookieDays,
    domain,
    requestHost: event.url.hostname,
    pageHost: new URL(origin).hostname,
    isSecure: origin.startsWith("https:"),
  });
}
