import { createServer, type Server as PageServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  cookieValues,
  countsOf,
  sharedChromium,
  STUB,
  tidy,
  USER_AGENT,
  type Site,
} from "../support/browser.ts";
import { ACCOUNT, startServer, temporaryFolder, v1, type Server } from "../support/server.ts";
import { settled } from "../support/site.ts";

let browser: Browser;
let pages: PageServer;
let pagePort: number;
let site: Site;

let server: Server;
let folder: string;
let remove: () => void;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  browser = await sharedChromium();
  pages = createServer((request, response) => {
    const found = site[new URL(request.url!, "http://x").pathname];
    response.writeHead(found ? 200 : 404, { "content-type": "text/html; charset=utf-8", ...found?.headers });
    response.end(found?.html ?? "");
  });
  await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve));
  pagePort = (pages.address() as AddressInfo).port;
});
afterAll(async () => {
  await tidy(browser);
  pages.close();
});

beforeEach(async () => {
  ({ folder, remove } = temporaryFolder());
  server = await startServer(folder, { PUBLIC_URL: "http://www.example.test", DEMO: "1" });
  await v1(server, "/promoters/create", { email: "jane@example.com", ref_id: "jane", first_name: "Jane" });
  await v1(server, "/promoters/create", { email: "bob@example.com", ref_id: "bob" });
  context = await browser.newContext({ userAgent: USER_AGENT });
  page = await context.newPage();
  site = { "/": { html: oneTag() } };
});
afterEach(async () => {
  await context.close();
  await server.kill();
  remove();
});

const tracker = () => `http://track.example.test:${server.port}`;
const oneTag = (attributes = "") =>
  `<script async src="${tracker()}/svc.js" data-cid="${ACCOUNT}" ${attributes}></script>`;
const at = (path: string, host = "www.example.test") => `http://${host}:${pagePort}${path}`;
const cookies = () => cookieValues(context);
const answered = (path: string) => page.waitForResponse((response) => response.url().endsWith(path));
const svc = (...args: unknown[]) =>
  page.evaluate((given) => (window as unknown as { svc: (...a: unknown[]) => void }).svc(...given), args);
const counts = (refId: string) => countsOf(folder, refId);

async function follow(path: string): Promise<void> {
  const click = answered("/t/click");
  await page.goto(at(path));
  await click;
  await expect.poll(async () => Object.keys(await cookies()).toSorted()).toEqual(["_svc_ref", "_svc_tid"]);
}

describe("a referral link", () => {
  it("gives the visitor an id in cookies of the whole site, and their sign-up becomes a lead", async () => {
    await follow("/?via=jane");
    const found = await context.cookies();
    const inSixtyDays = Date.now() / 1_000 + 60 * 86_400;
    for (const name of ["_svc_tid", "_svc_ref"]) {
      const cookie = found.find((candidate) => candidate.name === name)!;
      expect(cookie).toMatchObject({
        domain: ".example.test",
        path: "/",
        sameSite: "Lax",
        secure: false,
        httpOnly: false,
      });
      expect(Math.abs(cookie.expires - inSixtyDays)).toBeLessThan(60);
    }
    expect(found).toHaveLength(2);
    const signup = answered("/t/signup");
    await svc("referral", { email: "lead@example.com" });
    expect(await (await signup).json()).toMatchObject({ status: "recorded" });
    expect(await counts("jane")).toEqual({ clicks: 1, leads: 1 });
  });

  it("does not count a second visit of the same link, but counts another promoter's link", async () => {
    await follow("/?via=jane");
    const first = await cookies();
    await page.goto(at("/?via=jane"));
    await page.goto(at("/", "blog.example.test"));
    await settled(page);
    expect(await cookies()).toEqual(first);
    await follow("/?ref=bob");
    await expect.poll(async () => (await cookies())["_svc_ref"]).toBe("bob");
    expect((await cookies())["_svc_tid"]).not.toBe(first["_svc_tid"]);
    expect(await counts("jane")).toEqual({ clicks: 1, leads: 0 });
    expect(await counts("bob")).toEqual({ clicks: 1, leads: 0 });
  });

  it.each([
    "<script>window.hacked = 1</script>",
    "x".repeat(6_000),
    "ünï🜁cödé",
    "a\r\nSet-Cookie: x=1",
    "%00",
    "__proto__",
  ])("that is hostile (%#) leaves no trace and no error", async (value) => {
    const errors: Error[] = [];
    page.on("pageerror", (error) => errors.push(error));
    await page.goto(at(`/?via=${encodeURIComponent(value)}`));
    await page.waitForFunction(
      "window.svc && new Promise((resolve) => svc('onReady', ({ status }) => resolve(status === 'refused')))",
    );
    expect(await cookies()).toEqual({});
    expect(await page.evaluate(() => "hacked" in window)).toBe(false);
    expect(errors).toEqual([]);
  });
});

