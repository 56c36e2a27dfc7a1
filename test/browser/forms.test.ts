import { describe, expect, it } from "vitest";
import { countsOf, STUB, type Site } from "../support/browser.ts";
import { address, newWorlds, postedTids, settled, stored, tag } from "../support/site.ts";

const world = newWorlds();

const home = (query = "?via=jane") => world.page.goto(`${address(world, "www")}/${query}`);
const counts = () => countsOf(world.folder, "jane");

describe("a form", () => {
  const field =
    '<input type="checkbox" name="email_news" checked><input name="work_email" value="lead@example.com">';
  const named = `<input data-svc-field="first_name" value="Lee">
    <input type="radio" name="how" data-svc-field="sub_id" value="fair" checked>
    <input type="radio" name="how" data-svc-field="sub_id" value="blog">`;
  it.each([
    ["with fields of any name", `<form data-svc-signup>${field}${named}<button>go</button></form>`, "click"],
    [
      "with fields elsewhere",
      `<form id="f" data-svc-signup><button>go</button></form><div>${field.replaceAll("<input", '<input form="f"')}${named.replaceAll("<input", '<input form="f"')}</div>`,
      "click",
    ],
    ["that a script submits", `<form data-svc-signup>${field}${named}</form>`, "submit"],
    [
      "in a shadow root",
      `<div id="host"></div><template><form data-svc-signup>${field}${named}<button>go</button></form></template><script>host.attachShadow({ mode: "open" }).append(document.querySelector("template").content)</script>`,
      "click",
    ],
    [
      "in a dialog",
      `<dialog open><form method="dialog" data-svc-signup>${field}${named}<button>go</button></form></dialog>`,
      "click",
    ],
  ])("%s signs up", async (_, html, how) => {
    world.site["/"] = { html: tag(world) + html };
    await home();
    await settled(world.page);
    if (how === "click") await world.page.getByRole("button").click();
    else await world.page.evaluate("document.forms[0].submit()");
    await expect.poll(counts).toEqual({ clicks: 1, leads: 1 });
    expect(world.front.forms.find(({ email }) => email)).toMatchObject({
      email: "lead@example.com",
      first_name: "Lee",
      sub_id: "fair",
    });
  });

  it("signs no visitor up by a button that only closes its dialog", async () => {
    world.site["/"] = {
      html: `${tag(world)}<dialog open><form data-svc-signup>${field}<button formmethod="dialog">no</button></form></dialog>`,
    };
    await home();
    await settled(world.page);
    await world.page.getByRole("button").click();
    await world.page.getByRole("dialog").waitFor({ state: "hidden" });
    await settled(world.page);
    expect(world.front.forms.map(({ email }) => email)).toEqual([undefined]);
    expect(await counts()).toEqual({ clicks: 1, leads: 0 });
  });

  it.each(["get", "post"])(
    "by %s hands the visitor over to another of the customer's sites",
    async (method) => {
      world.site["/"] = {
        html: `${tag(world)}<form method="${method}" action="${address(world, "shop", { domain: "other.test" })}/next?x=1">
        <input name="plan" value="pro"><button>go</button></form>`,
      };
      world.site["/next"] = { html: tag(world) };
      await home();
      await settled(world.page);
      await world.page.evaluate("svc('crossDomain', 'https://Shop.OTHER.test/')");
      await world.page.click("button");
      await world.page.waitForURL(/next/);
      await settled(world.page);
      expect(new Set(postedTids(world).filter(Boolean)).size).toBe(1);
      expect(world.page.url()).not.toContain("_svc_tid");
      expect(await counts()).toEqual({ clicks: 1, leads: 0 });
    },
  );

  it("that is sent twice hands the visitor over once each time, and stays as it was", async () => {
    const action = `${address(world, "shop", { domain: "other.test" })}/next`;
    world.site["/"] = {
      html: `${tag(world)}<form action="${action}"><input name="plan" value="pro"><button>go</button></form>
        <script>
          const sent = [];
          document.forms[0].onsubmit = (event) => sent.push([...new FormData(event.target).keys()]) && false;
        </script>`,
    };
    await home();
    await settled(world.page);
    await world.page.evaluate("svc('crossDomain', 'other.test')");
    const inputs = world.page.locator("input");
    for (let time = 0; time < 2; time++) {
      await world.page.click("button");
      await expect.poll(() => inputs.count()).toBe(1);
    }
    const fields = ["plan", "svc_ref", "_svc_tid"];
    expect(await world.page.evaluate("sent")).toEqual([fields, fields]);
    expect(await world.page.getAttribute("form", "action")).toBe(action);
  });
});

