import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { cookieValues, countsOf, STUB, WITHOUT_RETRIES } from "../support/browser.ts";
import { ACCOUNT } from "../support/server.ts";
import { address, newWorlds, postedTids, settled, stored, tag } from "../support/site.ts";

const world = newWorlds();

const home = (query = "?via=jane") => world.page.goto(`${address(world, "www")}/${query}`);
const counts = () => countsOf(world.folder, "jane");
const told = (call: string) =>
  world.page.evaluate(`new Promise((resolve) => svc(${call}, (outcome) => resolve(outcome.status)))`);

describe("a server that can't be reached", () => {
  it.each([
    ["because an extension blocks it", {}, true],
    [
      "because a content security policy forbids it",
      { "content-security-policy": "connect-src 'none'" },
      false,
    ],
  ])("%s, is asked once, whatever the page does", async (_, headers, isBlocked) => {
    world.site["/"] = { html: tag(world), headers };
    let asked = 0;
    await world.context.exposeFunction("count", () => asked++);
    await world.context.addInitScript(WITHOUT_RETRIES);
    await world.context.addInitScript("addEventListener('securitypolicyviolation', () => count())");
    if (isBlocked) await world.context.route("**/t/**", (route) => (asked++, route.abort()));
    await home();
    expect(await told("'onReady'")).toBe("waiting");
    await world.page.evaluate(() => {
      const { svc } = window as unknown as { svc: (...call: unknown[]) => void };
      for (let turn = 0; turn < 100; turn++) {
        history.pushState({}, "", `/?turn=${turn}`);
        svc("click");
        svc("onReady");
        svc("signup", { email: "lead@example.com" });
      }
    });
    expect(await told(`"signup", { email: "lead@example.com" }`)).toBe("waiting");
    await expect.poll(() => asked).toBe(2);
  });

  it("is different from one that refuses, which the console shows", async () => {
    const lines: string[] = [];
    world.page.on("console", (message) => void (message.type() === "warning" && lines.push(message.text())));
    world.site["/"] = { html: tag(world) };
    await world.page.goto(`${address(world, "www", { domain: "other.test" })}/?via=jane`);
    expect(await told(`"signup", { email: "lead@example.com" }`)).toBe("refused");
    await expect.poll(() => lines).toEqual([expect.stringContaining("svc: signup refused")]);
    expect(lines[0]).toContain("This site may not send sign-ups");
  });
});

describe("a visitor whom the server does not know", () => {
  it("is recorded with the sign-up", async () => {
    const domain = ".example.test";
    const [tid, path] = ["7f1b2c3d-1111-4222-8333-444455556666", "/"];
    await world.context.addCookies([
      { name: "_svc_tid", value: tid, domain, path },
      { name: "_svc_ref", value: "jane", domain, path },
    ]);
    await home();
    await settled(world.page);
    expect(world.front.forms).toEqual([]);
    expect(await told(`"signup", { email: "lead@example.com" }`)).toBe("recorded");
    expect(await counts()).toEqual({ clicks: 1, leads: 1 });
    expect(await cookieValues(world.context)).toEqual({ _svc_tid: tid, _svc_ref: "jane" });
  });
});

describe("a landing page", () => {
  it("counts even if a redirect in the page leaves it", async () => {
    world.site["/"] = { html: `<script>location.replace("/home")</script>` };
    world.site["/home"] = { html: tag(world) };
    await home();
    await world.page.waitForURL(/home/);
    await settled(world.page);
    expect(world.front.forms).toMatchObject([{ ref_id: "jane", url: `${address(world, "www")}/?via=jane` }]);
    expect(await counts()).toEqual({ clicks: 1, leads: 0 });
  });

  it("is known even if consent comes after a router has changed the address", async () => {
    world.site["/"] = {
      html: `<script src="${address(world, "track")}/svc.js" data-cid="${ACCOUNT}" data-consent="required"></script>`,
    };
    await home();
    await world.page.evaluate(() => history.replaceState({}, "", "/home"));
    await told("'consent', true");
    expect(world.front.forms).toMatchObject([{ ref_id: "jane", url: `${address(world, "www")}/?via=jane` }]);
  });
});