describe("on the page", () => {
  it("works through the stub, in order, with callbacks, and sets no other global", async () => {
    site["/"] = {
      html: `<script>const before = new Set(Object.getOwnPropertyNames(window));${STUB}
        svc("init", { cid: "${ACCOUNT}" }); svc("click", (visitor) => { document.title = visitor.ref_id; });
        svc("referral", { email: "early@example.com", uid: 7 });</script>
        <script async src="${tracker()}/svc.js"></script>
        <script>const added = () => Object.getOwnPropertyNames(window).filter((name) => !before.has(name));</script>`,
    };
    const signup = answered("/t/signup");
    await page.goto(at("/?via=jane"));
    expect(await (await signup).json()).toMatchObject({ status: "recorded" });
    await page.waitForFunction(() => document.title === "jane");
    const added = await page.evaluate("added()");
    expect(added).toEqual(["svc", "added"].filter((name) => (added as string[]).includes(name)));
    expect(await counts("jane")).toEqual({ clicks: 1, leads: 1 });
  });

  it("follows a single-page application, and counts the same link only once", async () => {
    await page.goto(at("/"));
    await page.waitForFunction(() => "svc" in window);
    const click = answered("/t/click");
    await page.evaluate(() => {
      history.pushState({ own: 1 }, "", "/shop?via=jane");
      history.pushState({}, "", "/shop?via=jane#details");
    });
    await click;
    await settled(page);
    expect(await counts("jane")).toEqual({ clicks: 1, leads: 0 });
  });

  it("signs up a person who submits a marked form, even if the page closes", async () => {
    await follow("/?via=jane");
    site["/form"] = {
      html: `${oneTag()}<form data-svc-signup action="/done"><input name="email" type="email"><button>Go</button></form>`,
    };
    site["/done"] = { html: "done" };
    await page.goto(at("/form"));
    await page.waitForFunction(() => "svc" in window);
    await page.fill("input", "form@example.com");
    await page.click("button");
    await page.waitForURL(/done/);
    await expect.poll(() => counts("jane")).toEqual({ clicks: 1, leads: 1 });
  });

  it("works under a strict policy with nonce and Trusted Types", async () => {
    const violations: string[] = [];
    page.on("console", (message) => void (message.type() === "error" && violations.push(message.text())));
    site["/"] = {
      html: `<link rel="icon" href="data:,">${oneTag('nonce="n0"')}`,
      headers: {
        "content-security-policy": `default-src 'none'; img-src data:; script-src 'nonce-n0'; connect-src ${tracker()}; require-trusted-types-for 'script'; trusted-types svc`,
      },
    };
    await follow("/?via=jane");
    expect(violations).toEqual([]);
  });

  it("waits for consent, and forgets everything when it is withdrawn", async () => {
    site["/"] = { html: oneTag('data-consent="required"') };
    let requests = 0;
    page.on("request", (request) => void (requests += request.url().includes("/t/") ? 1 : 0));
    await page.goto(at("/?via=jane"));
    await page.waitForFunction(() => "svc" in window);
    // The script leaves some of its work to tasks of its own.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    expect(requests).toBe(0);
    expect(await cookies()).toEqual({});
    const click = answered("/t/click");
    await svc("consent", true);
    await click;
    await expect.poll(async () => (await cookies())["_svc_ref"]).toBe("jane");
    await svc("consent", false);
    expect(await cookies()).toEqual({});
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
  });

  it("hands the visitor over to the customer's other sites, and to no others", async () => {
    await follow("/?via=jane");
    const { _svc_tid: tid } = await cookies();
    site["/links"] = {
      html: `${oneTag()}<a id="ours" href="http://shop.other.test:${pagePort}/?x=1#y">ours</a>
        <a id="theirs" href="http://evil-other.test/">theirs</a>
        <script>
          const followed = [];
          addEventListener("auxclick", (event) => followed.push(event.target.href));
          addEventListener("click", (event) => followed.push(event.target.href) && event.preventDefault());
        </script>`,
    };
    await page.goto(at("/links"));
    await page.waitForFunction(() => "svc" in window);
    await svc("crossDomain", ["other.test"]);
    await page.click("#theirs");
    // Opens a menu, where the link may be copied.
    await page.click("#ours", { button: "right" });
    await page.keyboard.press("Escape");
    await page.click("#ours");
    const [theirs, copied, href] = (await page.evaluate("followed")) as [string, string, string];
    expect(theirs).toBe("http://evil-other.test/");
    expect(copied).toBe(`http://shop.other.test:${pagePort}/?x=1#y`);
    expect(href).toBe(
      `http://shop.other.test:${pagePort}/?x=1&svc_ref=jane&_svc_tid=${href.match(/[\da-f-]{36}\d{13}/)![0]}#y`,
    );
    expect(href).toContain(tid);
    // A visitor who copies the link later must not share their id.
    await expect
      .poll(() => page.getAttribute("#ours", "href"))
      .toBe(`http://shop.other.test:${pagePort}/?x=1#y`);
    await page.goto(href);
    await page.waitForFunction(() => document.cookie.includes("_svc_tid"));
    expect(page.url()).toBe(`http://shop.other.test:${pagePort}/?x=1#y`);
    const there = await context.cookies(href);
    expect(there.find(({ name }) => name === "_svc_tid")).toMatchObject({
      value: tid,
      domain: ".other.test",
    });
    await settled(page);
    expect(await counts("jane")).toEqual({ clicks: 1, leads: 0 });
  });

  it("leaves alone a page's own svc, sandboxed frames, and pages where storage throws", async () => {
    const errors: Error[] = [];
    page.on("pageerror", (error) => errors.push(error));
    site["/own"] = { html: `<script>window.svc = { own: true };</script>${oneTag()}` };
    await page.goto(at("/own"));
    await page.waitForLoadState("networkidle");
    expect(await page.evaluate(() => (window as unknown as { svc: unknown }).svc)).toEqual({ own: true });
    site["/frame"] = { html: `<iframe sandbox="allow-scripts" src="/?via=jane"></iframe>` };
    const click = answered("/t/click");
    await page.goto(at("/frame"));
    expect((await click).status()).toBe(200);
    await page.waitForLoadState("networkidle");
    expect(errors).toEqual([]);
  });
});

