import { describe, expect, it } from "vitest";
import { VISITOR_COOKIE, siteCookie, type SiteCookie } from "../../server/track/visit.ts";

const COOKIE: SiteCookie = {
  name: `_svc${VISITOR_COOKIE}`,
  value: "7f1b",
  maxAgeDays: 60,
  domain: "acme.example",
  requestHost: "track.acme.example",
  pageHost: "www.acme.example",
  isSecure: true,
};
const HOST_ONLY = "_svc_tid=7f1b; Max-Age=5184000; Path=/; Secure; SameSite=Lax";
const ON_DOMAIN = "_svc_tid=7f1b; Max-Age=5184000; Domain=acme.example; Path=/; Secure; SameSite=Lax";

describe("the cookie of page and server", () => {
  it.each<[string, Partial<SiteCookie>, string]>([
    ["stands on the domain that they share", {}, ON_DOMAIN],
    ["stands on a domain in any case", { domain: "ACME.example" }, ON_DOMAIN],
    ["stands on the domain that the page itself is", { pageHost: "acme.example" }, ON_DOMAIN],
    ["stands on the domain that the server itself is", { requestHost: "acme.example" }, ON_DOMAIN],
    [
      "stands on the domain of one host that is both",
      { requestHost: "acme.example", pageHost: "acme.example" },
      ON_DOMAIN,
    ],
    [
      "stands on the one host alone without a domain",
      { domain: "", requestHost: "www.acme.example" },
      HOST_ONLY,
    ],
    [
      "stands on a bare host alone",
      { domain: "localhost", requestHost: "localhost", pageHost: "localhost" },
      HOST_ONLY,
    ],
    [
      "stands on an address alone",
      { domain: "127.0.0.1", requestHost: "127.0.0.1", pageHost: "127.0.0.1" },
      HOST_ONLY,
    ],
    [
      "is not kept to encryption where there is none",
      { isSecure: false },
      "_svc_tid=7f1b; Max-Age=5184000; Domain=acme.example; Path=/; SameSite=Lax",
    ],
    [
      "lives as long as the campaign says, and escapes its value",
      { maxAgeDays: 1, value: "a;b" },
      "_svc_tid=a%3Bb; Max-Age=86400; Domain=acme.example; Path=/; Secure; SameSite=Lax",
    ],
  ])("%s", (_, changes, header) => {
    expect(siteCookie({ ...COOKIE, ...changes })).toBe(header);
  });

  it.each<[string, Partial<SiteCookie>]>([
    ["the server stands elsewhere", { requestHost: "track.tidemark.example" }],
    ["the page stands elsewhere", { pageHost: "www.other.example" }],
    ["the page's host only ends like the domain", { pageHost: "notacme.example" }],
    ["the server's host only ends like the domain", { requestHost: "notacme.example" }],
    ["the hosts differ and there is no domain", { domain: "" }],
    ["the domain is a bare word", { domain: "example" }],
    ["the domain is below the hosts", { domain: "a.www.acme.example" }],
    ["the domain begins with a dot", { domain: ".acme.example" }],
    ["the domain would add to the header", { domain: "acme.example; Secure" }],
    [
      "the domain is an end of two addresses",
      { domain: "0.1", requestHost: "10.0.0.1", pageHost: "10.1.0.1" },
    ],
    [
      "one bare host names another",
      { domain: "localhost", requestHost: "a.localhost", pageHost: "b.localhost" },
    ],
  ])("is not set where %s", (_, changes) => {
    expect(siteCookie({ ...COOKIE, ...changes })).toBe(null);
  });
});
