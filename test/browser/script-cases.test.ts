import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { countsOf, visitorIds } from "../support/browser.ts";
import { runCli } from "../support/cli.ts";
import { ENGINES, type Tab } from "../support/engines.ts";
import { ACCOUNT, v1 } from "../support/server.ts";
import { address, newSites, tag } from "../support/site.ts";

const DAY_SECONDS = 86_400;
/** Instead of the server's answer, which the script does not accept as one. */
const UNANSWERED = { html: "a portal's page" };
const STUB = "window.svc = function () { (svc.q = svc.q || []).push(arguments); };";
/** A browser without cookies and storage of the script. */
const NOTHING = { cookies: [], storage: "" };

const world = newSites();

beforeEach(() => v1(world.server, "/promoters/create", { email: "bob@example.com", ref_id: "bob" }));

const cautiousTag = () => tag(world, { attributes: 'data-consent="required"' });
const counts = async () => ({
  jane: await countsOf(world.folder, "jane"),
  bob: await countsOf(world.folder, "bob"),
});
const postedEmails = () => world.front.forms.flatMap(({ email }) => email ?? []);

describe.each(ENGINES)("$name", ({ open }) => {
  let tab: Tab;
  beforeEach(async () => {
    tab = await open(world.front.port);
  });
  afterEach(() => tab.close());

  const visit = (path: string) => tab.goto(`${address(world, "www")}${path}`);
  const told = (call: string) =>
    tab.run(`new Promise((resolve) => svc(${call}, (outcome) => resolve(outcome.status)))`);
  const press = () => tab.run("void setTimeout(() => document.querySelector('button').click())");
  const cookie = async (name: string) => (await tab.cookies()).find((each) => each.name === name)?.value;
  /** The days until each cookie expires. */
  const cookieDays = async () =>
    Object.fromEntries(
      (await tab.cookies()).map(({ name, expires }) => [
        name,
        Math.round((expires - Date.now() / 1_000) / DAY_SECONDS),
      ]),
    );
  const stored = async () => ({
    cookies: (await tab.cookies()).map(({ name }) => name),
    storage: await tab.run("[...Object.keys(localStorage), ...Object.keys(sessionStorage)].join()"),
  });
  /** Follows a link whose click gets no answer, now and later. */
  const followInVain = async (refId: string) => {
    world.site["/t/click"] = UNANSWERED;
    await visit(`/?via=${refId}`);
    expect(await told("'onReady'")).toBe("waiting");
  };
  /** Waits until the page has sent everything that earlier pages have left. */
  const delivered = () => expect.poll(() => tab.run("localStorage.length")).toBe(0);
  /** Opens a page whose stub has the sign-up before the script is there. Clicks get answers again. */
  const signUpInStub = async () => {
    delete world.site["/t/click"];
    world.site["/"] = {
      html: `<script>${STUB} svc("signup", { email: "lead@example.com" });</script>${tag(world)}`,
    };
    await visit("/");
    await delivered();
  };
  /** Waits for an answer to a request that the page makes after its others. */
  const reached = async () => {
    world.site["/reached"] = { html: "" };
    await tab.run("fetch('/reached').then(() => undefined)");
  };

  describe("the last promoter's link", () => {
    it("wins if the pages of jane's, bob's and jane's links had no server, and each click is recorded", async () => {
      for (const refId of ["jane", "bob", "jane"]) await followInVain(refId);
      delete world.site["/t/click"];
      await visit("/");
      await delivered();
      expect(await cookie("_svc_ref")).toBe("jane");
      expect(await counts()).toEqual({ jane: { clicks: 2, leads: 0 }, bob: { clicks: 1, leads: 0 } });
      expect(await told(`"signup", { email: "lead@example.com" }`)).toBe("recorded");
      expect(await counts()).toEqual({ jane: { clicks: 2, leads: 1 }, bob: { clicks: 1, leads: 0 } });
    });

    it("gets the sign-up in the next page's stub if its click had no answer, although jane is known", async () => {
      await visit("/?via=jane");
      expect(await told("'onReady'")).toBe("known");
      await followInVain("bob");
      await signUpInStub();
      expect(await counts()).toEqual({ jane: { clicks: 1, leads: 0 }, bob: { clicks: 1, leads: 1 } });
      expect(await cookie("_svc_ref")).toBe("bob");
    });

    it("gets the sign-up in the next page's stub if neither its click nor the one before had an answer", async () => {
      await followInVain("jane");
      await followInVain("bob");
      await signUpInStub();
      expect(await counts()).toEqual({ jane: { clicks: 1, leads: 0 }, bob: { clicks: 1, leads: 1 } });
    });

    it("wins although the clock was set back by two hours since the one before", async () => {
      await followInVain("jane");
      const setBack = `{ const { now } = Date, { timeOrigin } = performance;
        Date.now = () => now() - 7_200_000;
        Object.defineProperty(performance, "timeOrigin", { value: timeOrigin - 7_200_000 }); }`;
      world.site["/"] = { html: `<script>${setBack}</script>${tag(world)}` };
      await followInVain("bob");
      delete world.site["/t/click"];
      await visit("/");
      await delivered();
      expect(await cookie("_svc_ref")).toBe("bob");
      expect(await told(`"signup", { email: "lead@example.com" }`)).toBe("recorded");
      expect(await counts()).toEqual({ jane: { clicks: 1, leads: 0 }, bob: { clicks: 1, leads: 1 } });
    });
  });

  describe("consent", () => {
    const WITHDRAWN = 'svc("consent", true); svc("consent", false);';
    beforeEach(() => {
      world.site["/"] = { html: cautiousTag() };
    });

    it("that is given and withdrawn in one task leaves nothing", async () => {
      await visit("/?via=jane");
      await tab.run(WITHDRAWN);
      await reached();
      await expect.poll(stored).toEqual(NOTHING);
      expect(world.front.requests.join()).not.toContain("/t/click");
      expect(await visitorIds(world.folder)).toEqual([]);
    });

    it("that is given and withdrawn in the page's stub leaves nothing", async () => {
      world.site["/"] = { html: `<script>${STUB} ${WITHDRAWN}</script>${cautiousTag()}` };
      await visit("/?via=jane");
      await reached();
      await expect.poll(stored).toEqual(NOTHING);
      expect(world.front.requests.join()).not.toContain("/t/click");
      expect(await visitorIds(world.folder)).toEqual([]);
    });

    it("that is given, withdrawn and given in one task counts one click", async () => {
      await visit("/?via=jane");
      await tab.run(WITHDRAWN + 'void svc("consent", true);');
      await expect.poll(() => told("'onReady'")).toBe("known");
      await reached();
      expect(await counts()).toEqual({ jane: { clicks: 1, leads: 0 }, bob: { clicks: 0, leads: 0 } });
      expect(await visitorIds(world.folder)).toEqual([await cookie("_svc_tid")]);
    });

    it("that is given, withdrawn and given one after the other counts one click", async () => {
      await visit("/?via=jane");
      expect(await told("'consent', true")).toBe("known");
      await tab.run("void svc('consent', false)");
      await expect.poll(() => visitorIds(world.folder)).toEqual([]);
      expect(await told("'consent', true")).toBe("known");
      expect(await counts()).toEqual({ jane: { clicks: 1, leads: 0 }, bob: { clicks: 0, leads: 0 } });
      expect(await visitorIds(world.folder)).toEqual([await cookie("_svc_tid")]);
    });

    it("that is withdrawn without the second file leaves nothing", async () => {
      const [more] = /svc-more\.[\da-f]+\.js/.exec(readFileSync("dist/svc.js", "utf8"))!;
      world.site[`/${more}`] = { html: "", status: 404 };
      await visit("/?via=jane");
      await tab.run("void svc('consent', true)");
      // The server's answer sets these.
      await expect.poll(cookieDays).toEqual({ _svc_tid: 60, _svc_ref: 60 });
      expect(await visitorIds(world.folder)).toHaveLength(1);
      await tab.run("void svc('consent', false)");
      await expect.poll(() => visitorIds(world.folder)).toEqual([]);
      await expect.poll(stored).toEqual(NOTHING);
    });

    it("that the server could not hear withdrawn is withdrawn by a later page, without an answer there", async () => {
      await visit("/?via=jane");
      expect(await told("'consent', true")).toBe("known");
      world.site["/t/withdraw"] = { html: "", status: 503 };
      await tab.run("void svc('consent', false)");
      await expect.poll(() => world.front.requests.join()).toContain("/t/withdraw");
      world.site["/elsewhere"] = { html: "elsewhere" };
      await visit("/elsewhere");
      expect(await visitorIds(world.folder)).toHaveLength(1);
      delete world.site["/t/withdraw"];
      await visit("/");
      await expect.poll(() => visitorIds(world.folder)).toEqual([]);
      expect((await stored()).cookies).toEqual([]);
    });

    it.each([
      ["its page was opened", () => visit("/?via=bob")],
      ["a router has shown it", () => tab.run("history.pushState({}, '', '/?via=bob')")],
    ])(
      "that is withdrawn while the click on another link is under way leaves neither visitor, if %s",
      async (_, follow) => {
        world.site["/"] = { html: tag(world) };
        await visit("/?via=jane");
        expect(await told("'onReady'")).toBe("known");
        const answer = world.front.hold("/t/click");
        await follow();
        await expect.poll(() => world.front.forms.map(({ ref_id }) => ref_id)).toEqual(["jane", "bob"]);
        await tab.run("void svc('consent', false)");
        answer();
        // Each visitor is named immediately, and again after the click's answer.
        const withdrawals = () => world.front.requests.filter((each) => each.endsWith("/t/withdraw"));
        await expect.poll(() => withdrawals().length).toBeGreaterThanOrEqual(4);
        await expect.poll(() => visitorIds(world.folder)).toEqual([]);
        await expect.poll(stored).toEqual(NOTHING);
        expect(await counts()).toEqual({ jane: { clicks: 0, leads: 0 }, bob: { clicks: 0, leads: 0 } });
      },
    );
  });

  describe("a form", () => {
    it("signs up the address that the visitor sees, and no password, file, hidden or invisible field", async () => {
      world.site["/"] = {
        html: `${tag(world)}<form data-svc-signup onsubmit="return false">
          <input type="password" name="email_password" value="secret@example.com">
          <input type="file" name="email_file">
          <input type="hidden" name="admin_email" value="admin@example.com">
          <input name="trap_email" value="trap@example.com" style="display: none">
          <input type="text" name="work_email" value="work@example.com"><button>go</button></form>`,
      };
      await visit("/?via=jane");
      expect(await told("'onReady'")).toBe("known");
      await press();
      await expect.poll(() => countsOf(world.folder, "jane")).toEqual({ clicks: 1, leads: 1 });
      const sent = world.front.forms.flatMap((form) => Object.values(form));
      expect(sent.filter((value) => value.includes("@"))).toEqual(["work@example.com"]);
    });

    it("whose fields have the names of a form's own properties is signed up", async () => {
      world.site["/"] = {
        html: `${tag(world)}<form data-svc-signup action="/done"><fieldset name="emailAndName">
          <input name="elements" value="1"><input name="action" value="2"><input name="method" value="3">
          <input name="email" value="form@example.com"><button>go</button></fieldset></form>`,
      };
      world.site["/done"] = { html: "done" };
      await visit("/?via=jane");
      expect(await told("'onReady'")).toBe("known");
      await press();
      await expect.poll(() => countsOf(world.folder, "jane")).toEqual({ clicks: 1, leads: 1 });
      expect(postedEmails()).toEqual(["form@example.com"]);
    });

    it.each([
      ["redirect", (to: string) => ({ html: "", status: 303, headers: { location: to } })],
      ["refresh", (to: string) => ({ html: "", headers: { refresh: `0;url=${to}` } })],
    ])("that is shown again is not signed up, but one that leads on is, by a %s", async (_, leading) => {
      const form = (email: string) => `${tag(world)}<form method="post" data-svc-signup="success">
        <input name="email" value="${email}"><button formaction="/register">go</button></form>`;
      world.site["/"] = { html: form("first@example.com") };
      world.site["/register"] = leading("/register/");
      world.site["/register/"] = { html: form("second@example.com") };
      world.site["/welcome"] = { html: tag(world) };
      await visit("/?via=jane");
      expect(await told("'onReady'")).toBe("known");
      await press();
      await expect.poll(() => tab.run("location.pathname")).toBe("/register/");
      await expect.poll(() => told("'onReady'")).toBe("known");
      await reached();
      expect(await countsOf(world.folder, "jane")).toEqual({ clicks: 1, leads: 0 });
      world.site["/register"] = leading("/welcome");
      await press();
      await expect.poll(() => countsOf(world.folder, "jane")).toEqual({ clicks: 1, leads: 1 });
      // The site's own form has no `cid`.
      const signups = world.front.forms
        .filter(({ cid }) => cid !== undefined)
        .flatMap(({ email }) => email ?? []);
      expect(signups).toEqual(["second@example.com"]);
    });

    it("is signed up after the page has written itself anew", async () => {
      const html = `${tag(world)}<form data-svc-signup onsubmit="return false">
        <input name="email" value="form@example.com"><button>go</button></form>`;
      await visit("/?via=jane");
      expect(await told("'onReady'")).toBe("known");
      await tab.run(
        `document.open(); document.write(${JSON.stringify(html)}); document.close(); void undefined`,
      );
      await expect.poll(() => tab.run("document.readyState + document.forms.length")).toBe("complete1");
      await press();
      await expect.poll(() => countsOf(world.folder, "jane")).toEqual({ clicks: 1, leads: 1 });
      expect(postedEmails()).toEqual(["form@example.com"]);
    });
  });

  it("sends landing page and referrer without secrets", async () => {
    const names = ["signature", "jwt", "pwd", "oobCode", "ticket", "otp", "email", "access_token"];
    const secrets = names.map((name) => `${name}=secret`).join("&");
    world.site["/from"] = { html: `<a href="/?via=jane&${secrets}&page=2">go</a>` };
    await visit(`/from?${secrets}&page=1`);
    await tab.run("void setTimeout(() => document.querySelector('a').click())");
    await expect.poll(() => world.front.forms.length).toBe(1);
    expect(world.front.forms.map(({ url, referrer }) => ({ url, referrer }))).toEqual([
      { url: `${address(world, "www")}/?via=jane&page=2`, referrer: `${address(world, "www")}/from?page=1` },
    ]);
  });

  it("records the link that a router shows by the Navigation API", async ({ skip }) => {
    await visit("/");
    skip((await tab.run("'navigation' in window")) !== true, "The engine has no Navigation API");
    await tab.run(`navigation.addEventListener("navigate", (event) => event.intercept());
      navigation.navigate("/?via=bob").finished.then(() => undefined)`);
    await expect.poll(() => countsOf(world.folder, "bob")).toEqual({ clicks: 1, leads: 0 });
  });

  it("recognises a stub that is minified in another way and has queued nothing", async () => {
    const stub = "window.svc=function(){(window['svc']['q']=window['svc']['q']||[]).push(arguments)}";
    world.site["/"] = { html: `<script>${stub}</script>${tag(world)}` };
    await visit("/?via=jane");
    await expect.poll(() => countsOf(world.folder, "jane")).toEqual({ clicks: 1, leads: 0 });
  });

  it("keeps a ref id that may be no promoter's for a day, and only until the server has answered", async () => {
    world.site["/t/click"] = UNANSWERED;
    await visit("/?ref=producthunt");
    expect(await told("'onReady'")).toBe("waiting");
    expect(await cookieDays()).toEqual({ _svc_tid: 1, _svc_ref: 1 });
    delete world.site["/t/click"];
    await visit("/");
    await expect.poll(stored).toEqual(NOTHING);
    expect(await visitorIds(world.folder)).toEqual([]);
  });

  it("keeps the events of two scripts on a page under their own names", async () => {
    const words = `account tracker ${ACCOUNT} --global fpr --cookie _fprom --script fpr.js`;
    expect((await runCli(world.folder, words.split(" "))).code).toBe(0);
    world.site["/"] = {
      html: `${tag(world)}<script src="${address(world, "track")}/fpr.js" data-cid="${ACCOUNT}"></script>`,
    };
    world.site["/t/click"] = UNANSWERED;
    await visit("/?via=jane");
    expect(await told("'onReady'")).toBe("waiting");
    expect(await tab.run("Object.keys(localStorage).sort().join()")).toBe("_fpr_q,_svc_q");
    delete world.site["/t/click"];
    await visit("/");
    await delivered();
    expect((await stored()).cookies.toSorted()).toEqual(["_fprom_ref", "_fprom_tid", "_svc_ref", "_svc_tid"]);
  });

  it("shows the first error that it has caught, and posts the click nevertheless", async () => {
    world.site["/"] = {
      html: `<script>
        const { warn } = console;
        const warned = [];
        console.warn = (...words) => {
          if (String(words[0]).startsWith("svc:")) warned.push(words.join(" "));
          warn.apply(console, words);
        };
        Object.defineProperty(window, "localStorage", { get() { throw new Error("denied"); } });
      </script>${tag(world)}`,
    };
    await visit("/?via=jane");
    expect(await told("'onReady'")).toBe("known");
    expect(await countsOf(world.folder, "jane")).toEqual({ clicks: 1, leads: 0 });
    expect(await tab.run("warned")).toEqual(["svc: Error: denied"]);
  });
});
