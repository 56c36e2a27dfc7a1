import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { addPayout } from "../../support/payouts.ts";
import { faultsOf, newPages, WIDTHS } from "../../support/pages.ts";

const pages = newPages({ promoters: 2, leads: 0, sales: 0 });

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

describe.each(WIDTHS)("at %i pixels", (width) => {
  it("an owner turns invoices on, a promoter agrees, and both download the invoice", async () => {
    const { app } = pages;
    const page = await pages.open("/admin/invoices", { width, role: "owner" });
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByLabel("Write an invoice for each payment").check();
    await page.getByLabel("Legal name").fill("Acme Ltd");
    await page.getByLabel("Address").fill("1 Main Street\nDublin");
    await page.getByLabel("Country").selectOption("Ireland");
    await page.getByLabel("VAT number").fill("IE12");
    await button(page, "Save the settings").click();
    await page.getByText("Is not a VAT number of Ireland, which begins with IE.").waitFor();
    await page.getByLabel("VAT number").fill("IE1234567A");
    await button(page, "Save the settings").click();
    await page.getByText("Version 1.").waitFor();
    expect(await faultsOf(page)).toEqual([]);

    const email = `jane${width}@example.com`;
    const made = await app.v1("/promoters/create", { email, first_name: "Jane", last_name: "Doe" });
    const { id, auth_token } = made.body as { id: number; auth_token: string };
    const portal = await pages.open(`/portal?auth_token=${auth_token}`, { width, isDark: true });
    await portal.waitForURL(`${pages.url}/portal`);
    await portal.goto(`${pages.url}/portal/settings#tab=invoice`);
    await portal.getByLabel("VAT id").fill("DE1");
    await portal.getByLabel("Address").fill("Hauptstr. 1, Berlin");
    await portal.getByLabel("Country").selectOption("Germany");
    await button(portal, "Save the invoice details").click();
    await portal.getByText("Is not a VAT number of Germany").waitFor();
    await portal.getByLabel("VAT id").fill("DE123456789");
    await button(portal, "Save the invoice details").click();
    await button(portal, "I agree").click();
    await portal.getByText(/Agreed on .*, version 1/).waitFor();
    await portal.getByLabel("Form", { exact: true }).selectOption("w8ben");
    await portal.getByLabel("Name on your tax return").fill("Jane Doe");
    await portal.getByLabel("Tax number").fill("12 345 678 901");
    await portal.getByLabel("Signature").fill("Jane Doe");
    await button(portal, "Sign and save").click();
    await portal.getByText("The one that ends with 8901 stays").waitFor();
    expect(await faultsOf(portal)).toEqual([]);

    const promoter = (await app.records.get("promoter", id))!;
    const payout = await addPayout(app.context, promoter, { status: "completed" });
    await app.v2("POST", "/invoices", { ids: [payout.id] });
    await page.goto(`${pages.url}/admin/invoices#promoter=${id}`);
    const opener = page.getByRole("button", { name: /^AFF-\d{4}-\d{6}$/ });
    const number = (await opener.textContent()) ?? "";
    await opener.click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("VAT ID DE123456789").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      button(page, "Download as PDF").click(),
    ]);
    expect(file.suggestedFilename()).toBe(`${number}.pdf`);

    await portal.goto(`${pages.url}/portal/invoices`);
    const [own] = await Promise.all([
      portal.waitForEvent("download"),
      button(portal, `PDF of ${number}`).click(),
    ]);
    expect(await readFile(await own.path())).toEqual(await readFile(await file.path()));
    expect(await faultsOf(portal)).toEqual([]);

    await page.goto(`${pages.url}/admin/invoices#tab=template`);
    await button(page, "Show a sample").click();
    await page.getByText("AFF-2026-000001").waitFor();
    await page.locator("summary", { hasText: "Download" }).click();
    const [list] = await Promise.all([
      page.waitForEvent("download"),
      button(page, "Invoices as CSV").click(),
    ]);
    expect(await readFile(await list.path(), "utf8")).toContain(number);
    expect(await faultsOf(page)).toEqual([]);
  });
});
