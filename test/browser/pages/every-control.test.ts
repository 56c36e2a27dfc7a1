import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { DASHBOARD, eachTab, furnish, newcomer, OPEN, PORTAL } from "../../support/every-page.ts";
import { newPages } from "../../support/pages.ts";

const pages = newPages({ promoters: 4, leads: 6, sales: 6 });

let entrance = "";
beforeAll(async () => {
  entrance = await furnish(pages.app);
});

describe("the Tab key reaches every control, and shows where it is", () => {
  it.each(DASHBOARD)("%s", async (path) => {
    const page = await pages.open(path, { role: "owner" });
    expect(await faultsOfTabs(page)).toEqual({});
  });

  it.each(PORTAL)("%s", async (path) => {
    const page = await pages.open(entrance);
    await page.getByRole("heading", { name: "Your link" }).waitFor();
    await page.goto(pages.url + path);
    expect(await faultsOfTabs(page)).toEqual({});
  });

  it("the terms that a promoter accepts first", async () => {
    const page = await pages.open(await newcomer(pages.app));
    await page.getByText("Be nice.").waitFor();
    expect(await faultsOfTabs(page)).toEqual({});
  });

  // The viewer of `/docs` has hundreds of controls in trees of its own, and its list has hundreds of links.
  it.each(OPEN.filter((path) => path !== "/docs"))("%s, for a visitor", async (path) => {
    expect(await faultsOfTabs(await pages.open(path))).toEqual({});
  });

  it.each(["/admin/promoters", "/portal/links"])("%s on a phone", async (path) => {
    const page = await pages.open(path.startsWith("/portal") ? entrance : path, {
      width: 360,
      ...(path.startsWith("/admin") && { role: "owner" as const }),
    });
    if (path.startsWith("/portal")) {
      await page.getByRole("heading", { name: "Your link" }).waitFor();
      await page.goto(pages.url + path);
    }
    expect(await faultsOfTabs(page)).toEqual({});
  });
});

/** What is wrong with the controls of a page and of all its tabs, by tab. */
async function faultsOfTabs(page: Page): Promise<Record<string, string[]>> {
  const faults: Record<string, string[]> = {};
  await eachTab(page, async (tab) => {
    const found = await faultsOfControls(page);
    if (found.length > 0) faults[tab] = found;
  });
  return faults;
}

/** Presses Tab until every control had the focus, or had the chance to get it twice. */
async function faultsOfControls(page: Page): Promise<string[]> {
  const controls = await page.evaluate(() => {
    const all = document.querySelectorAll<HTMLElement>(
      "a[href], button, input, select, textarea, summary, [tabindex]",
    );
    // A group of radio buttons has one stop.
    const isLaterRadio = (element: HTMLElement) =>
      element instanceof HTMLInputElement &&
      element.type === "radio" &&
      document.querySelector(`[type=radio][name="${element.name}"]:checked`) !== element;
    const found = [...all].filter(
      (element) =>
        element.tabIndex >= 0 &&
        !element.matches(":disabled") &&
        !isLaterRadio(element) &&
        element.checkVisibility({ visibilityProperty: true }),
    );
    for (const [at, control] of found.entries()) control.dataset["control"] = String(at);
    return found.map(({ outerHTML }) => outerHTML.slice(0, 160));
  });
  const reached = new Set<number>();
  const unseen = new Set<string>();
  for (let pressed = 0; reached.size < controls.length && pressed < 2 * controls.length + 10; pressed += 1) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => {
      const { activeElement: element } = document;
      if (!(element instanceof HTMLElement) || element === document.body) return null;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      const isSeen = outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1;
      return { at: Number(element.dataset["control"] ?? -1), isSeen, html: element.outerHTML.slice(0, 160) };
    });
    if (focused === null) continue;
    if (focused.at >= 0) reached.add(focused.at);
    if (!focused.isSeen) unseen.add(focused.html);
  }
  const missed = controls.filter((_, at) => !reached.has(at));
  return [...missed.map((html) => `not reached: ${html}`), ...[...unseen].map((html) => `not seen: ${html}`)];
}
