import { describe, expect, it } from "vitest";
import { faultsOf, newPages, WIDTHS } from "../../support/pages.ts";
import { PASSWORD } from "../../support/users.ts";

const pages = newPages();

describe.each(WIDTHS)("at %i pixels", (width) => {
  it("lets people in at the address that they wanted, and out again", async () => {
    const page = await pages.open("/admin#range=7", { width });
    await page.locator("input[type=email]").fill("viewer@acme.example");
    await page.locator("input[type=password]").fill("wrong");
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").waitFor();
    expect(await page.locator("input[type=email]").inputValue()).toBe("viewer@acme.example");

    await page.locator("input[type=password]").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Home" }).waitFor();
    expect(new URL(page.url()).hash).toBe("#range=7");

    if (width < 900) await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.goto(`${pages.url}/admin`);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  it("says that an address leads nowhere, and where to go", async () => {
    const page = await pages.open("/admin/nothing/here", { width, role: "viewer" });
    await page.getByRole("heading", { name: "There is nothing here" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("link", { name: "Go to Home" }).click();
    await page.getByRole("heading", { name: "Home" }).waitFor();
  });
});
