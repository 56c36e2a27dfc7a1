import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { faultsOf, newPages, WIDTHS } from "../../support/pages.ts";

const pages = newPages({ promoters: 2, leads: 0, sales: 0 });

/** One red pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==",
  "base64",
);
const button = (page: Page, name: string) => page.getByRole("button", { name });

describe.each(WIDTHS)("at %i pixels", (width) => {
  it("a manager adds a banner, and a promoter copies it with their link", async () => {
    const name = `Banner ${width}`;
    const page = await pages.open("/admin/assets", { width, role: "manager" });
    await button(page, "Add an asset").first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill(name);
    await dialog.getByLabel("File").setInputFiles({ name: "red.png", mimeType: "image/png", buffer: PNG });
    await dialog.getByLabel("Category").selectOption({ label: "A new one…" });
    await dialog.getByLabel("Name of the new category").fill(`Pictures ${width}`);
    expect(await faultsOf(page)).toEqual([]);
    await button(page, "Save the asset").click();
    await page.getByRole("row", { name: `Pictures ${width}` }).waitFor();
    expect(await faultsOf(page)).toEqual([]);

    const { body } = await pages.app.v1("/promoters/create", { email: `jane${width}@example.com` });
    const entrance = `/portal?auth_token=${(body as { auth_token: string }).auth_token}`;
    const portal = await pages.open(entrance, { width, isDark: true });
    await portal.waitForURL(`${pages.url}/portal`);
    await portal.goto(`${pages.url}/portal/assets`);
    const card = portal.getByRole("article", { name });
    await expect
      .poll(() => card.getByRole("img").evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBe(1);
    await card.getByText("sub_id=asset-").waitFor();
    expect(await faultsOf(portal)).toEqual([]);
  });

  it("says at the field why a file is refused", async () => {
    const page = await pages.open("/admin/assets", { width, role: "manager" });
    await button(page, "Add an asset").first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("A page");
    const buffer = Buffer.from("<html>");
    await dialog.getByLabel("File").setInputFiles({ name: "red.png", mimeType: "image/png", buffer });
    await button(page, "Save the asset").click();
    await dialog.getByText("The file must be a PNG").waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });
});
