import { describe, expect, it } from "vitest";
import { faultsOf, newPages, WIDTHS } from "../../support/pages.ts";

const pages = newPages({ promoters: 1, leads: 0, sales: 0 });

describe.each(WIDTHS)("at %i pixels", (width) => {
  it("an owner connects Stripe, and no page shows the secrets again", async () => {
    const page = await pages.open("/admin/settings/billing", { width, role: "owner" });
    await page.getByText("checkout.session.async_payment_succeeded", { exact: true }).waitFor();
    await page.getByText("/hooks/stripe/").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Connect Stripe" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Signing secret").fill("whsec_of_the_test");
    await dialog.getByLabel("Restricted key").fill("rk_of_the_test");
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Save the secrets" }).click();
    await page.getByText("None from Stripe yet.").waitFor();
    await page.getByRole("button", { name: "Sync the gap" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Replace the secrets of Stripe" }).waitFor();
    expect(await page.content()).not.toContain("of_the_test");
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Send a test event of Stripe" }).click();
    const line = page.getByRole("row", { name: /invoice\.paid/ }).first();
    await line.getByText("It was a test, so nothing was recorded").waitFor();
    await line.locator(".badge", { hasText: /Test$/ }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "invoice.paid" }).first().click();
    await page.getByRole("dialog").getByText("You sent it to try the connection.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByLabel("What became of it").selectOption("Refused");
    await page.getByText("No event").waitFor();
    await page.getByRole("button", { name: "Disconnect Stripe" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect Stripe" }).click();
    await page.getByRole("button", { name: "Connect Stripe" }).waitFor();
  });
});