describe("consent", () => {
  it("that is withdrawn in one tab stops the others, and leaves nothing", async () => {
    await home();
    await settled(world.page);
    const written = await world.page.evaluateHandle(() => {
      const names: (string | null)[] = [];
      addEventListener("storage", ({ key }) => names.push(key));
      return names;
    });
    const other = await world.context.newPage();
    await other.goto(`${address(world, "www")}/`);
    await other.waitForFunction("'svc' in window");
    await other.evaluate("svc('consent', false)");
    // It takes a moment until the other tab knows. Until then it refuses sign-ups, because the visitor is
    // gone.
    await expect.poll(() => told(`"signup", { email: "lead@example.com" }`)).toBe("waiting");
    await world.page.evaluate(() => history.pushState({}, "", "/?via=bob"));
    expect(await told(`"signup", { email: "lead@example.com" }`)).toBe("waiting");
    expect(await stored(world.page)).toEqual(["", {}, {}]);
    expect(await written.jsonValue()).toEqual([]);
    expect(world.front.requests.filter((request) => request.startsWith("POST"))).toEqual([
      "POST /t/click",
      "POST /t/withdraw",
    ]);
  });
});

describe("a page with names of its own", () => {
  it.each([
    "var origin = 1, navigation = {}, URL = 'x';",
    "class URL {}; var svc;",
    "Object.freeze(history);",
    "history.pushState = null;",
  ])("does not disturb the script, and is not disturbed: %s", async (script) => {
    const errors: string[] = [];
    world.page.on("pageerror", ({ message }) => void errors.push(message));
    world.site["/"] = {
      html: `<script>${script}</script><div id="svc"></div><a id="navigation"></a>${tag(world)}`,
    };
    await home();
    await settled(world.page);
    expect(await counts()).toEqual({ clicks: 1, leads: 0 });
    expect(errors).toEqual([]);
  });

  it("may call the script by another name, with another program's snippet", async () => {
    const words = `account tracker ${ACCOUNT} --global fpr --data-global FPROM --cookie _fprom --script fpr.js`;
    execFileSync(process.execPath, ["dist/server/cli.js", ...words.split(" ")], {
      env: { ...process.env, STORAGE_URL: `sqlite:${world.folder}` },
    });
    world.site["/"] = {
      html: `<script>${STUB.replaceAll("svc", "fpr")} fpr("init", { cid: "theirs" }); fpr("click");</script>
        <script src="${address(world, "track")}/fpr.js"></script>`,
    };
    await home();
    await world.page.waitForFunction("fpr.data && fpr.data.tid");
    await expect.poll(counts).toEqual({ clicks: 1, leads: 0 });
    const tid = await world.page.evaluate("fpr.data.tid");
    expect(await world.page.evaluate("FPROM.data.tid")).toBe(tid);
    expect(await cookieValues(world.context)).toEqual({ _fprom_tid: tid, _fprom_ref: "jane" });
    expect(await world.page.evaluate("'svc' in window")).toBe(false);
  });

  it("may navigate to a decorated address by code", async () => {
    await home();
    await settled(world.page);
    await world.page.evaluate("svc('crossDomain', ['*.other.test'])");
    const decorated = (url: string) =>
      world.page.evaluate(`new Promise((resolve) => svc("decorate", "${url}", resolve))`);
    const [tid] = postedTids(world);
    expect(await decorated("https://www.other.test/?x=1")).toMatch(
      new RegExp(`^https://www.other.test/\\?x=1&svc_ref=jane&_svc_tid=${tid}\\d{13}$`),
    );
    expect(await decorated("https://evil.test/")).toBe("https://evil.test/");
    expect(await decorated("/here")).toBe("/here");
  });
});
