import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { sharedChromium, tidy, USER_AGENT, type Site } from "./browser.ts";
import { startFront, type Front } from "./front.ts";
import { ACCOUNT, startServer, temporaryFolder, v1, type Server } from "./server.ts";

/** The promoter in every test's account. */
export const JANE = { email: "jane@example.com", ref_id: "jane" };

/** What each test has for itself: a server, a site in front of it, and a browser with one tab. */
export interface World {
  browser: Browser;
  server: Server;
  /** The server's store. */
  folder: string;
  site: Site;
  front: Front;
  context: BrowserContext;
  page: Page;
}

/** Makes a world for each test of the calling file. The site's only page is the tracked `/`. */
export function newWorlds(): World {
  const world = {} as World;
  let remove: () => void;
  beforeAll(async () => {
    world.browser = await sharedChromium({
      // Playwright switches the back/forward cache off.
      ignoreDefaultArgs: ["--disable-back-forward-cache"],
      args: [`--user-agent=${USER_AGENT}`],
    });
  });
  afterAll(() => tidy(world.browser));
  beforeEach(async () => {
    ({ folder: world.folder, remove } = temporaryFolder());
    world.server = await startServer(world.folder, { PUBLIC_URL: "http://www.example.test" });
    await v1(world.server, "/promoters/create", JANE);
    world.site = {};
    world.front = await startFront({ site: world.site, port: world.server.port });
    world.site["/"] = { html: tag(world) };
    world.context = await world.browser.newContext();
    world.page = await world.context.newPage();
  });
  afterEach(async () => {
    await world.context.close();
    world.front.close();
    await world.server.kill();
    remove();
  });
  return world;
}

/** Replaces the test's browser by one of another kind. */
export async function reopen(world: World, options: BrowserContextOptions): Promise<void> {
  await world.context.close();
  world.context = await world.browser.newContext(options);
  world.page = await world.context.newPage();
}

/** An address on the front, by default of a host of example.test. */
export function address(
  { front }: World,
  host: string,
  { scheme = "http", domain = "example.test" }: { scheme?: string; domain?: string } = {},
): string {
  return `${scheme}://${host}.${domain}:${front.port}`;
}

/** The tag that tracks a page. */
export function tag(world: World, { cid = ACCOUNT, scheme = "http" } = {}): string {
  return `<script src="${address(world, "track", { scheme })}/svc.js" data-cid="${cid}"></script>`;
}

/** The visitor ids that were posted, oldest first. */
export const postedTids = ({ front }: World) => front.forms.map((form) => form["tid"]);

/** Waits until a page has loaded and run its script, and has sent everything. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction("window.svc && new Promise((resolve) => svc('onReady', () => resolve(true)))");
}

/** Everything that a page has stored: cookies, local storage, session storage. */
export const stored = (page: Page) =>
  page.evaluate(() => [document.cookie, { ...localStorage }, { ...sessionStorage }]);
