import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { newPages } from "../../support/pages.ts";
import { PASSWORD } from "../../support/users.ts";

const pages = newPages({ promoters: 10, leads: 30, sales: 30 });

/** The width of the border at the end of a control, in pixels. */
const border = (page: Page, name: string | RegExp) =>
  page
    .getByRole("button", { name })
    .evaluate((button) => Number.parseFloat(getComputedStyle(button).borderBottomWidth));

it("what is chosen is told apart under a theme of high contrast, which has no backgrounds", async () => {
  const page = await pages.open("/admin", { role: "viewer" });
  await page.emulateMedia({ forcedColors: "active" });
  await page.getByRole("heading", { name: "Best promoters" }).waitFor();
  expect(await border(page, "30 days")).toBeGreaterThan(await border(page, "7 days"));
  expect(await border(page, /^Clicks/)).toBeGreaterThan(await border(page, /^Leads/));
});

it("prints the open dialog instead of the page behind it", async () => {
  const page = await pages.open("/admin/commissions", { role: "viewer" });
  await page.getByRole("rowheader").first().getByRole("button").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Event id").waitFor();
  await page.emulateMedia({ media: "print" });
  expect(await page.getByRole("heading", { name: "Commissions" }).isVisible()).toBe(false);
  expect(await page.getByRole("navigation").isVisible()).toBe(false);
  expect(await dialog.getByRole("button", { name: "Close" }).isVisible()).toBe(false);
  expect(await dialog.boundingBox()).toMatchObject({ x: 0, y: 0, width: 1280 });
});

it("prints cards below each other, because Firefox prints those of a grid over each other", async () => {
  const page = await pages.open("/admin", { role: "viewer" });
  const best = page.getByRole("heading", { name: /^Best/ });
  await best.last().waitFor();
  await page.emulateMedia({ media: "print" });
  const [promoters, campaigns] = await best.evaluateAll((all) =>
    all.map((each) => each.getBoundingClientRect().x),
  );
  expect(campaigns).toBe(promoters);
});

it("nothing moves again and again for a reader who wants less motion", async () => {
  const page = await pages.open("/admin/settings/profile", { role: "viewer" });
  const repeats = () =>
    page.evaluate(() => {
      const line = document.createElement("span");
      line.className = "skeleton-line";
      document.body.append(line);
      return getComputedStyle(line).animationIterationCount;
    });
  expect(await repeats()).toBe("infinite");
  await page.emulateMedia({ reducedMotion: "reduce" });
  expect(await repeats()).toBe("1");
});

it.each(["/admin/promoters", "/admin/commissions", "/admin/reports", "/admin/payouts"])(
  "%s fits into the window at twice the size",
  async (path) => {
    const page = await pages.open(path, { role: "owner", width: 640 });
    await page.getByRole("table").first().waitFor();
    const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(excess).toBeLessThanOrEqual(0);
  },
);

it("a page that trips over an answer says so, and the others go on", async () => {
  // Not by `pages.open`, which takes no faults.
  const context = await pages.browser.newContext();
  const session = { email: "viewer@acme.example", password: PASSWORD };
  const headers = { origin: pages.url };
  await context.request.post(`${pages.url}/api/v2/company/session`, { data: session, headers });
  const page = await context.newPage();
  await page.route(/\/api\/v2\/company\/promoters\/1(\?|$)/, (route) => route.fulfill({ json: {} }));
  await page.goto(`${pages.url}/admin/promoters/1`);
  await page.getByRole("heading", { name: "This page has an error" }).waitFor();
  await page.getByRole("link", { name: "Leads" }).click();
  await page.getByRole("table", { name: "Leads" }).waitFor();
  await context.close();
});
