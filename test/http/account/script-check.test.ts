import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newFetchPage } from "../../../server/outgoing/page.ts";
import { startApp, type TestApp } from "../../support/app.ts";
import { company, invalid, outcome } from "../../support/v2.ts";

/** A site whose pages answer as each test says. */
let site: Server;
let url: string;
let pages: Record<string, (response: ServerResponse) => void>;
let app: TestApp;
beforeEach(async () => {
  pages = {};
  site = createServer((request, response) => {
    const page = pages[request.url ?? ""];
    if (page === undefined) return response.writeHead(404).end("nothing here");
    page(response);
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  app = await startApp("memory", { allowsPrivateWebhooks: true });
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
  site.closeAllConnections();
  await new Promise((resolve) => site.close(resolve));
});

const tag = (id: string) => `<html><script async src="https://t.example/svc.js" data-cid="${id}"></script>`;
const html = (text: string) => (response: ServerResponse) => void response.end(text);
const redirect = (location: string) => (response: ServerResponse) =>
  void response.writeHead(302, { location }).end();
const check = async (path: string) => {
  await company(app, "PUT /campaigns/1", { landing_url: `${url}${path}` });
  return outcome(app.v2("POST", "/setup/script", { campaign_id: 1 }));
};
const body = (result: string, over: Record<string, unknown> = {}) => ({
  status: 200,
  body: { result, url: `${url}/`, other_account_id: null, error: null, ...over },
});

describe("POST /api/v2/company/setup/script", () => {
  it.each([
    ["the tag", tag("acme"), "found", null],
    ["the tag of another account", tag("globex"), "other_account", "globex"],
    ["a tag manager", `<script src="https://www.googletagmanager.com/gtm.js"></script>`, "tag_manager", null],
    ["none of these", "<html><p>Hello", "not_found", null],
  ])("sees %s on the landing page", async (_, text, result, otherId) => {
    pages["/"] = html(text);
    expect(await check("/")).toEqual(body(result, { other_account_id: otherId }));
  });

  it("follows redirects, and names the page that it came to", async () => {
    pages["/"] = redirect("/en");
    pages["/en"] = redirect(`${url}/en/home`);
    pages["/en/home"] = html(tag("acme"));
    expect(await check("/")).toEqual(body("found", { url: `${url}/en/home` }));
  });

  it("gives up on redirects without an end", async () => {
    pages["/"] = redirect("/");
    expect(await check("/")).toEqual(body("not_fetched", { error: "Redirected more than 5 times" }));
  });

  it.each([
    ["mailto:jane@example.com", "mailto: is no address of a page"],
    ["file:///etc/passwd", "file: is no address of a page"],
  ])("follows no redirect to %s", async (location, error) => {
    pages["/"] = redirect(location);
    expect(await check("/")).toEqual(body("not_fetched", { url: location, error }));
  });

  it("shows what the site answered instead of a page", async () => {
    expect(await check("/gone")).toEqual(body("not_fetched", { url: `${url}/gone`, error: "Answered 404" }));
  });

  it("reads a page that never ends only as far as tags stand", async () => {
    pages["/"] = (response) => {
      const text = "x".repeat(64 * 1024);
      const write = (): void => {
        while (!response.destroyed) if (!response.write(text)) return void response.once("drain", write);
      };
      response.write(tag("acme"));
      write();
    };
    expect(await check("/")).toEqual(body("found"));
  });

  const noCampaign = invalid({ campaign_id: ["can't be blank"] });

  it.each([
    ["a body without campaign", {}, noCampaign],
    [
      "an unknown campaign",
      { campaign_id: 99 },
      { status: 404, body: { message: "Campaign not found.", code: "not_found" } },
    ],
    ["an address of one's own choice", { url: "https://example.com/" }, noCampaign],
  ])("refuses %s", async (_, given, refusal) => {
    expect(await outcome(app.v2("POST", "/setup/script", given))).toEqual(refusal);
  });

  it("fetches no private address", async () => {
    await app.close();
    app = await startApp();
    pages["/"] = () => expect.unreachable("the page was fetched");
    expect(await check("/")).toEqual(
      body("not_fetched", { error: "127.0.0.1 is a private or internal address" }),
    );
    await company(app, "PUT /campaigns/1", { landing_url: "http://localhost:1/" });
    expect(await outcome(app.v2("POST", "/setup/script", { campaign_id: 1 }))).toMatchObject({
      body: { result: "not_fetched", error: "localhost is a private or internal address" },
    });
  });
});

describe("fetching a page", () => {
  const addresses: Record<string, string> = { "shop.example": "127.0.0.1" };
  const resolve = (host: string) => Promise.resolve([{ address: addresses[host] ?? "::1", family: 4 }]);

  it("does not reach a private address behind a public name", async () => {
    const fetchPage = newFetchPage({ allowsPrivate: false, resolve });
    const { port } = new URL(url);
    expect(await fetchPage(`http://shop.example:${port}/`)).toEqual({
      url: `http://shop.example:${port}/`,
      html: null,
      fault: "shop.example is a private or internal address",
    });
  });

  it("waits for a silent site only as long as it may", async () => {
    pages["/"] = () => {};
    pages["/slow"] = (response) => void response.write("<html>");
    const fetchPage = newFetchPage({ allowsPrivate: true, timeoutMs: 100 });
    for (const path of ["/", "/slow"]) {
      expect(await fetchPage(url + path)).toEqual({
        url: url + path,
        html: null,
        fault: "No answer within 0.1 s",
      });
    }
  });
});
