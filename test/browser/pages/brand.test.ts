import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { company } from "../../support/v2.ts";
import { addAccount } from "../../support/operations.ts";
import { faultsOf, newPages } from "../../support/pages.ts";
import { rounds } from "../../support/rounds.ts";

const pages = newPages({ promoters: 2, leads: 0, sales: 0 });

/** A red square of one pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==",
  "base64",
);
const LOGO = { name: "red.png", mimeType: "image/png", buffer: PNG };

/** The short run has a bright and a dark one. */
const LOOKS = [
  { width: 360, isDark: false },
  { width: 1280, isDark: true },
  { width: 360, isDark: true },
  { width: 1280, isDark: false },
].slice(0, rounds(2, 4));
/** Links are adjusted, and buttons are not. */
const LINK = { light: "rgb(133, 106, 0)", dark: "rgb(255, 204, 0)" };

const styleOf = (page: Page, selector: string, name: "color" | "backgroundColor") =>
  page
    .locator(selector)
    .first()
    .evaluate((element, property) => getComputedStyle(element)[property], name);

describe("the page of the brand", () => {
  const own = newPages();

  it("shows each change before it is saved, and refuses what is no image", async () => {
    const page = await own.open("/admin/settings/brand", { role: "manager" });
    await page.getByLabel("Name for promoters").fill("Sunny & Co");
    await page.getByLabel("Colour", { exact: true }).fill("#ffcc00");
    await page.getByLabel("Sender's name").fill("Sunny Partners");
    await page.getByLabel("Address for replies").fill("hello@sunny.example");
    // The preview follows before anything is saved.
    const preview = page.getByRole("region", { name: "Preview" });
    await preview.getByText("From: Sunny Partners").waitFor();
    await preview.getByText("Reply to: hello@sunny.example").waitFor();
    const button = preview.getByText("Copy my link").first();
    await expect
      .poll(() => button.evaluate((element) => getComputedStyle(element).backgroundColor))
      .toBe("rgb(255, 204, 0)");
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Save the brand" }).click();
    await page.getByText("The brand was saved").waitFor();
    const notAnImage = { ...LOGO, buffer: Buffer.from("<svg onload=alert(1)>") };
    await page.getByLabel("Logo", { exact: true }).setInputFiles(notAnImage);
    await page.getByText("The file must be a PNG, JPEG, GIF or WebP image.").waitFor();
    await page.getByLabel("Logo", { exact: true }).setInputFiles(LOGO);
    await page.getByText("The logo was saved").waitFor();
    await preview.getByRole("img", { name: "Sunny & Co" }).first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByLabel("Icon in the browser's tab").setInputFiles(LOGO);
    await page.getByText("The icon was saved").waitFor();
    await page.getByRole("button", { name: "Delete the logo" }).click();
    await page.getByText("The logo was deleted").waitFor();
    await preview.getByText("Sunny & Co").first().waitFor();
  });
});

describe("a brand", () => {
  beforeAll(async () => {
    const file = PNG.toString("base64");
    const given = { name: "Sunny & Co", color: "#ffcc00", sender_name: "Sunny Partners" };
    await company(pages.app, "PUT /brand", given);
    await company(pages.app, "PUT /brand/logo", { file });
    await company(pages.app, "PUT /brand/favicon", { file });
  });

  it.each(LOOKS)("is on the page of its settings, $width pixels, dark: $isDark", async (look) => {
    const page = await pages.open("/admin/settings/brand", { ...look, role: "manager" });
    await page.getByRole("img", { name: "The present logo" }).waitFor();
    await page.getByText("E-mails to promoters come from Sunny Partners <mail@tidemark.example>").waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it.each(LOOKS)("is on the sign-in page of the portal, $width pixels, dark: $isDark", async (look) => {
    const page = await pages.open("/portal", look);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    const logo = page.getByRole("img", { name: "Sunny & Co" });
    await expect.poll(() => logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
    expect(await page.title()).toBe("Sign in · Sunny & Co");
    expect(await page.locator("link[rel=icon]").getAttribute("href")).toMatch(/\/uploads\/[\w-]{22}\.png$/);
    expect(await styleOf(page, ".button.main", "backgroundColor")).toBe("rgb(255, 204, 0)");
    expect(await styleOf(page, ".button.main", "color")).toBe("rgb(0, 0, 0)");
    expect(await faultsOf(page)).toEqual([]);
  });

  it.each(LOOKS)("is on the sign-up page, $width pixels, dark: $isDark", async (look) => {
    const page = await pages.open("/join/1", look);
    await page.getByRole("heading", { name: "Become a promoter of Sunny & Co" }).waitFor();
    await page.getByRole("img", { name: "Sunny & Co" }).waitFor();
    const expected = look.isDark ? LINK.dark : LINK.light;
    await expect.poll(() => styleOf(page, ".card a", "color")).toBe(expected);
    expect(await faultsOf(page)).toEqual([]);
  });

  it.each(LOOKS)("is on the portal, $width pixels, dark: $isDark", async (look) => {
    const email = `jane${look.width}${look.isDark}@example.com`;
    const { body } = await pages.app.v1("/promoters/create", { email });
    const page = await pages.open(`/portal?auth_token=${(body as { auth_token: string }).auth_token}`, look);
    await page.waitForURL(`${pages.url}/portal`);
    await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
    await page.getByRole("img", { name: "Sunny & Co" }).first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });
});

describe("with two companies on one server", () => {
  const two = newPages();

  it("the portal has the brand of the address, and after signing in that of the promoter's company", async () => {
    await company(two.app, "PUT /brand", { name: "Sunny & Co", color: "#ffcc00" });
    const beta = { name: "Beta", public_id: "beta", landing_url: "https://beta.example/" };
    await addAccount(two.app, beta);
    const page = await two.open("/portal");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await page.title()).toBe("Sign in · Tidemark");
    await page.goto(`${two.url}/portal?account=beta`);
    await page.getByText("Beta", { exact: true }).waitFor();
    const { body } = await two.app.v1("/promoters/create", { email: "jane@example.com" });
    await page.goto(`${two.url}/portal?auth_token=${(body as { auth_token: string }).auth_token}`);
    await page.getByRole("link", { name: "Sunny & Co" }).first().waitFor();
    const color = await page
      .locator("html")
      .evaluate((root) => getComputedStyle(root).getPropertyValue("--button"));
    expect(color).toBe("#ffcc00");
  });
});
