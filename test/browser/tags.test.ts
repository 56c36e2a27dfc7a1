import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { countsOf } from "../support/browser.ts";
import { ACCOUNT } from "../support/server.ts";
import { address, newWorlds, settled, tag } from "../support/site.ts";

const GUIDE = readFileSync("docs/marketers.md", "utf8");

const world = newWorlds();

const home = () => world.page.goto(`${address(world, "www")}/?via=jane`);
const counts = () => countsOf(world.folder, "jane");
/** A snippet of the guide for the test's server and account. */
const fill = (snippet: string) =>
  snippet
    .replaceAll("https://track.example.com", address(world, "track"))
    .replaceAll("YOUR_ACCOUNT_ID", ACCOUNT);

it("tracks a page by a module tag", async () => {
  world.site["/"] = { html: tag(world).replace("<script", '<script type="module"') };
  await home();
  await settled(world.page);
  expect(await counts()).toEqual({ clicks: 1, leads: 0 });
});

it("tracks a page that imports the module, and gives it no global", async () => {
  world.site["/tracker.js"] = {
    html: readFileSync("dist/tracker/index.js", "utf8"),
    headers: { "content-type": "text/javascript" },
  };
  world.site["/"] = {
    html: `<script type="module">import { svc } from "/tracker.js";
      svc("init", { cid: "${ACCOUNT}", origin: "${address(world, "track")}" });
      svc("click", ({ status }) => { document.title = status; });</script>`,
  };
  await home();
  await world.page.waitForFunction("document.title === 'recorded'");
  expect(await counts()).toEqual({ clicks: 1, leads: 0 });
  expect(await world.page.evaluate("'svc' in window")).toBe(false);
});

it("tracks a page by the hashed file with its digest, as the guide's commands tell them", async () => {
  const [etag, digest] = GUIDE.match(/^curl .*$/gm)!.map((command) =>
    execFileSync("sh", ["-c", command.replace("https://track.example.com", world.server.url)], {
      encoding: "utf8",
    }),
  );
  const hash = etag!.match(/[\da-f]{12}/)![0];
  const file = await fetch(`${world.server.url}/svc.${hash}.js`);
  expect(digest).toBe(
    createHash("sha384")
      .update(await file.bytes())
      .digest("base64"),
  );
  const pinned = GUIDE.match(/<script [^>]*integrity[^>]*><\/script>/)![0]
    .replace("https://track.example.com", address(world, "track"))
    .replace("HASH", hash)
    .replace("YOUR_ACCOUNT_ID", ACCOUNT);
  world.site["/"] = { html: pinned.replace("DIGEST", digest!) };
  await home();
  await settled(world.page);
  expect(await counts()).toEqual({ clicks: 1, leads: 0 });
  world.site["/"] = {
    html: pinned.replace(
      "DIGEST",
      digest!.replace(/^./, (first) => (first === "A" ? "B" : "A")),
    ),
  };
  await world.page.reload();
  expect(await world.page.evaluate("'svc' in window")).toBe(false);
});

it("tracks a page by files that its own site serves, as the guide's command fetches them", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [, command] = GUIDE.match(/^cd public && (.*)$/m)!;
  execFileSync("sh", ["-c", command!.replaceAll("https://track.example.com", world.server.url)], {
    cwd: folder,
  });
  const headers = { "content-type": "text/javascript" };
  for (const name of readdirSync(folder))
    world.site[`/own/${name}`] = { html: readFileSync(join(folder, name), "utf8"), headers };
  world.site["/"] = {
    html: `<script async src="/own/svc.js" data-cid="${ACCOUNT}" data-origin="${address(world, "track")}"></script>`,
  };
  await home();
  await settled(world.page);
  expect(readdirSync(folder)).toHaveLength(2);
  expect(await counts()).toEqual({ clicks: 1, leads: 0 });
  expect(await world.page.evaluate("document.querySelector('script[src*=svc-more]').src")).toContain(
    "/own/svc-more.",
  );
});

