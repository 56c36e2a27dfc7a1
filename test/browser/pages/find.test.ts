import { expect, it } from "vitest";
import { faultsOf, newPages, WIDTHS } from "../../support/pages.ts";

const pages = newPages({ promoters: 6, leads: 8, sales: 8 });

it.each(WIDTHS)("at %i pixels the search finds people, codes, sales and pages", async (width) => {
  const page = await pages.open("/admin", { role: "viewer", width, isDark: width < 600 });
  if (width < 600) await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("button", { name: "Search", exact: true }).click();
  const search = page.getByRole("dialog", { name: "Search" });
  const field = search.getByRole("searchbox");
  await field.fill("payo");
  await search.getByRole("link", { name: "Payouts Money" }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  const [promoter] = await pages.app.records.all("promoter");
  await field.fill(promoter!.email.toUpperCase());
  await search.getByRole("region", { name: "Promoters" }).getByRole("link").click();
  await page.waitForURL(`**/admin/promoters/${promoter!.id}`);
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

it("the keyboard alone opens the search, walks through what it found, and goes there", async () => {
  const page = await pages.open("/admin/leads", { role: "viewer" });
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("/");
  const search = page.getByRole("dialog", { name: "Search" });
  await search.waitFor();
  await page.keyboard.type("camp");
  await search.getByRole("link", { name: "Campaigns Program" }).waitFor();
  await page.keyboard.press("ArrowDown");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Campaigns Program");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/admin/campaigns");
  await page.keyboard.press("Control+k");
  await search.getByRole("searchbox").fill("no such thing");
  await search.getByText("Nothing contains “no such thing”.").waitFor();
  await page.keyboard.press("Escape");
  await search.waitFor({ state: "detached" });
  await page.goto(`${pages.url}/admin/promo-codes`);
  const field = page.getByRole("searchbox", { name: "Search promo codes" });
  await field.pressSequentially("/no");
  expect(await field.inputValue()).toBe("/no");
  await page.getByText("No promo code fits these filters").waitFor();
});
