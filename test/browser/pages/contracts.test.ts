import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { faultsOf, newPages, WIDTHS } from "../../support/pages.ts";

const pages = newPages({ promoters: 2, leads: 0, sales: 0 });

const button = (page: Page, name: string) => page.getByRole("button", { name });

describe.each(WIDTHS)("at %i pixels", (width) => {
  it("a manager adds a contract, and a promoter signs it in the portal", async () => {
    const name = `Agreement ${width}`;
    const page = await pages.open("/admin/contracts", { width, role: "manager" });
    await button(page, "Add a contract").first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill(name);
    await dialog
      .getByLabel("Text", { exact: true })
      .fill('<h1>Hello {{promoter_name}}</h1><p onclick="alert(1)">Text<script>alert(1)</script></p>');
    await button(page, "Preview").click();
    await dialog.getByRole("heading", { name: "Hello {{promoter_name}}" }).waitFor();
    await dialog.getByLabel("Default campaign").check();
    expect(await faultsOf(page)).toEqual([]);
    await button(page, "Save the contract").click();
    await page.getByRole("row", { name }).waitFor();
    expect(await faultsOf(page)).toEqual([]);

    const email = `jane${width}@example.com`;
    const { body } = await pages.app.v1("/promoters/create", { email });
    const entrance = `/portal?auth_token=${(body as { auth_token: string }).auth_token}`;
    const portal = await pages.open(entrance, { width, isDark: true });
    await portal.getByRole("heading", { name: "Before you go on" }).waitFor();
    await portal.getByText(name, { exact: true }).click();
    await portal.getByRole("heading", { name: `Hello ${email}` }).waitFor();
    expect(await faultsOf(portal)).toEqual([]);
    expect(await button(portal, "Later").count()).toBe(0);
    expect(await button(portal, "Sign out").count()).toBe(1);
    // The test at another width has made a contract of its own, which asks for a signature, too.
    for (const box of await portal.getByRole("checkbox").all()) await box.check();
    await button(portal, "Accept and continue").click();
    await portal.getByRole("heading", { name: "Your link" }).waitFor();
    await portal.goto(`${pages.url}/portal/contracts`);
    await button(portal, `Read ${name}`).waitFor();
    expect(await faultsOf(portal)).toEqual([]);

    await button(portal, `Read ${name}`).click();
    const [own] = await Promise.all([
      portal.waitForEvent("download"),
      button(portal, "Download as PDF").click(),
    ]);
    expect(own.suggestedFilename()).toBe(`${name}.pdf`);
    expect((await readFile(await own.path())).subarray(0, 5).toString()).toBe("%PDF-");

    await page.getByRole("tab", { name: "Who has signed" }).click();
    await page.getByRole("searchbox").fill(email);
    await page
      .getByRole("row", { name: `${name}` })
      .getByText("127.0.0.1")
      .waitFor();
    await button(page, `Read the contract ${name} of ${email}`).click();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      button(page, "Download as PDF").click(),
    ]);
    expect(file.suggestedFilename()).toBe(`${name}, ${email}.pdf`);
    expect(await faultsOf(page)).toEqual([]);
  });

  it("a promoter who has used the portal signs a new text later", async () => {
    const { app } = pages;
    const { body } = await app.v1("/promoters/create", { email: `kim${width}@example.com` });
    const { id, auth_token } = body as { id: number; auth_token: string };
    const totals = { clicks: 0, referrals: 0, commissions: 0, earnings_cents: 0, paid_cents: 0 };
    await app.records.change("promoter", id, { visit: { at: "2026-03-01T09:00:00.000Z", totals } });
    const portal = await pages.open(`/portal?auth_token=${auth_token}`, { width });
    await button(portal, "Later").click();
    await button(portal, "Read them").waitFor();
    expect(await faultsOf(portal)).toEqual([]);
    await portal.goto(`${pages.url}/portal/contracts`);
    await button(portal, `Read and sign Agreement ${width}`).click();
    await portal.getByRole("dialog").getByRole("checkbox").check();
    await portal.getByRole("dialog").getByRole("button", { name: "Sign", exact: true }).click();
    await button(portal, `Read Agreement ${width}`).waitFor();
  });
});
