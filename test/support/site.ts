import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { sharedChromium, tidy, USER_AGENT, type Site } from "./browser.ts";
import { startFront, type Front } from "./front.ts";
import { ACCOUNT, startServer, temporaryFolder, v1, type Server } from "./server.ts";

/** The promoter in every test's account. */
export const JANE = { email: "jane@example.com", ref_id: "jane" };

/** What each test has for itself: a server, and a site in front of it. */
export interface SiteWorld {
  server: Server;
  /** The server's store. */
  folder: string;
  site: Site;
  front: Front;
}

/** The same, with a Chromium of one tab. */
export interface World extends SiteWorld {
  browser: Browser;
  context: BrowserContext;
  page: Page;
}

/** Makes server and site for each test of the calling file. The site's only page is the tracked `/`. */
export function newSites(): SiteWorld {
  const world = {} as SiteWorld;
  let remove: () => void;
  beforeEach(async () => {
    ({ folder: world.folder, remove } = temporaryFolder());
    world.server = await startServer(world.folder, { PUBLIC_URL: "http://www.example.test" });
    await v1(world.server, "/promoters/create", JANE);
    world.site = {};
    world.front = await startFront({ site: world.site, port: world.server.port });
    world.site["/"] = { html: tag(world) };
  });
  afterEach(async () => {
    world.front.close();
    await world.server.kill();
    remove();
  });
  return world;
}

/** Makes a world for each test of the calling file. */
export function newWorlds(): World {
  const world = newSites() as World;
  beforeAll(async () => {
    world.browser = await sharedChromium({
      // Playwright switches the back/forward cache off.
      ignoreDefaultArgs: ["--disable-back-forward-cache"],
      args: [`--user-agent=${USER_AGENT}`],
    });
  });
  afterAll(() => tidy(world.browser));
  beforeEach(async () => {
    world.context = await world.browser.newContext();
    world.page = await world.context.newPage();
  });
  afterEach(() => world.context.close());
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
  { front }: SiteWorld,
  host: string,
  { scheme = "http", domain = "example.test" }: { scheme?: string; domain?: string } = {},
): string {
  return `${scheme}://${host}.${domain}:${front.port}`;
}

/** The tag that tracks a page. */
export function tag(world: SiteWorld, { cid = ACCOUNT, scheme = "http", attributes = "" } = {}): string {
  const src = `${address(world, "track", { scheme })}/svc.js`;
  return `<script src="${src}" data-cid="${cid}" ${attributes}></script>`;
}

/** The visitor ids that were posted, oldest first. */
export const postedTids = ({ front }: SiteWorld) => front.forms.map((form) => form["tid"]);

/** Waits until a page has loaded and run its script, and has sent everything. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction("window.svc && new Promise((resolve) => svc('onReady', () => resolve(true)))");
}

/** Everything that a page has stored: cookies, local storage, session storage. */
export const stored = (page: Page) =>
  page.evaluate(() => [document.cookie, { ...localStorage }, { ...sessionStorage }]);
