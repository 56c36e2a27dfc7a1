import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { countsOf, visitorIds, WITHOUT_RETRIES } from "../support/browser.ts";
import { ENGINES, hasWebKit, openPrevented, type Tab } from "../support/engines.ts";
import { ACCOUNT, v1 } from "../support/server.ts";
import { address, newSites, tag } from "../support/site.ts";

const DAY_SECONDS = 86_400;

const world = newSites();

beforeEach(() => v1(world.server, "/promoters/create", { email: "bob@example.com", ref_id: "bob" }));

describe.runIf(hasWebKit || process.env["CI"])("WebKitGTK with its tracking prevention", () => {
  it("keeps the server's cookies for 60 days, and the script's own for 7", async () => {
    world.site["/start"] = {
      html: `<script>setInterval(() => { document.cookie = "own=1; max-age=5184000"; }, 200);
        fetch("/go").then(() => { location = "/?via=jane"; });</script>`,
    };
    world.site["/go"] = { html: "" };
    world.site["/"] = {
      html: `${tag(world)}<script>svc("onReady", () => { location = "/again?via=jane"; });</script>`,
    };
    world.site["/again"] = { html: `${tag(world)}<script>svc("onReady", () => fetch("/seen"));</script>` };
    const go = world.front.hold("/go");
    const browser = await openPrevented(`${address(world, "www")}/start`, world.front.port);
    onTestFinished(browser.close);
    // It takes a moment until the engine enforces this.
    await expect.poll(browser.days).toEqual({ own: 7 });
    go();
    await expect.poll(() => world.front.requests.join()).toContain("/seen");
    await expect.poll(browser.days).toEqual({ _svc_tid: 60, _svc_ref: 60, own: 7 });
    expect(world.front.forms).toHaveLength(1);
  });
});

