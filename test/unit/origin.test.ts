import { H3Event } from "h3";
import { describe, expect, it } from "vitest";
import { isAllowedOrigin } from "../../server/domain/program/campaign/allowed-origin.ts";
import { isFromOwnPage } from "../../server/http/origin.ts";

const LANDING = "https://www.acme.example/start?a=1";

describe("an empty list", () => {
  it.each([
    ["https://www.acme.example", true],
    ["https://acme.example", true],
    ["https://shop.eu.acme.example", true],
    ["http://acme.example:8080", true],
    ["https://notacme.example", false],
    ["https://acme.example.evil.example", false],
    ["https://example", false],
    ["null", false],
    ["", false],
    [null, false],
  ])("allows the landing page's own site to send: %j is %j", (origin, isAllowed) => {
    expect(isAllowedOrigin(origin, [], LANDING)).toBe(isAllowed);
  });

  it.each([
    ["http://localhost:3000/demo", "http://localhost:5173", true],
    ["http://127.0.0.1:3000/demo", "http://127.0.0.1:3000", true],
    ["http://127.0.0.1:3000/demo", "http://localhost:3000", true],
    ["http://127.0.0.1:3000/demo", "http://[::1]:3000", true],
    ["http://127.0.0.1:3000/demo", "http://localhost.evil.example:3000", false],
    ["http://0.0.0.0:3000/demo", "http://localhost:3000", true],
    ["http://localhost:3000/demo", "http://127.0.0.1:3000", true],
    ["https://www.acme.example/", "http://localhost:3000", false],
    ["http://127.0.0.1:3000/demo", "http://127.0.0.2:3000", false],
    ["http://[::1]:3000/demo", "http://[::1]:3000", true],
    ["https://münchen.example/", "https://xn--mnchen-3ya.example", true],
    ["not an address", "https://acme.example", false],
    ["not an address", "foo:bar", false],
  ])("of the landing page %s lets %s send: %j", (landing, origin, isAllowed) => {
    expect(isAllowedOrigin(origin, [], landing)).toBe(isAllowed);
  });
});

describe("an entry", () => {
  it.each([
    // An origin: scheme, host and port.
    ["https://shop.example", "https://shop.example", true],
    ["https://shop.example", "http://shop.example", false],
    ["https://shop.example", "https://shop.example:8443", false],
    ["https://shop.example", "https://www.shop.example", false],
    ["https://shop.example:8443", "https://shop.example:8443", true],
    ["https://shop.example:443", "https://shop.example", true],
    ["https://shop.example/", "https://shop.example", true],
    ["https://shop.example/a/page", "https://shop.example", true],
    [" HTTPS://Shop.Example ", "https://shop.example", true],
    ["https://münchen.example", "https://xn--mnchen-3ya.example", true],
    ["https://", "https://shop.example", false],
    ["http://localhost:5173", "http://127.0.0.1:5173", true],
    ["http://localhost:5173", "http://127.0.0.1:3000", false],
    // A host: any scheme, any port.
    ["localhost", "http://127.0.0.1:5173", true],
    ["127.0.0.1", "http://localhost:5173", true],
    ["shop.example", "https://shop.example", true],
    ["shop.example", "http://shop.example:8080", true],
    ["Shop.Example", "https://shop.example", true],
    ["münchen.example", "https://xn--mnchen-3ya.example", true],
    ["shop.example", "https://www.shop.example", false],
    ["shop.example", "https://myshop.example", false],
    ["", "https://shop.example", false],
    // A host with its subdomains.
    ["*.shop.example", "https://shop.example", true],
    ["*.shop.example", "https://a.b.shop.example", true],
    ["*.Shop.Example", "https://a.shop.example", true],
    ["*.münchen.example", "https://a.xn--mnchen-3ya.example", true],
    ["*.shop.example", "https://myshop.example", false],
    ["*.shop.example", "https://shop.example.evil.example", false],
    ["*.", "https://shop.example", false],
    ["*.", "https://shop.example.", false],
    // Other schemes have the origin "null", or none that means a web site.
    ["app://shop", "app://shop", false],
    ["app://shop", "other://evil", false],
    ["shop.example", "ftp://shop.example", false],
    ["null", "null", false],
    ["", "foo:bar", false],
    // All.
    ["*", "https://any.example", true],
    ["*", "null", true],
    ["*", null, true],
  ])("%j given the origin %j decides %j", (entry, origin, isAllowed) => {
    expect(isAllowedOrigin(origin, [entry], LANDING)).toBe(isAllowed);
  });

  it("with an umlaut is allowed however many addresses were read before", () => {
    // Code that has run often is compiled, and then a fault of Node shows.
    for (let at = 0; at < 20_000; at++)
      isAllowedOrigin("https://shop.example", ["https://shop.example"], LANDING);
    const entry = "https://münchen.example";
    expect(isAllowedOrigin("https://xn--mnchen-3ya.example", [entry], LANDING)).toBe(true);
  });
});

describe("a list", () => {
  it("allows only its entries, not the landing page's site", () => {
    const allowed = ["https://a.example", "b.example"];
    const origins = ["https://a.example", "https://b.example", "https://c.example", "https://acme.example"];
    expect(origins.map((origin) => isAllowedOrigin(origin, allowed, LANDING))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

const event = (headers: Record<string, string>) =>
  new H3Event(new Request("http://10.0.0.5:3000/api/v2/company/session", { headers }));

describe("a request of the server's own page", () => {
  it.each([
    ["https://track.acme.example", "track.acme.example", true],
    ["http://10.0.0.5:3000", "10.0.0.5:3000", true],
    ["https://track.acme.example", "10.0.0.5:3000", true],
    ["http://track.acme.example", "10.0.0.5:3000", false],
    ["https://track.acme.example.evil.example", "10.0.0.5:3000", false],
    ["https://evil.example", "10.0.0.5:3000", false],
    ["http://10.0.0.5:3001", "10.0.0.5:3000", false],
    ["null", "10.0.0.5:3000", false],
    ["file://10.0.0.5:3000", "10.0.0.5:3000", false],
    ["", "10.0.0.5:3000", false],
  ])("comes from %s to %s: %s", (origin, host, isOwn) => {
    expect(isFromOwnPage(event({ origin, host }), "https://track.acme.example")).toBe(isOwn);
  });

  it("names its origin", () => {
    expect(isFromOwnPage(event({}), "http://10.0.0.5:3000")).toBe(false);
  });
});