it("runs under a policy that lists the digests of both files, as the guide's command tells the second", async () => {
  const errors: string[] = [];
  world.page.on("console", (line) => void (line.type() === "error" && errors.push(line.text())));
  const [, command] = GUIDE.match(/`(curl [^`]*sha256[^`]*)`/)!;
  const second = execFileSync("sh", ["-c", command!.replace("https://track.example.com", world.server.url)], {
    encoding: "utf8",
  }).trim();
  const file = await fetch(`${world.server.url}/svc.js`);
  const hash = file.headers.get("etag")!.match(/[\da-f]{12}/)![0];
  const digest = createHash("sha384")
    .update(await file.bytes())
    .digest("base64");
  const [pinned] = GUIDE.match(/<script [^>]*integrity[^>]*><\/script>/)!;
  world.site["/"] = {
    html: `<link rel="icon" href="data:,">${fill(pinned).replace("HASH", hash).replace("DIGEST", digest)}`,
    headers: {
      "content-security-policy": `script-src 'sha384-${digest}' '${second}'; connect-src ${address(world, "track")}`,
    },
  };
  const more = world.page.waitForResponse(/svc-more/);
  await home();
  expect((await more).ok()).toBe(true);
  await expect.poll(counts).toEqual({ clicks: 1, leads: 0 });
  expect(errors).toEqual([]);
});

it("tracks a page by the guide's tags for tag managers, and waits for the answer that the second tag gives", async () => {
  const [first, second] = GUIDE.match(
    /(?<=## Tag managers\n[^]*)<script>[^]*?<\/script>(?=[^]*\n## WordPress)/g,
  )!;
  const consent = 'script.setAttribute("data-consent", "required");';
  world.site["/"] = { html: fill(first!).replace("document.head", `${consent} document.head`) };
  await home();
  await world.page.waitForFunction("window.svc");
  expect(world.front.forms).toEqual([]);
  world.site["/"] = { html: second! + fill(first!).replace("document.head", `${consent} document.head`) };
  await home();
  await expect.poll(counts).toEqual({ clicks: 1, leads: 0 });
  expect(world.front.forms).toMatchObject([{ consent: "given" }]);
});

it("tracks a page by the guide's React component", async () => {
  const [, component] = GUIDE.match(/```jsx\n(import \{ useEffect[^]*?)```/)!;
  // Preact's hooks are React's, without its size.
  const modules = {
    "/component.js": fill(component!),
    "/preact.js": readFileSync("node_modules/preact/dist/preact.mjs", "utf8"),
    "/hooks.js": readFileSync("node_modules/preact/hooks/dist/hooks.mjs", "utf8"),
  };
  for (const [path, html] of Object.entries(modules))
    world.site[path] = { html, headers: { "content-type": "text/javascript" } };
  world.site["/"] = {
    html: `<script type="importmap">{ "imports": { "react": "/hooks.js", "preact": "/preact.js" } }</script>
      <body><script type="module">import { h, render } from "preact";
        import { Tidemark } from "/component.js";
        render(h(Tidemark), document.body);</script>`,
  };
  await home();
  await expect.poll(counts).toEqual({ clicks: 1, leads: 0 });
});

it("puts the visitor into the cart by the guide's part for Shopify", async () => {
  const [snippet] = GUIDE.match(/(?<=## Shopify\n[^]*)<script async[^]*?fetch[^]*?<\/script>/)!;
  world.site["/"] = { html: fill(snippet!) };
  world.site["/cart/update.js"] = { html: "{}" };
  await home();
  await expect.poll(() => world.front.requests).toContain("POST /cart/update.js");
  const tid = await world.page.evaluate("svc.data.tid");
  expect(Object.keys(world.front.forms.at(-1)!)).toEqual([`{"attributes":{"svc_tid":"${tid}"}}`]);
});

it("hands the visitor over to another of the customer's sites in an image map", async () => {
  const shop = `${address(world, "shop", { domain: "other.test" })}/shop`;
  world.site["/"] = {
    html: `${tag(world)}<map name="sites"><area shape="default" href="${shop}"></map>
      <img usemap="#sites" width="100" height="100" src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">`,
  };
  world.site["/shop"] = { html: tag(world) };
  await home();
  await settled(world.page);
  await world.page.evaluate("svc('crossDomain', 'other.test')");
  const tid = await world.page.evaluate("svc.data.tid");
  await world.page.mouse.click(50, 50);
  await world.page.waitForURL(/shop/);
  await settled(world.page);
  expect(await world.page.evaluate("svc.data.tid")).toBe(tid);
  expect(await counts()).toEqual({ clicks: 1, leads: 0 });
});
