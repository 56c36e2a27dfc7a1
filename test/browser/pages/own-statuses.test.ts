import { describe, expect, it } from "vitest";
import { faultsOf, newPages, unfold, WIDTHS } from "../../support/pages.ts";

const pages = newPages({ promoters: 2, leads: 3, sales: 0 });

describe.each(WIDTHS)("at %i pixels", (width) => {
  it("a manager names a status, gives it to a lead, and finds the lead by it", async () => {
    const name = `Offer ${width}`;
    const page = await pages.open("/admin/leads", { width, role: "manager" });
    await page.getByRole("button", { name: "Custom statuses" }).click();
    const dialog = page.getByRole("dialog");
    const names = dialog.getByLabel("Name", { exact: true });
    if ((await names.last().inputValue()) !== "")
      await dialog.getByRole("button", { name: "Add a status" }).click();
    await names.last().fill(name);
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save the statuses" }).click();
    await page.getByRole("table").locator("a").first().click();
    await page.getByLabel("Own status").selectOption({ label: name });
    await page.locator(".badge", { hasText: name }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.goto(`${pages.url}/admin/leads`);
    await page.getByRole("table").waitFor();
    await unfold(page);
    await page.getByLabel("Own status", { exact: true }).selectOption({ label: name });
    // The row is in the list of all leads, too, which is shown until the other one has come.
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    await page.getByRole("row", { name }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });
});
