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
 * The cookies that hold the token of a session. The paths keep each from the other's operations. `/portal` sees it too,
 * because an auth token in its address must not replace somebody else's session.
 */
export const SESSION_COOKIES = {
  user: { name: "tidemark_admin", paths: ["/api/v2/company"] },
  promoter: { name: "tidemark_portal", paths: ["/api/v2/affiliate", "/portal"] },
} as const;

type SessionCookie = (typeof SESSION_COOKIES)[keyof typeof SESSION_COOKIES];

/** The cookie of the marks by which a browser is known. It outlives sessions, and opens nothing. */
const MARKS = "_known";
/** More people than share a browser. */
const MAX_MARKS = 5;
const MARK = /^[\w-]{1,100}$/;

/** The longest lifetime that browsers give. The server decides when a session ends. */
const MAX_AGE_SECONDS = 400 * 24 * 60 * 60;
const TOKEN = /^[\w-]{1,200}$/;

/**
 * The token of the session that a request belongs to, or null. A neighbouring site on the same domain can add a
 * cookie of its own by this name, to lead somebody into a foreign session. So two different values count as none.
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

/** The marks that a browser has, and perhaps some that a neighbouring site has added. Each must be checked. */
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
