import type { Locator, Page } from "playwright-core";
import { expect, it } from "vitest";
import { newPages } from "../../support/pages.ts";

const pages = newPages({ promoters: 40, leads: 30, sales: 30 });

const hasFocus = (element: Locator) => element.evaluate((each) => each === document.activeElement);
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

it.each(["/admin/promoters", "/admin/reports"])("the menu of columns on %s closes", async (path) => {
  const page = await pages.open(path, { role: "viewer" });
  const menu = page.locator("summary", { hasText: "Columns" });
  const panel = page.locator("details", { has: menu }).locator(".menu-panel");
  await menu.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  expect(await panel.isVisible()).toBe(true);
  await page.keyboard.press("Escape");
  expect(await panel.isVisible()).toBe(false);
  expect(await hasFocus(menu)).toBe(true);

  await page.keyboard.press("Space");
  await panel.waitFor();
  await page.keyboard.press("Shift+Tab");
  expect(await panel.isVisible()).toBe(false);
  await menu.click();
  await panel.getByText("Revenue", { exact: true }).click();
  expect(await panel.isVisible()).toBe(true);
  await page.getByRole("heading", { level: 1 }).click();
  expect(await panel.isVisible()).toBe(false);
});

it.each([
  ["/admin/promoters", "Add a promoter"],
  ["/admin/leads", "Add a lead"],
  ["/admin/campaigns", "Add a campaign"],
  ["/admin/rewards", "Add a reward"],
  ["/admin/payouts", "Make a batch"],
  ["/admin/settings/webhooks", "Add a webhook"],
  ["/admin/settings/users", "Invite a user"],
])("on %s Escape closes “%s” and gives the focus back", async (path, name) => {
  const page = await pages.open(path, { role: "owner" });
  const opener = button(page, name).first();
  await opener.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  expect(await dialog.evaluate((each) => each.contains(document.activeElement))).toBe(true);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await expect.poll(() => hasFocus(opener)).toBe(true);
});

it("the menu of a phone gives the focus back, or to the page that it leads to", async () => {
  const page = await pages.open("/admin", { role: "owner", width: 390 });
  const menu = button(page, "Menu");
  await menu.press("Enter");
  const leads = page.getByRole("dialog", { name: "Menu" }).getByRole("link", { name: "Leads" });
  await leads.waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await expect.poll(() => hasFocus(menu)).toBe(true);
  await menu.press("Enter");
  await leads.press("Enter");
  await expect.poll(() => hasFocus(page.getByRole("heading", { name: "Leads" }))).toBe(true);
});

it("the arrow keys go through tabs, round and round", async () => {
  const page = await pages.open("/admin/promoters/1", { role: "viewer" });
  await page.getByRole("tab", { name: "Overview" }).press("ArrowLeft");
  const last = page.getByRole("tab", { name: "Changes", selected: true });
  expect(await hasFocus(last)).toBe(true);
  await last.press("Home");
  expect(await hasFocus(page.getByRole("tab", { name: "Overview", selected: true }))).toBe(true);
});

it("the last page of a list keeps the focus on the button that led there", async () => {
  const page = await pages.open("/admin/promoters#archived=any", { role: "viewer" });
  await page.getByText("1 to 25 of 40").waitFor();
  const next = button(page, "Next");
  await next.press("Enter");
  await page.getByText("26 to 40 of 40").waitFor();
  expect(await hasFocus(next)).toBe(true);
  expect(await next.getAttribute("aria-disabled")).toBe("true");
});

it("the page of another promoter has nothing of the one before in its forms", async () => {
  const add = async (params: Record<string, string>, note: string): Promise<string> => {
    const { body } = await pages.app.v1("/promoters/create", params);
    const { id } = body as { id: number };
    await pages.app.v2("PUT", `/promoters/${id}`, { note });
    return String(id);
  };
  const parent = await add({ email: "parent@example.com" }, "Of the parent");
  const id = await add({ email: "child@example.com", parent_promoter_id: parent }, "Of the child");
  const page = await pages.open(`/admin/promoters/${id}#tab=family`, { role: "manager" });
  await page.getByRole("link", { name: "parent@example.com" }).first().click();
  await page.getByRole("heading", { name: "parent@example.com" }).waitFor();
  await expect.poll(() => page.getByLabel("For your team").inputValue()).toBe("Of the parent");
});
