import { readdirSync, readFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { cookieValues, countsOf, visitorIds, WITHOUT_RETRIES } from "../support/browser.ts";
import { ACCOUNT, v1 } from "../support/server.ts";
import { address, newWorlds, postedTids, settled, stored, tag } from "../support/site.ts";

const MORE = `/${readdirSync("dist").find((name) => name.startsWith("svc-more."))}`;

const world = newWorlds();

beforeEach(() => v1(world.server, "/promoters/create", { email: "bob@example.com", ref_id: "bob" }));

/** Opens a page. It need not have loaded, because the script may be held back. */
const page = (path: string) =>
  world.page.goto(`${address(world, "www")}${path}`, { waitUntil: "domcontentloaded" });
const counts = (refId = "jane") => countsOf(world.folder, refId);
const told = (call: string) =>
  world.page.evaluate(`new Promise((resolve) => svc(${call}, (outcome) => resolve(outcome.status)))`);
const push = (query: string) => world.page.evaluate(`history.pushState({}, "", "${query}")`);
const cookies = () => cookieValues(world.context);

describe("a second file", () => {
  const form = `<form data-svc-signup action="/done"><input name="email" value="form@example.com"><button>go</button></form>`;
  const block = () => world.context.route("**/svc-more.*", (route) => route.abort());

  it("that is blocked loses no click, and keeps call and form until it comes; nothing counts twice", async () => {
    world.site["/"] = { html: tag(world) + form };
    world.site["/done"] = { html: "done" };
    await block();
    await page("/?via=jane");
    expect(await told("'onReady'")).toBe("waiting");
    expect(await told("'signup', { email: 'call@example.com' }")).toBe("waiting");
    await expect.poll(counts).toEqual({ clicks: 1, leads: 0 });
    await world.page.click("button");
    await world.page.waitForURL(/done/);
    const [tid] = postedTids(world);
    await world.context.unroute("**/svc-more.*");
    await page("/");
    await settled(world.page);
    await expect.poll(() => stored(world.page)).toEqual([expect.stringContaining(`_svc_tid=${tid}`), {}, {}]);
    await expect.poll(counts).toEqual({ clicks: 1, leads: 2 });
    expect(await visitorIds(world.folder)).toEqual([tid]);
  });

  it("that has not come when the page is left loses no click", async () => {
    const more = world.front.hold(MORE);
    world.site["/next"] = { html: "next" };
    await page("/?via=jane");
    await world.page.waitForFunction("localStorage._svc_q");
    await page("/next");
    await expect.poll(counts).toEqual({ clicks: 1, leads: 0 });
    more();
    await page("/");
    await settled(world.page);
    expect(await counts()).toEqual({ clicks: 1, leads: 0 });
    expect(await cookies()).toEqual({ _svc_tid: postedTids(world)[0], _svc_ref: "jane" });
  });

  it("that has not come when a form leaves the page loses no sign-up: another page sends it", async () => {
    const more = world.front.hold(MORE);
    world.site["/"] = { html: tag(world) + form };
    world.site["/done"] = { html: "done" };
    await page("/?via=jane");
    await world.page.click("button");
    await world.page.waitForURL(/done/);
    more();
    world.site["/later"] = { html: tag(world) };
    await page("/later");
    await expect.poll(counts).toEqual({ clicks: 1, leads: 1 });
  });

  it("has the nonce of the first, and the policy that Trusted Types allow", async () => {
    const violations: string[] = [];
    world.page.on("console", (line) => void (line.type() === "error" && violations.push(line.text())));
    const track = address(world, "track");
    world.site["/"] = {
      html: `<link rel="icon" href="data:,">${tag(world).replace("<script", '<script nonce="n0"')}${form.replace("/done", "#")}`,
      headers: {
        "content-security-policy": `default-src 'none'; img-src data:; script-src 'nonce-n0'; connect-src ${track}; require-trusted-types-for 'script'; trusted-types svc`,
      },
    };
    await page("/?via=jane");
    await expect.poll(cookies).toMatchObject({ _svc_ref: "jane" });
    await world.page.click("button");
    await expect.poll(counts).toEqual({ clicks: 1, leads: 1 });
    expect(violations).toEqual([]);
  });

  it("that someone has changed does not run if the first is pinned", async () => {
    const first = await fetch(`${world.server.url}/svc.js`);
    const digest = await crypto.subtle.digest("SHA-384", await first.arrayBuffer());
    const integrity = `sha384-${Buffer.from(digest).toString("base64")}`;
    const headers = { "content-type": "text/javascript", "access-control-allow-origin": "*" };
    world.site["/"] = {
      html: tag(world).replace("<script", `<script integrity="${integrity}" crossorigin="anonymous"`),
    };
    world.site[MORE] = { html: "document.title = 'changed'", headers };
    await page("/?via=jane");
    expect(await told("'signup', { email: 'lead@example.com' }")).toBe("waiting");
    expect(await world.page.title()).toBe("");
    await expect.poll(counts).toEqual({ clicks: 1, leads: 0 });
    delete world.site[MORE];
    await page("/?via=jane");
    await settled(world.page);
    expect(await world.page.evaluate("document.querySelector('script[src*=svc-more]').integrity")).toMatch(
      /^sha256-/,
    );
    expect(await cookies()).toMatchObject({ _svc_ref: "jane" });
    await expect.poll(counts).toEqual({ clicks: 1, leads: 1 });
  });

  it("is not loaded for a visitor whom nobody has sent", async () => {
    const asked: string[] = [];
    world.page.on("request", (request) => void asked.push(new URL(request.url()).pathname));
    await page("/");
    expect(await told("'onReady'")).toBe("refused");
    expect(asked.filter((path) => path.startsWith("/svc"))).toEqual(["/svc.js"]);
  });

  it("notices a referral that a router shows later", async () => {
    await page("/");
    await settled(world.page);
    await push("/?via=jane");
    await settled(world.page);
    await expect.poll(counts).toEqual({ clicks: 1, leads: 0 });
  });
});

describe("the last link", () => {
  it("keeps its visitor, cookies and sign-up when an older link's click is sent later", async () => {
    await world.context.addInitScript(WITHOUT_RETRIES);
    world.site["/t/click"] = { html: "a portal's page" };
    await page("/?via=jane");
    expect(await told("'onReady'")).toBe("waiting");
    delete world.site["/t/click"];
    await push("/?via=bob");
    await settled(world.page);
    await expect.poll(() => counts("bob")).toEqual({ clicks: 1, leads: 0 });
    const known = await cookies();
    await page("/");
    await expect.poll(() => counts()).toEqual({ clicks: 1, leads: 0 });
    await expect.poll(() => world.page.evaluate("localStorage.length")).toBe(0);
    expect(await cookies()).toEqual(known);
    expect(known).toMatchObject({ _svc_ref: "bob" });
    expect(await told("'signup', { email: 'lead@example.com' }")).toBe("recorded");
    expect(await counts("bob")).toEqual({ clicks: 1, leads: 1 });
  });
});

describe("consent that is withdrawn while a click is under way", () => {
  it("leaves no cookies, and no visitor in the server", async () => {
    const answer = world.front.hold("/t/click");
    await page("/?via=jane");
    await expect.poll(() => postedTids(world)).toHaveLength(1);
    await world.page.evaluate("svc('consent', false)");
    answer();
    // The visitor is named immediately, and again after the click's answer.
    const withdrawals = () => world.front.requests.filter((each) => each === "POST /t/withdraw");
    await expect.poll(() => withdrawals().length).toBeGreaterThanOrEqual(2);
    await expect.poll(() => visitorIds(world.folder)).toEqual([]);
    expect(await stored(world.page)).toEqual(["", {}, {}]);
    expect(await cookies()).toEqual({});
    // The click of a visitor who withdraws within a minute does not count.
    expect(await counts()).toEqual({ clicks: 0, leads: 0 });
  });
});

it("keeps a form that was sent before the script was there, if the guide's stub is on the page", async () => {
  const script = world.front.hold("/svc.js");
  const stub = readFileSync("docs/marketers.md", "utf8").match(/<script>\n[^]*?"submit"[^]*?<\/script>/)![0];
  world.site["/"] = {
    html: `${stub}${tag(world).replace("<script", "<script async")}
      <form data-svc-signup onsubmit="this.reset(); return false"><input name="email"><button>go</button></form>`,
  };
  await page("/?via=jane");
  await world.page.fill("input", "early@example.com");
  await world.page.click("button");
  expect(world.front.forms).toEqual([]);
  script();
  await expect.poll(counts).toEqual({ clicks: 1, leads: 1 });
  expect(world.front.forms.at(-1)).toMatchObject({ cid: ACCOUNT, email: "early@example.com" });
});
