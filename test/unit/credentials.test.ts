import { H3Event } from "h3";
import { describe, expect, it } from "vitest";
import {
  endedSessionCookies,
  readSessionToken,
  SESSION_COOKIES,
  sessionCookies,
} from "../../server/http/credentials.ts";

const event = (headers: Record<string, string>) =>
  new H3Event(new Request("http://10.0.0.5:3000/api/v2/company/session", { headers }));

describe("the cookie of a session", () => {
  it("is out of reach of scripts and of other sites, and secret on the way where the server is", () => {
    expect(sessionCookies(SESSION_COOKIES.user, "abc", "https://track.acme.example")).toEqual([
      "tidemark_admin=abc; Max-Age=34560000; Path=/api/v2/company; HttpOnly; Secure; SameSite=Lax",
    ]);
    expect(sessionCookies(SESSION_COOKIES.promoter, "abc", "http://localhost:3000")).toEqual([
      "tidemark_portal=abc; Max-Age=34560000; Path=/api/v2/affiliate; HttpOnly; SameSite=Lax",
      "tidemark_portal=abc; Max-Age=34560000; Path=/portal; HttpOnly; SameSite=Lax",
    ]);
    expect(endedSessionCookies(SESSION_COOKIES.user, "http://localhost:3000")).toEqual([
      "tidemark_admin=; Max-Age=0; Path=/api/v2/company; HttpOnly; SameSite=Lax",
    ]);
  });

  it("goes to the path that browsers see", () => {
    expect(sessionCookies(SESSION_COOKIES.user, "abc", "https://acme.example/track")).toEqual([
      "tidemark_admin=abc; Max-Age=34560000; Path=/track/api/v2/company; HttpOnly; Secure; SameSite=Lax",
    ]);
  });

  it.each([
    ["tidemark_admin=abc", "abc"],
    ["_svc_tid=1; tidemark_admin=abc;other=2", "abc"],
    ["tidemark_admin=abc; tidemark_admin=abc", "abc"],
    ["tidemark_admin=foreign; tidemark_admin=abc", null],
    ["tidemark_admin=", null],
    ["Tidemark_admin=abc", null],
    ["xtidemark_admin=abc", null],
    ["tidemark_portal=abc", null],
    [`tidemark_admin=${"a".repeat(201)}`, null],
    ['tidemark_admin="abc"', null],
    ["tidemark_admin", null],
    ["", null],
  ])("is read from %j", (cookie, token) => {
    expect(readSessionToken(event({ cookie }), SESSION_COOKIES.user)).toBe(token);
  });
});
