import { execFileSync } from "node:child_process";
import { beforeEach, describe, expect, it } from "vitest";
import { cookieValues, countsOf, STUB, visitorIds } from "../support/browser.ts";
import { startFront } from "../support/front.ts";
import { followAhead, openUnattached } from "../support/prerender.ts";
import { v1 } from "../support/server.ts";
import { address, JANE, newWorlds, postedTids, reopen, settled, stored, tag } from "../support/site.ts";

const world = newWorlds();

describe("a page that Chromium prerenders", () => {
  it("makes no click until it is shown, and then one", async () => {
    world.site["/"] = { html: `<body><script>(${followAhead})("/ahead?via=jane")</script>` };
    // The script has sent everything before this second request to its server.
    world.site["/ahead"] = {
      html: `${tag(world)}<script>fetch("${address(world, "track")}/svc.js", { cache: "reload" })
        .then(() => fetch("/ran?" + document.prerendering));
        document.addEventListener("prerenderingchange", () => fetch("/shown"));</script>`,
    };
    const [start, go] = [world.front.hold("/start"), world.front.hold("/go")];
    const { cookies, close } = await openUnattached(world.browser, `${address(world, "www")}/`);
    start();
    await expect.poll(() => world.front.requests).toContain("GET /ran?true");
    expect(world.front.forms).toEqual([]);
    expect(await cookies()).toEqual({});
    go();
    await expect.poll(async () => Object.keys(await cookies()).toSorted()).toEqual(["_svc_ref", "_svc_tid"]);
    await expect
      .poll(() => world.front.requests.toSorted())
      .toEqual([
        "GET /",
        "GET /ahead?via=jane",
        "GET /go",
        "GET /ran?true",
        "GET /shown",
        "GET /start",
        "GET /svc.js",
        "GET /svc.js",
        "POST /t/click",
      ]);
    const [tid] = postedTids(world);
    expect(await cookies()).toEqual({ _svc_tid: tid, _svc_ref: "jane" });
    await expect.poll(() => countsOf(world.folder, "jane")).toEqual({ clicks: 1, leads: 0 });
    await close();
  });
});

describe("the back/forward cache", () => {
  it("restores a page that sends no second click", async () => {
    world.site["/"] = {
      html: `${tag(world)}<script>addEventListener("pageshow", ({ persisted }) => persisted &&
        svc("onReady", () => fetch("/restored")));</script>`,
    };
    world.site["/next"] = { html: "next" };
    await world.page.goto(`${address(world, "www")}/?via=jane`);
    await settled(world.page);
    const cookies = await cookieValues(world.context);
    await world.page.goto(`${address(world, "www")}/next`);
    // In a task of its own, so that the page has answered before it is left.
    await world.page.evaluate(() => void setTimeout(() => history.back()));
    await expect.poll(() => world.front.requests).toContain("GET /restored");
    expect(world.front.requests).toEqual([
      "GET /?via=jane",
      "GET /svc.js",
      "POST /t/click",
      "GET /next",
      "GET /restored",
    ]);
    expect(cookies).toEqual({ _svc_tid: postedTids(world)[0], _svc_ref: "jane" });
    expect(await cookieValues(world.context)).toEqual(cookies);
    expect(await countsOf(world.folder, "jane")).toEqual({ clicks: 1, leads: 0 });
  });
});

