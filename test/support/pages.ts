import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContext, Page, Request } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { loadAccount } from "../../server/domain/program/account/account.ts";
import { seed, type SeedSize } from "../../server/domain/seed/seed.ts";
import type { Role } from "../../server/domain/access/user/user.ts";
import { newListener } from "../../server/http/listener.ts";
import { newContext } from "../../server/request/services.ts";
import { readBuiltPages } from "../../server/web/pages.ts";
import { NOW, startApp, type TestApp } from "./app.ts";
import { sharedChromium, tidy } from "./browser.ts";
import { IS_LONG } from "./rounds.ts";
import { addUser, PASSWORD } from "./users.ts";

const AXE = readFileSync("node_modules/axe-core/axe.min.js", "utf8");
const LOAD_FAILED = /^Failed to load resource/;
/** The browser's driver puts its clock into every frame, and a sandbox refuses it. */
const CLOCK_REFUSED = /^Blocked script execution in 'about:srcdoc'/;

/** The widths at which journeys are tried: a desk, and in long runs a small phone, which `every-page.test.ts` has in each run. */
export const WIDTHS = IS_LONG ? [1280, 360] : [1280];

/** What is loaded in one frame may ask for more in the next. */
const QUIET_FRAMES = 5;

/** The requests of each page that no answer has ended yet. */
const underWay = new WeakMap<Page, Set<Request>>();

/** How a page is opened. */
export interface Opening {
  /** Absent: no one is signed in. */
  role?: Role;
  width?: number;
  isDark?: boolean;
  /** The language and country of the browser. Absent: English in Great Britain. */
  locale?: string;
}

/** A server with its pages, and a browser. */
export interface Pages {
  app: TestApp;
  url: string;
  browser: Browser;
  /** Opens an address in a browser of its own. The page must not make faults or ask other servers. */
  open(path: string, opening?: Opening): Promise<Page>;
  /** The bytes of all scripts that a page has loaded since its address was opened, compressed as they were served. */
  scriptBytes(page: Page): number;
}

/**
 * One server and one browser for the tests of a file. The account is filled with made-up people of the year before
 * `NOW`; without `size` it is empty. `base` is the path below which the server is reached.
 */
export function newPages(size?: SeedSize, base = ""): Pages {
  const pages = {} as Pages;
  let contexts: BrowserContext[] = [];
  let faults: string[] = [];
  const scripts = new WeakMap<Page, Map<string, number>>();
  const listener = newListener();
  beforeAll(async () => {
    const port = await listener.listen({ host: "127.0.0.1", port: 0 });
    pages.url = `http://127.0.0.1:${port}${base}`;
    const built = readBuiltPages(pathToFileURL(`${process.cwd()}/dist/pages/`));
    const docsViewer = readFileSync("dist/docs.js", "utf8");
    pages.app = await startApp("memory", { public_url: pages.url, built, docsViewer });
    listener.serve(pages.app.app.fetch);
    if (size !== undefined) {
      const { services } = pages.app;
      await seed(newContext(services), await loadAccount(services.store, "acme"), size);
    }
    for (const role of ["owner", "manager", "viewer"] as const) await addUser(pages.app, role);
    pages.browser = await sharedChromium();
  });
  afterEach(async () => {
    for (const context of contexts) await context.close();
    contexts = [];
    expect(faults.splice(0), "faults of pages").toEqual([]);
    expect(pages.app.bugs, "bugs of the server").toEqual([]);
  });
  afterAll(async () => {
    await tidy(pages.browser);
    await listener.drain();
    await pages.app.close();
  });
  pages.open = async (path, opening = {}) => {
    const { width = 1280, isDark = false, locale = "en-GB" } = opening;
    const context = await pages.browser.newContext({
      viewport: { width, height: width > 600 ? 900 : 844 },
      colorScheme: isDark ? "dark" : "light",
      locale,
      timezoneId: "UTC",
    });
    contexts.push(context);
    if (opening.role !== undefined) await signIn(context, pages.url, opening.role);
    const page = await context.newPage();
    await page.clock.setFixedTime(NOW);
    watch(page, pages.url, (fault) => faults.push(fault));
    scripts.set(page, weigh(page));
    await page.goto(pages.url + path);
    return page;
  };
  pages.scriptBytes = (page) => [...scripts.get(page)!.values()].reduce((sum, bytes) => sum + bytes, 0);
  return pages;
}

/** The bytes of each script that a page loads, by its address. Another address begins anew. */
function weigh(page: Page): Map<string, number> {
  const bytes = new Map<string, number>();
  page.on("request", (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) bytes.clear();
  });
  page.on("response", (response) => {
    const { "content-type": type = "", "content-length": length } = response.headers();
    if (type.startsWith("text/javascript")) bytes.set(response.url(), Number(length ?? Infinity));
  });
  return bytes;
}