describe.each(ENGINES)("$name", ({ open }) => {
  let tab: Tab;
  beforeEach(async () => {
    tab = await open(world.front.port);
  });
  afterEach(() => tab.close());

  const told = (call: string) =>
    tab.run(`new Promise((resolve) => svc(${call}, (outcome) => resolve(outcome.status)))`);

  it("keeps the cookies that the server sets as long as the campaign says, even if the page is opened again", async () => {
    await tab.goto(`${address(world, "www")}/?via=jane`);
    expect(await told("'onReady'")).toBe("known");
    await tab.goto(`${address(world, "www")}/?via=jane`);
    await told("'onReady'");
    const kept = await tab.cookies();
    const daysOf = (name: string) => {
      const { expires } = kept.find((cookie) => cookie.name === name)!;
      return Math.round((expires - Date.now() / 1_000) / DAY_SECONDS);
    };
    expect([daysOf("_svc_tid"), daysOf("_svc_ref")]).toEqual([60, 60]);
    expect(world.front.forms).toHaveLength(1);
  });

  it("records click and sign-up on another subdomain even if the click could not be sent", async () => {
    world.site["/t/click"] = { html: "a portal's page" };
    await tab.goto(`${address(world, "www")}/?via=jane`);
    expect(await told("'onReady'")).toBe("waiting");
    await tab.goto(`${address(world, "app")}/`);
    expect(await told(`"signup", { email: "elsewhere@example.com" }`)).toBe("recorded");
    delete world.site["/t/click"];
    await tab.goto(`${address(world, "www")}/`);
    await expect.poll(() => told("'onReady'")).toBe("known");
    expect(await countsOf(world.folder, "jane")).toEqual({ clicks: 1, leads: 1 });
  });

  it("sends one request while nothing answers, whatever the page does", async () => {
    world.site["/"] = { html: `<script>${WITHOUT_RETRIES}</script>${tag(world)}` };
    world.site["/t/click"] = { html: "a portal's page" };
    await tab.goto(`${address(world, "www")}/?via=jane`);
    await tab.run(`(() => {
      for (let turn = 0; turn < 50; turn++) { history.pushState({}, "", "/?turn=" + turn); svc("click"); svc("onReady"); }
    })()`);
    expect(await told("'onReady'")).toBe("waiting");
    expect(world.front.forms).toHaveLength(1);
  });

  it("reads the address that the page was opened with, those of a router, and a form that leaves the page", async () => {
    world.site["/"] = {
      html: `<script>history.replaceState({}, "", "/home");</script>${tag(world)}
        <form data-svc-signup action="/done"><input name="work_email"><button>go</button></form>`,
    };
    world.site["/done"] = { html: "done" };
    await tab.goto(`${address(world, "www")}/?via=jane`);
    await told("'onReady'");
    expect(world.front.forms.map(({ ref_id, url }) => [ref_id, url])).toEqual([
      ["jane", `${address(world, "www")}/?via=jane`],
    ]);
    await tab.run("history.pushState({}, '', '/shop?ref=bob')");
    await told("'onReady'");
    expect(await countsOf(world.folder, "bob")).toEqual({ clicks: 1, leads: 0 });
    await tab.run(`(() => {
      document.querySelector("input").value = "form@example.com";
      setTimeout(() => document.querySelector("button").click());
    })()`);
    await expect.poll(() => countsOf(world.folder, "bob")).toEqual({ clicks: 1, leads: 1 });
  });

  it.each([
    ["link", (to: string) => `<a href="${to}">go</a>`],
    ["form by GET", (to: string) => `<form action="${to}"><button>go</button></form>`],
    ["form by POST", (to: string) => `<form method="post" action="${to}"><button>go</button></form>`],
  ])("hands the visitor over in a %s", async (_, html) => {
    world.site["/"] = { html: tag(world) + html(`${address(world, "app")}/there`) };
    world.site["/there"] = { html: "there" };
    await tab.goto(`${address(world, "www")}/?via=jane`);
    await told("'onReady'");
    await tab.run("svc('crossDomain', 'app.example.test')");
    await tab.run("void setTimeout(() => document.querySelector('a, button').click())");
    // The page's icon may be asked for after it.
    const arrived = /\/there\?svc_ref=jane&_svc_tid=[\da-f-]{36}\d{13}$/m;
    await expect.poll(() => world.front.requests.join("\n")).toMatch(arrived);
  });

  it("signs up a form that waits for its success once it has led to another page", async () => {
    world.site["/"] = {
      html: `${tag(world)}<form method="post" action="/users" data-svc-signup="success">
        <input name="email" value="form@example.com"><button>go</button></form>`,
    };
    world.site["/users"] = { html: "", headers: { refresh: "0;url=/welcome" } };
    world.site["/welcome"] = { html: tag(world) };
    await tab.goto(`${address(world, "www")}/?via=jane`);
    await told("'onReady'");
    await tab.run("void setTimeout(() => document.querySelector('button').click())");
    await expect.poll(() => countsOf(world.folder, "jane")).toEqual({ clicks: 1, leads: 1 });
  });

  it("gives the visitor to the last link, also if an older one's click is sent later", async () => {
    world.site["/t/click"] = { html: "a portal's page" };
    await tab.goto(`${address(world, "www")}/?via=jane`);
    expect(await told("'onReady'")).toBe("waiting");
    delete world.site["/t/click"];
    await tab.run("history.pushState({}, '', '/?via=bob')");
    await told("'onReady'");
    // The older click is longer on its way than the visitor took to follow the next link.
    const arrive = world.front.hold("/t/click");
    await tab.goto(`${address(world, "www")}/`);
    await expect.poll(() => world.front.forms.filter(({ ref_id }) => ref_id === "jane")).toHaveLength(2);
    await delay(3_000);
    arrive();
    await expect.poll(() => countsOf(world.folder, "jane")).toEqual({ clicks: 1, leads: 0 });
    await expect.poll(() => tab.run("localStorage.length")).toBe(0);
    expect((await tab.cookies()).find(({ name }) => name === "_svc_ref")!.value).toBe("bob");
    await tab.run("history.pushState({}, '', '/?via=jane'); history.pushState({}, '', '/?via=bob')");
    await told("'onReady'");
    expect(await told(`"signup", { email: "lead@example.com" }`)).toBe("recorded");
    await expect.poll(() => countsOf(world.folder, "bob")).toMatchObject({ leads: 1 });
  });

  it.each(["up", "down"])(
    "gives the visitor to the last link if one page shows jane's, bob's and jane's again, the server being %s",
    async (state) => {
      if (state === "down") world.site["/t/click"] = { html: "a portal's page" };
      await tab.goto(`${address(world, "www")}/?via=jane`);
      await tab.run("history.pushState({}, '', '/?via=bob'); history.pushState({}, '', '/?via=jane')");
      await expect.poll(() => told("'onReady'")).toBe(state === "up" ? "known" : "waiting");
      delete world.site["/t/click"];
      await tab.goto(`${address(world, "www")}/`);
      await told("'onReady'");
      await expect.poll(() => tab.run("localStorage.length")).toBe(0);
      expect((await tab.cookies()).find(({ name }) => name === "_svc_ref")!.value).toBe("jane");
      expect(await told(`"signup", { email: "lead@example.com" }`)).toBe("recorded");
      expect(await countsOf(world.folder, "jane")).toMatchObject({ leads: 1 });
      expect(await countsOf(world.folder, "bob")).toEqual({ clicks: 1, leads: 0 });
    },
  );

  it("ends a request that gets no answer, tells the callback, and sends the click again", async () => {
    // A fifth of the time is long enough for the test.
    const hurry = `const { timeout } = AbortSignal;
      AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms === 10_000 ? 2_000 : 0);`;
    world.site["/"] = { html: `<script>${hurry}</script>${tag(world)}` };
    const answer = world.front.hold("/t/click");
    await tab.goto(`${address(world, "www")}/?via=jane`);
    expect(await told("'click'")).toBe("waiting");
    answer();
    world.site["/"] = { html: tag(world) };
    await tab.goto(`${address(world, "www")}/`);
    await expect.poll(() => tab.run("localStorage.length")).toBe(0);
    expect(await told("'onReady'")).toBe("known");
    expect(new Set(world.front.forms.map(({ tid }) => tid)).size).toBe(1);
    expect(world.front.forms.length).toBeGreaterThan(1);
    expect(await countsOf(world.folder, "jane")).toEqual({ clicks: 1, leads: 0 });
  });

  it("keeps a form that is sent before the script is there, by the guide's stub", async () => {
    const guide = readFileSync("docs/marketers.md", "utf8");
    world.site["/"] = {
      html: `${guide.match(/<script>\n[^]*?"submit"[^]*?<\/script>/)![0]}
        <form data-svc-signup onsubmit="this.reset(); return false"><input name="email"><button>go</button></form>`,
    };
    await tab.goto(`${address(world, "www")}/?via=jane`);
    await tab.run(`(() => {
      document.querySelector("input").value = "early@example.com";
      document.querySelector("button").click();
      const script = document.createElement("script");
      script.src = "${address(world, "track")}/svc.js";
      script.dataset.cid = "${ACCOUNT}";
      document.head.append(script);
    })()`);
    await expect.poll(() => countsOf(world.folder, "jane")).toEqual({ clicks: 1, leads: 1 });
    expect(world.front.forms.at(-1)).toMatchObject({ email: "early@example.com" });
  });

  it("ignores planted events, calls that are none and callbacks that are no functions, and reads odd values as meant", async () => {
    world.site["/planted"] = {
      html: `<script>
        const fields = { tid: "7f1b2c3d-1111-4222-8333-444455556666" };
        const click = { path: "click", fields, at: Date.now(), tries: 0 };
        localStorage._svc_q = JSON.stringify([
          ...Array(5_000).fill({ path: "click" }),
          null,
          { ...click, at: 9e15 },
          { ...click, fields: undefined },
          { ...click, fields: { ...fields, url: "x".repeat(2_000_000) } },
        ]);
      </script>`,
    };
    world.site["/"] = {
      html: `<script>
        onerror = (message) => { document.title += message; };
        svc = function () {};
        svc.q = [null, 5, ["signup", { uid: "7", email: "n/a" }, "callback"], ["click", {}, {}]];
      </script>${tag(world)}
      <form data-svc-signup onsubmit="return false">
        <input data-svc-field="email" value="mailto:form@example.com?subject=Hi"><button>go</button>
      </form>`,
    };
    await tab.goto(`${address(world, "www")}/planted`);
    expect(await tab.run("localStorage._svc_q.length")).toBeGreaterThan(2_000_000);
    await tab.goto(`${address(world, "www")}/?utm_source=news?via=jane`);
    expect(await told("'onReady'")).toBe("known");
    await tab.run("document.querySelector('button').click()");
    await expect.poll(() => countsOf(world.folder, "jane")).toEqual({ clicks: 1, leads: 2 });
    await expect.poll(() => tab.run("localStorage.length")).toBe(0);
    expect(world.front.forms.map(({ ref_id }) => ref_id)).toEqual(["jane", "jane", "jane"]);
    expect(await tab.run("document.title")).toBe("");
  });

  it("leaves nothing if consent is withdrawn while a click is under way", async () => {
    const answer = world.front.hold("/t/click");
    await tab.goto(`${address(world, "www")}/?via=jane`);
    await expect.poll(() => world.front.forms).toHaveLength(1);
    await tab.run("void svc('consent', false)");
    answer();
    // At once, and again when the click has been answered, because the answer may set cookies.
    const withdrawals = () => world.front.requests.filter((request) => request.includes("/t/withdraw"));
    await expect.poll(() => withdrawals().length).toBeGreaterThan(1);
    await expect.poll(() => visitorIds(world.folder)).toEqual([]);
    await expect.poll(() => tab.run("document.cookie + Object.keys(localStorage)")).toBe("");
  });

  it("works with a stub that has queued nothing, and with methods that the page has added to all objects", async () => {
    world.site["/"] = {
      html: `<script>Object.prototype.each = function () {};
        window.svc = window.svc || function () { (svc.q = svc.q || []).push(arguments); };</script>${tag(world)}`,
    };
    await tab.goto(`${address(world, "www")}/?via=jane`);
    expect(await told(`"signup", { email: "lead@example.com" }`)).toBe("recorded");
    expect(await countsOf(world.folder, "jane")).toEqual({ clicks: 1, leads: 1 });
    expect(await tab.run("document.cookie")).toMatch(/_svc_tid=[\da-f-]{36}; _svc_ref=jane/);
  });

  it("loses nothing if the second file is missing, or the page is left before it comes", async () => {
    const more = readdirSync("dist").find((name) => name.startsWith("svc-more."));
    world.site[`/${more}`] = { html: "a portal's page" };
    await tab.goto(`${address(world, "www")}/?via=jane`);
    await tab.run(`void svc("signup", { email: "lead@example.com" })`);
    world.site["/next"] = { html: "next" };
    await tab.goto(`${address(world, "www")}/next`);
    await expect.poll(() => countsOf(world.folder, "jane")).toEqual({ clicks: 1, leads: 0 });
    await tab.goto(`${address(world, "app")}/`);
    await tab.run(`void svc("signup", { email: "elsewhere@example.com" })`);
    delete world.site[`/${more}`];
    for (const host of ["www", "app"]) {
      await tab.goto(`${address(world, host)}/`);
      await told("'onReady'");
      await expect.poll(() => tab.run("localStorage.length")).toBe(0);
    }
    expect(await countsOf(world.folder, "jane")).toEqual({ clicks: 1, leads: 2 });
  });

  it("forgets everything without consent, and knows the referral again with consent", async () => {
    world.site["/"] = { html: tag(world, { attributes: 'data-consent="required"' }) };
    const stored = () => tab.run("document.cookie + Object.keys(localStorage)");
    await tab.goto(`${address(world, "www")}/?via=jane`);
    expect([await stored(), world.front.forms]).toEqual(["", []]);
    expect(await told("'consent', true")).toBe("known");
    await tab.run("svc('consent', false)");
    expect(await stored()).toBe("");
    expect(await told("'consent', true")).toBe("known");
    expect(await stored()).toContain("_svc_ref=jane");
    // The form between the two clicks withdraws the first.
    const [first] = world.front.forms;
    expect(world.front.forms).toMatchObject([
      { consent: "given" },
      { cid: ACCOUNT, tid: first!["tid"] },
      { consent: "given" },
    ]);
  });
});