describe("Global Privacy Control", () => {
  beforeEach(async () => {
    await reopen(world, { extraHTTPHeaders: { "sec-gpc": "1" } });
    await world.context.addInitScript(() => {
      Object.defineProperty(Navigator.prototype, "globalPrivacyControl", { get: () => true });
    });
  });

  it("leaves nothing in browser or server if the account honours it", async () => {
    await v1({ url: world.server.url, key: createPrivateAccount() }, "/promoters/create", JANE);
    world.site["/"] = { html: tag(world, { cid: "private" }) };
    const answer = world.front.hold("/t/click");
    const answered = world.page.waitForResponse(/\/t\/click$/);
    await world.page.goto(`${address(world, "www")}/?via=jane`);
    await expect.poll(() => postedTids(world)).toHaveLength(1);
    expect(await stored(world.page)).toEqual(["", {}, {}]);
    answer();
    expect(await (await answered).json()).toEqual({
      status: "refused",
      tid: null,
      ref_id: null,
      cookie_days: 0,
      has_cookies: false,
    });
    await settled(world.page);
    await world.page.evaluate("svc('referral', { email: 'lead@example.com' })");
    await settled(world.page);
    expect(await stored(world.page)).toEqual(["", {}, {}]);
    expect(await world.context.cookies()).toEqual([]);
    expect(world.front.requests).toEqual(["GET /?via=jane", "GET /svc.js", "POST /t/click"]);
    expect(await visitorIds(world.folder, "private")).toEqual([]);
    expect(await countsOf(world.folder, "jane", "private")).toEqual({ clicks: 0, leads: 0 });
  });

  it("changes only the order if the account does not: first the answer, then the cookies", async () => {
    const answer = world.front.hold("/t/click");
    await world.page.goto(`${address(world, "www")}/?via=jane`);
    await expect.poll(() => postedTids(world)).toHaveLength(1);
    expect(await stored(world.page)).toEqual(["", {}, {}]);
    answer();
    await settled(world.page);
    const [tid] = postedTids(world);
    expect(await cookieValues(world.context)).toEqual({ _svc_tid: tid, _svc_ref: "jane" });
    await expect.poll(() => visitorIds(world.folder)).toEqual([tid]);
    expect(await countsOf(world.folder, "jane")).toEqual({ clicks: 1, leads: 0 });
  });

  /** Returns the key of an account that honours the signal, created like an operator does. */
  function createPrivateAccount(): string {
    const words = "account create Private --id private --landing-url http://www.example.test --honour-gpc";
    const printed = execFileSync(process.execPath, ["dist/server/cli.js", ...words.split(" ")], {
      env: { ...process.env, STORAGE_URL: `sqlite:${world.folder}` },
      encoding: "utf8",
    });
    return (JSON.parse(printed) as { key: string }).key;
  }
});

describe("an https page", () => {
  it("has cookies that are never sent unencrypted", async () => {
    world.front.close();
    world.front = await startFront({ site: world.site, port: world.server.port, isSecure: true });
    world.site["/"] = { html: tag(world, { scheme: "https" }) };
    await reopen(world, { ignoreHTTPSErrors: true });
    const answered = world.page.waitForResponse(/\/t\/click$/);
    await world.page.goto(`${address(world, "www", { scheme: "https" })}/?via=jane`);
    const set = (await (await answered).headersArray()).filter(({ name }) => /^set-cookie$/i.test(name));
    const [tid] = postedTids(world);
    const attributes = "; Max-Age=5184000; Domain=example.test; Path=/; Secure; SameSite=Lax";
    expect(set.map(({ value }) => value)).toEqual([
      `_svc_tid=${tid}${attributes}`,
      `_svc_ref=jane${attributes}`,
    ]);
    await settled(world.page);
    const common = {
      domain: ".example.test",
      path: "/",
      sameSite: "Lax",
      httpOnly: false,
      secure: true,
      expires: expect.any(Number),
    };
    const found = await world.context.cookies();
    expect(found.toSorted((one, other) => one.name.localeCompare(other.name))).toEqual([
      { ...common, name: "_svc_ref", value: "jane" },
      { ...common, name: "_svc_tid", value: tid },
    ]);
    expect(await countsOf(world.folder, "jane")).toEqual({ clicks: 1, leads: 0 });
  });
});

describe("a sandboxed frame without an origin", () => {
  it("keeps working without cookies, and so does the tracker", async () => {
    const faults = `<script>var faults = []; onerror = (text) => faults.push(text);
      onunhandledrejection = ({ reason }) => faults.push(String(reason));</script>`;
    world.site["/"] = {
      html: `${faults}<iframe sandbox="allow-scripts allow-forms" src="/framed?via=jane"></iframe>`,
    };
    world.site["/framed"] = {
      html: `${faults}<script>${STUB} var visitors = []; svc("click", (visitor) => visitors.push(visitor));</script>
        ${tag(world)}<button onclick="this.textContent = 'bought'">buy</button>`,
    };
    await world.page.goto(`${address(world, "www")}/`);
    const frame = world.page.frames()[1]!;
    await frame.waitForFunction("visitors.length > 0");
    await frame.click("button");
    expect(await frame.evaluate("[origin, document.querySelector('button').textContent, faults]")).toEqual([
      "null",
      "bought",
      [],
    ]);
    const [tid] = postedTids(world);
    expect(postedTids(world)).toEqual([tid]);
    expect(await frame.evaluate("visitors")).toMatchObject([{ status: "recorded", tid, ref_id: "jane" }]);
    expect(await world.page.evaluate("faults")).toEqual([]);
    expect(await stored(world.page)).toEqual(["", {}, {}]);
    expect(await world.context.cookies()).toEqual([]);
    expect(await countsOf(world.folder, "jane")).toEqual({ clicks: 1, leads: 0 });
  });
});
