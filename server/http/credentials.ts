import { serialize } from "cookie-es";
import type { H3Event } from "h3";
import { basePath } from "../url.ts";

/** The V1 key, or null. @see docs/spec/common.md "Authentication" */
export function readApiKey(event: H3Event): string | null {
  return nonBlank(event.req.headers.get("x-api-key"));
}

/** The V2 bearer token, or null. The scheme may be in any case (RFC 9110, 11.1). */
export function readBearer(event: H3Event): string | null {
  const value = event.req.headers.get("authorization") ?? "";
  return nonBlank(/^bearer +(.*)$/i.exec(value)?.[1] ?? null);
}

/** The `Account-ID` header, or null. */
export function readAccountId(event: H3Event): string | null {
  return nonBlank(event.req.headers.get("account-id"));
}

/**
 * The session cookies. Their paths keep each from the other's operations. `/portal` gets the portal's cookie too, because
 * an auth token in its URL must not replace another promoter's session.
 */
export const SESSION_COOKIES = {
  user: { name: "tidemark_admin", paths: ["/api/v2/company"] },
  promoter: { name: "tidemark_portal", paths: ["/api/v2/affiliate", "/portal"] },
} as const;

type SessionCookie = (typeof SESSION_COOKIES)[keyof typeof SESSION_COOKIES];

/** The suffix of the cookie that marks known browsers. It outlives sessions, but grants no access. */
const MARKS = "_known";
/** Enough for all people who share a browser. */
const MAX_MARKS = 5;
const MARK = /^[\w-]{1,100}$/;

/** The longest lifetime that browsers allow. The server decides when a session ends. */
const MAX_AGE_SECONDS = 400 * 24 * 60 * 60;
const TOKEN = /^[\w-]{1,200}$/;

/**
 * The request's session token, or null. Another site on the same domain could add a cookie of the same name, to sign a
 * person in to a foreign account. So two different values count as none.
 */
export function readSessionToken(event: H3Event, { name }: SessionCookie): string | null {
  const values = new Set(readCookies(event, name));
  const [token = ""] = values;
  return values.size === 1 && TOKEN.test(token) ? token : null;
}

/** The `Set-Cookie` headers that keep a session's token in the browser. */
export function sessionCookies({ name, paths }: SessionCookie, token: string, publicUrl: string): string[] {
  const maxAge = MAX_AGE_SECONDS;
  return paths.map((path) => serialize(name, token, { ...attributes(path, publicUrl), maxAge }));
}

/** The browser's marks. Another site on the same domain may have added some, so each must be checked. */
export function readBrowserMarks(event: H3Event, { name }: SessionCookie): string[] {
  const given = readCookies(event, `${name}${MARKS}`).flatMap((value) => value.split("."));
  return given.filter((mark) => MARK.test(mark)).slice(0, 2 * MAX_MARKS);
}

/** The `Set-Cookie` header that keeps the marks of a browser. */
export function browserMarksCookie(
  { name, paths }: SessionCookie,
  marks: string[],
  publicUrl: string,
): string {
  const value = marks.slice(0, MAX_MARKS).join(".");
  return serialize(`${name}${MARKS}`, value, { ...attributes(paths[0], publicUrl), maxAge: MAX_AGE_SECONDS });
}

/** The `Set-Cookie` headers that remove a session's token from the browser. */
export function endedSessionCookies({ name, paths }: SessionCookie, publicUrl: string): string[] {
  return paths.map((path) => serialize(name, "", { ...attributes(path, publicUrl), maxAge: 0 }));
}

function nonBlank(value: string | null): string | null {
  const trimmed = value?.trim() ?? "";
  return trimmed === "" ? null : trimmed;
}

/** All values that a cookie has. */
function readCookies({ req }: H3Event, name: string): string[] {
  const pairs = (req.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
}

function attributes(ownPath: string, publicUrl: string) {
  const path = basePath(publicUrl) + ownPath;
  const secure = new URL(publicUrl).protocol === "https:";
  return { path, httpOnly: true, sameSite: "lax", ...(secure && { secure }) } as const;
}
