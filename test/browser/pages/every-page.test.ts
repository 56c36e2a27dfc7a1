import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { pageRoutes } from "../../../server/web/pages.ts";
import { BUILT_PAGES } from "../../support/app.ts";
import { DASHBOARD, eachTab, furnish, newcomer, OPEN, PORTAL } from "../../support/every-page.ts";
import { IS_LONG } from "../../support/rounds.ts";
import { axeFaults, faultsOf, layoutFaults, newPages } from "../../support/pages.ts";

const pages = newPages({ promoters: 30, leads: 60, sales: 60 });

/** Most faults of width show on the smallest phone. Long runs add the others, and the dark colours. */
const WIDTHS = IS_LONG ? [1280, 768, 360] : [360];
/** How long charts may take on a busy machine. */
const LAYOUT_MS = 10_000;
const MOST_SCRIPT_BYTES = 70 * 1024;
/** Pages without a script. */
const PLAIN = new Set(["/unsubscribe", "/not-me"]);

let entrance = "";
beforeAll(async () => {
  entrance = await furnish(pages.app);
});

it("knows every page that the server serves", () => {
  const families = pageRoutes(pages.app.services, BUILT_PAGES).map(([path]) => path.split("/")[1]);
  const walked = new Set([...DASHBOARD, ...PORTAL, ...OPEN].map((path) => path.split("/")[1]));
  expect(families.filter((family) => family !== "assets" && !walked.has(family))).toEqual([]);
  expect([DASHBOARD.length, PORTAL.length].every((count) => count > 10)).toBe(true);
});

describe(`at ${WIDTHS.join(", ")} pixels, by day${IS_LONG ? " and by night" : ""}, without a fault and with little script`, () => {
  it.each(DASHBOARD)("%s", async (path) => {
    const page = await pages.open(path, { role: "owner" });
    expect(await faultsOfViews(page)).toEqual({});
  });

  it.each(PORTAL)("%s", async (path) => {
    const page = await pages.open(entrance);
    await page.getByRole("heading", { name: "Your link" }).waitFor();
    await page.goto(pages.url + path);
    expect(await faultsOfViews(page)).toEqual({});
  });

  it("the terms that a promoter accepts first", async () => {
    const page = await pages.open(await newcomer(pages.app));
    await page.getByText("Be nice.").waitFor();
    expect(await faultsOfViews(page)).toEqual({});
  });

  it.each(OPEN)("%s, for a visitor", async (path) => {
    const page = await pages.open(path);
    expect(await faultsOfViews(page)).toEqual({});
  });

  it.runIf(IS_LONG)("an operation of /docs, except that its viewer is a large script", async () => {
    const page = await pages.open("/docs#post-/api/v1/track/sale");
    const { script, ...others } = await faultsOfViews(page);
    expect([others, script]).toEqual([{}, [expect.stringMatching(/^\d{6} bytes$/)]]);
  });
});

/** The faults of a page and of all its tabs, by view. */
async function faultsOfViews(page: Page): Promise<Record<string, string[]>> {
  const faults: Record<string, string[]> = {};
  await eachTab(page, async (tab) => {
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await laidOut(page);
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      const byDay = width === 768 ? await layoutFaults(page) : await faultsOf(page);
      if (IS_LONG) await page.emulateMedia({ colorScheme: "dark" });
      // The same elements in other colours.
      const byNight = IS_LONG ? await axeFaults(page, ["color-contrast"]) : [];
      const found = [...byDay, ...byNight.map((fault) => `dark: ${fault}`)];
      if (found.length > 0) faults[`${tab} ${width}`.trim()] = found;
    }
  });
  // With what its tabs have loaded. Every page has some, or it would not be weighed.
  const bytes = pages.scriptBytes(page);
  const isPlain = PLAIN.has(new URL(page.url()).pathname);
  if (bytes > MOST_SCRIPT_BYTES || (bytes === 0) !== isPlain) faults["script"] = [`${bytes} bytes`];
  return faults;
}

/** Charts take their new width in one of the next frames. A page that stays too wide is reported as a fault. */
async function laidOut(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(null)))),
  );
  const fits = () => document.documentElement.scrollWidth <= document.documentElement.clientWidth;
  await page.waitForFunction(fits, undefined, { timeout: LAYOUT_MS }).catch(() => {});
}