describe("a form that waits for its success", () => {
  const STAYS = "onsubmit='return false'";
  const form = (attributes: string) => `${tag(world)}<form data-svc-signup="success" ${attributes}>
    <input name="email" value="lead@example.com"><button>go</button></form>
    <a href="#terms">terms</a><a href="/welcome" target="_blank">new tab</a><a href="/welcome">welcome</a>`;
  const kept = async () => (await stored(world.page)).slice(1);

  /** Comes by a link, and submits the form; the answers are the pages from then on. */
  async function submit(attributes: string, answers: Site = {}): Promise<void> {
    world.site["/"] = { html: form(attributes) };
    world.site["/welcome"] = { html: tag(world) };
    await home();
    await settled(world.page);
    Object.assign(world.site, answers);
    await world.page.click("button");
  }

  it.each([
    ["its own address", "method='post'", "/"],
    ["its action's address", "method='post' action='/users'", "/users"],
  ])("signs no visitor up if it comes back at %s", async (_, attributes, path) => {
    await submit(attributes, { [path]: { html: `${form(attributes)}<p>refused</p>` } });
    await world.page.getByText("refused").waitFor();
    await expect.poll(kept).toEqual([{}, {}]);
    await world.page.goto(`${address(world, "www")}/welcome`);
    await settled(world.page);
    expect(await counts()).toEqual({ clicks: 1, leads: 0 });
  });

  it("signs no visitor up if the visitor follows a link", async () => {
    await submit(STAYS);
    await settled(world.page);
    expect(await counts()).toEqual({ clicks: 1, leads: 0 });
    await world.page.getByText("welcome").click();
    await world.page.waitForURL(/welcome/);
    await settled(world.page);
    expect(await kept()).toEqual([{}, {}]);
    expect(await counts()).toEqual({ clicks: 1, leads: 0 });
  });

  it("signs up if it succeeds after links within its page and to a new tab", async () => {
    await submit(STAYS);
    await world.page.getByText("terms").click();
    await world.page.getByText("new tab").click();
    await world.page.evaluate("svc('signup')");
    await expect.poll(counts).toEqual({ clicks: 1, leads: 1 });
  });

  it.each([
    ["leads to another page", "method='post' action='/users'"],
    ["has its page show another address", `onsubmit='history.pushState({}, "", "/welcome"); return false'`],
    ["is called a success by its page", `onsubmit='svc("signup"); return false'`],
    ["is called a success by the page that it leads to", "method='post' action='/done'"],
  ])("signs up if it %s", async (_, attributes) => {
    await submit(attributes, {
      "/users": { html: "", headers: { refresh: "0;url=/welcome" } },
      "/done": { html: `<script>${STUB} svc("signup");</script>${tag(world)}` },
    });
    await expect.poll(counts).toEqual({ clicks: 1, leads: 1 });
    await expect.poll(kept).toEqual([{}, {}]);
  });

  it("is kept for the next page only while there is consent", async () => {
    await submit(STAYS);
    await expect.poll(kept).toMatchObject([{}, { _svc_form: expect.any(String) }]);
    await world.page.evaluate("svc('consent', false)");
    expect(await kept()).toEqual([{}, {}]);
    await world.page.evaluate("svc('consent', true)");
    await world.page.goto(`${address(world, "www")}/welcome`);
    await settled(world.page);
    expect(await counts()).toMatchObject({ leads: 0 });
  });
});