describe("bad days", () => {
  it("sends click and sign-up, as one visitor, when the server is back", async () => {
    await page.goto(at("/"));
    const { port } = server;
    await page.waitForFunction(() => "svc" in window);
    await server.stop();
    await page.evaluate(() => history.pushState({}, "", "/?via=jane"));
    await svc("signup", { email: "patient@example.com" });
    await page.waitForFunction(() => JSON.parse(localStorage["_svc_q"] ?? "[]").length === 2);
    expect(Object.keys(await cookies()).toSorted()).toEqual(["_svc_ref", "_svc_tid"]);
    // A page without the script, which could retry before the test listens.
    site["/away"] = { html: "away" };
    await page.goto(at("/away"));
    server = await startServer(folder, { PORT: String(port) });
    const signup = answered("/t/signup");
    site["/later"] = { html: oneTag() };
    await page.goto(at("/later"));
    expect(await (await signup).json()).toMatchObject({ status: "recorded" });
    await expect.poll(() => counts("jane")).toEqual({ clicks: 1, leads: 1 });
    await expect.poll(() => page.evaluate(() => localStorage.length)).toBe(0);
  });

  it("does not count a page again that is reloaded by going back", async () => {
    site["/next"] = { html: "next" };
    await follow("/?via=jane");
    await page.goto(at("/next"));
    await page.goBack();
    await settled(page);
    expect(await counts("jane")).toEqual({ clicks: 1, leads: 0 });
  });
});

describe("GET /demo", () => {
  it("greets a visitor, and shows the recorded sign-up", async () => {
    const errors: string[] = [];
    page.on("console", (message) => void (message.type() === "error" && errors.push(message.text())));
    await page.goto(`${tracker()}/demo?via=jane`);
    await page.waitForSelector("#banner:not([hidden])");
    expect(await page.textContent("#banner")).toBe("Jane recommends us to you.");
    await page.fill("input[name=email]", "visitor@example.com");
    await page.click("button");
    await page.waitForFunction(() => document.querySelector("#known")!.textContent!.includes('"lead"'));
    expect(JSON.parse((await page.textContent("#known"))!).lead).toMatchObject({
      email: "visitor@example.com",
      state: "signup",
      promoter: "Jane",
    });
    expect(errors.filter((text) => !text.includes("favicon"))).toEqual([]);
  });

  const signUp = async (email: string) => {
    await page.fill("input[name=email]", email);
    await page.click("button");
    await page.waitForFunction(
      () => !/^Signing up|^{\s+"visitor/.test(document.querySelector("#known")!.textContent!),
    );
    return page.textContent("#known");
  };

  it.each([
    ["localhost", "127.0.0.1"],
    ["127.0.0.1", "localhost"],
  ])("records sign-ups at %s if the landing page is at %s", async (host, landingHost) => {
    await server.kill();
    remove();
    ({ folder, remove } = temporaryFolder());
    server = await startServer(folder, { PUBLIC_URL: `http://${landingHost}:1`, DEMO: "1" });
    await v1(server, "/promoters/create", { email: "jane@example.com", ref_id: "jane", first_name: "Jane" });
    await page.goto(`http://${host}:${server.port}/demo?via=jane`);
    await page.waitForSelector("#banner:not([hidden])");
    expect(await signUp("visitor@example.com")).toContain('"email": "visitor@example.com"');
  });

  it("shows the reason of a refusal", async () => {
    await page.goto(`http://track.other.test:${server.port}/demo?via=jane`);
    await page.waitForSelector("#banner:not([hidden])");
    expect(await signUp("visitor@example.com")).toBe(
      "Nothing was recorded. The server refused the sign-up with 403: This site may not send sign-ups",
    );
    await page.goto(`${tracker()}/demo?via=jane`);
    await page.waitForSelector("#banner:not([hidden])");
    await v1(server, "/track/signup", { email: "known@example.com", ref_id: "bob" });
    expect(await signUp("known@example.com")).toBe(
      "This address has signed up before, so nothing new was recorded.",
    );
  });
});
