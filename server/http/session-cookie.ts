import { serialize } from "cookie-es";
import type { H3Event } from "h3";

/** The cookies that hold the token of a session. The paths keep each from the other's operations. */
export const SESSION_COOKIES = {
  user: { name: "tidemark_admin", path: "/api/v2/company" },
  promoter: { name: "tidemark_portal", path: "/api/v2/affiliate" },
} as const;

type SessionCookie = (typeof SESSION_COOKIES)[keyof typeof SESSION_COOKIES];

/** The longest lifetime that browsers give. The server decides when a session ends. */
const MAX_AGE_SECONDS = 400 * 24 * 60 * 60;
const TOKEN = /^[\w-]{1,200}$/;

/**
 * The token of the session that a request belongs to, or null. A neighbouring site on the same domain can add a
 * cookie of its own by this name, to lead somebody into a foreign session. So two different values count as none.
 */
export function readSessionToken(event: H3Event, { name }: SessionCookie): string | null {
  const pairs = (event.req.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  const values = new Set(
    pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1)),
  );
  const [token = ""] = values;
  return values.size === 1 && TOKEN.test(token) ? token : null;
}

/** The `Set-Cookie` header that keeps a session's token in the browser. */
export function sessionCookie(cookie: SessionCookie, token: string, publicUrl: string): string {
  return serialize(cookie.name, token, { ...attributes(cookie, publicUrl), maxAge: MAX_AGE_SECONDS });
}

/** The `Set-Cookie` header that removes a session's token from the browser. */
export function endedSessionCookie(cookie: SessionCookie, publicUrl: string): string {
  return serialize(cookie.name, "", { ...attributes(cookie, publicUrl), maxAge: 0 });
}

/** A public address with a path has a proxy in front that takes the path away. */
function attributes(cookie: SessionCookie, publicUrl: string) {
  const { protocol, pathname } = new URL(publicUrl);
  const path = `${pathname.replace(/\/$/, "")}${cookie.path}`;
  const secure = protocol === "https:";
  return { path, httpOnly: true, sameSite: "lax", ...(secure && { secure }) } as const;
}
