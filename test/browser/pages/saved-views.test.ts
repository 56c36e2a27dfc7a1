import { describe, expect, it } from "vitest";
import { faultsOf, newPages, WIDTHS } from "../../support/pages.ts";

const pages = newPages({ promoters: 2, leads: 3, sales: 1 });

describe.each(WIDTHS)("at %i pixels", (width) => {
  it.each([
    ["invoices#", "status"],
    ["contracts#tab=documents&", "status"],
    ["settings/audit#", "actor"],
  ])("an owner saves a view of %s", async (list, filter) => {
    const page = await pages.open(`/admin/${list}${filter}=${width}`, { width, role: "owner" });
    await page.getByText("Views", { exact: true }).click();
    await page.getByRole("button", { name: "Save this view" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill(`Mine ${width}`);
    await page.getByRole("button", { name: "Save the view" }).click();
    await page.getByText(`View: Mine ${width}`).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it.each(["leads#", "commissions#", "promoters#", "payouts#tab=all&"])(
    "a manager saves a view of %s, and the team finds it",
    async (list) => {
      const name = `Mine ${width}`;
      // Each width has a view of its own, because a saved one is not saved again.
      const page = await pages.open(`/admin/${list}campaign=${width}`, { width, role: "manager" });
      await page.getByText("Views", { exact: true }).click();
      await page.getByRole("button", { name: "Save this view" }).click();
      await page.getByRole("dialog").getByLabel("Name").fill(name);
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole("button", { name: "Save the view" }).click();
      await page.getByText(`View: ${name}`).waitFor();

      const viewer = await pages.open(`/admin/${list}`, { width, role: "viewer" });
      await viewer.getByText("Views", { exact: true }).click();
      await viewer.getByRole("link", { name }).click();
      await viewer.getByText(`View: ${name}`).waitFor();
      expect(new URL(viewer.url()).hash).toContain(`campaign=${width}`);
      expect(await viewer.getByRole("button", { name: "Save this view" }).count()).toBe(0);
      expect(await faultsOf(viewer)).toEqual([]);
    },
  );
});
