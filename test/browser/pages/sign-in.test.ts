import { describe, expect, it } from "vitest";
import { linkAddress, putUserLink } from "../../../server/domain/user/link.ts";
import { newContext } from "../../../server/request/services.ts";
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

it("makes the owner by a link, whose token stays nowhere", async () => {
  const { services, accountId } = pages.app;
  const token = await services.store.transact((tx) =>
    putUserLink(tx, newContext(services), { kind: "owner", ownerId: accountId, userId: null }),
  );
  const page = await pages.open(linkAddress("", token));
  await page.getByLabel("Name").fill("Olivia Owner");
  await page.getByLabel("E-mail").fill("olivia@acme.example");
  await page.getByLabel("Password").fill(PASSWORD);
  expect(page.url()).toBe(`${pages.url}/admin/welcome`);
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole("button", { name: "Create the owner" }).click();
  await page.getByRole("heading", { name: "Home" }).waitFor();
  await page.getByText("Olivia Owner").waitFor();

  const again = await pages.open(linkAddress("", token));
  await again.getByRole("heading", { name: "This link is not valid" }).waitFor();
});

it("sends a link to whoever has forgotten the password, and tells nobody who is a user", async () => {
  const page = await pages.open("/admin");
  await page.getByRole("button", { name: "Forgot password?" }).click();
  await page.getByLabel("E-mail").fill("nobody@acme.example");
  await page.getByRole("button", { name: "Send me a link" }).click();
  await page.getByRole("heading", { name: "Look into your mailbox" }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
});