/** Waits until a page has no request under way, and begins none in the frames in which it shows what the last one brought. */
export async function quiet(page: Page): Promise<void> {
  const requests = underWay.get(page)!;
  for (let frames = 0; frames < QUIET_FRAMES; frames = requests.size > 0 ? 0 : frames + 1) {
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  }
}

/** Shows the filters of a list, which phones fold behind a button. */
export async function unfold(page: Page): Promise<void> {
  const button = page.getByRole("button", { name: /^Filters/, expanded: false });
  if (await button.isVisible()) await button.click();
}

/**
 * Everything that axe-core finds wrong with a page that has its title, the buttons that are cut off, and whether the page is
 * wider than its window.
 */
export async function faultsOf(page: Page): Promise<string[]> {
  await page.locator("h1").first().waitFor();
  const violations = await axeFaults(page);
  return [...violations, ...(await layoutFaults(page))];
}

/** What axe-core finds wrong with a page. `rules` limits it to some rules. */
export async function axeFaults(page: Page, rules?: string[]): Promise<string[]> {
  // Once a page, because it is half a megabyte.
  if (await page.evaluate(() => !("axe" in globalThis))) await page.evaluate(AXE);
  const violations = await page.evaluate(async (values) => {
    const { axe } = globalThis as unknown as { axe: Axe };
    return (await axe.run(values === undefined ? {} : { runOnly: { type: "rule", values } })).violations;
  }, rules);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** Buttons that are cut off, tables whose cells are not below their heads, and whether the page is wider than its window. */
export function layoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    // Components may keep their buttons in a tree of their own.
    const buttonsIn = (root: ParentNode): Element[] => [
      ...root.querySelectorAll("button, .button, [role=tab], summary"),
      ...[...root.querySelectorAll("*")].flatMap(({ shadowRoot }) =>
        shadowRoot ? buttonsIn(shadowRoot) : [],
      ),
    ];
    const scrolls = (element: Element | null): boolean =>
      element !== null &&
      (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
    const isCut = (button: Element) => {
      const { left, right, width, height } = button.getBoundingClientRect();
      if (width <= 1 || height <= 1) return false;
      const isOutside = right > clientWidth + 1 || left < -1;
      return button.scrollWidth > button.clientWidth + 1 || (isOutside && !scrolls(button));
    };
    const cut = buttonsIn(document).filter(isCut);
    const faults = cut.map((button) => `cut off: ${button.outerHTML.slice(0, 200)}`);
    const widthOf = (row: HTMLTableRowElement) =>
      [...row.cells]
        .filter((cell) => getComputedStyle(cell).display !== "none")
        .reduce((sum, { colSpan }) => sum + colSpan, 0);
    for (const { tHead, rows, caption } of document.querySelectorAll("table")) {
      const heads = tHead?.rows[0];
      if (heads !== undefined && [...rows].some((row) => widthOf(row) !== widthOf(heads)))
        faults.push(`rows with more or less cells than heads: ${caption?.textContent}`);
    }
    const excess = scrollWidth - clientWidth;
    return excess > 0 ? [...faults, `the page is ${excess} pixels too wide`] : faults;
  });
}

interface Axe {
  run(options: object): Promise<{ violations: AxeViolation[] }>;
}

interface AxeViolation {
  id: string;
  nodes: { html: string }[];
}

/** Signs a user of the tests in, as the sign-in page does. */
async function signIn(context: BrowserContext, url: string, role: Role): Promise<void> {
  const answer = await context.request.post(`${url}/api/v2/company/session`, {
    data: { email: `${role}@acme.example`, password: PASSWORD },
    headers: { origin: new URL(url).origin },
  });
  expect(answer.status()).toBe(201);
}

/**
 * Notes errors in the console, requests to other servers, and which requests are under way. Tests that expect no refused
 * requests note those themselves.
 */
function watch(page: Page, url: string, note: (fault: string) => void): void {
  page.on("console", (message) => {
    const text = message.text();
    if (message.type() === "error" && !LOAD_FAILED.test(text) && !CLOCK_REFUSED.test(text)) note(text);
  });
  page.on("pageerror", (error) => note(error.message));
  page.on("response", (response) => {
    if (response.status() >= 500) note(`${response.status()} ${response.url()}`);
  });
  const requests = new Set<Request>();
  underWay.set(page, requests);
  page.on("requestfinished", (request) => requests.delete(request));
  page.on("requestfailed", (request) => requests.delete(request));
  page.on("request", (request) => {
    requests.add(request);
    const { origin, protocol } = new URL(request.url());
    if (origin !== new URL(url).origin && protocol.startsWith("http")) note(`asked ${origin}`);
  });
}
