import { expect, it } from "vitest";
import { newPages } from "../../support/pages.ts";

const pages = newPages({ promoters: 3, leads: 5, sales: 3 }, "/partners");

it("serves the dashboard below a path, also after a reload and by its links", async () => {
  const page = await pages.open("/admin", { role: "owner" });
  await page.getByRole("link", { name: "Promoters", exact: true }).click();
  await page.getByRole("heading", { name: "Promoters", level: 1 }).waitFor();
  expect(page.url()).toBe(`${pages.url}/admin/promoters`);
  await page.locator("tbody a").first().click();
  await page.waitForURL(`${pages.url}/admin/promoters/*`);
  await page.reload();
  await page.getByRole("link", { name: "Promoters", exact: true, includeHidden: false }).waitFor();
  await expect.poll(() => page.locator("nav [aria-current=page]").allTextContents()).toEqual(["Promoters"]);
  const addresses = await page
    .locator("a[href^='/']")
    .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
  expect(addresses.filter((address) => !address.startsWith("/partners/"))).toEqual([]);
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.waitForURL(`${pages.url}/admin/sign-in`);
});

it("signs a promoter in below a path, and shows their portal", async () => {
  const { body } = await pages.app.v1("/promoters/update", { id: "1" });
  const page = await pages.open(`/portal?auth_token=${(body as { auth_token: string }).auth_token}`);
  await page.waitForURL(`${pages.url}/portal`);
  await page.getByRole("link", { name: "Leads", exact: true }).click();
  await page.getByRole("heading", { name: "Leads", level: 1 }).waitFor();
  expect(page.url()).toBe(`${pages.url}/portal/leads`);
});
