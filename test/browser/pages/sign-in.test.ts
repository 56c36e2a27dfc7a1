import { afterEach, describe, expect, it } from "vitest";
import { linkAddress, putUserLink } from "../../../server/domain/access/user/sign-in.ts";
import { users } from "../../../server/domain/access/user/user.ts";
import { newContext } from "../../../server/request/services.ts";
import { faultsOf, newPages, WIDTHS } from "../../support/pages.ts";
import { Secret, TOTP } from "otpauth";
import { NOW } from "../../support/app.ts";
import { addUser, PASSWORD } from "../../support/users.ts";

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
    await page.waitForURL("**#range=7");

    const signOut = async () => {
      if (width < 900) await page.getByRole("button", { name: "Menu" }).click();
      await page.getByRole("button", { name: "Sign out" }).click();
    };
    await page.route("**/session", (route) => route.abort());
    await signOut();
    await page.getByRole("button", { name: "Dismiss" }).click();
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await page.unroute("**/session");
    await signOut();
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
  const { services, account_id } = pages.app;
  const token = await services.store.transact((tx) =>
    putUserLink(tx, newContext(services), { kind: "owner", owner_id: account_id, user_id: null }),
  );
  const page = await pages.open(linkAddress("", token));
  await page.getByLabel("Name").fill("Olivia Owner");
  await page.getByLabel("E-mail").fill("olivia@acme.example");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.waitForURL(`${pages.url}/admin/welcome`);
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
  await page.getByText("If a user has this address").waitFor();
  expect(await faultsOf(page)).toEqual([]);
});

it("asks for the code of a second factor after the password", async () => {
  const secret = new Secret({ size: 20 });
  const email = "factor@acme.example";
  const secondFactor = { secret: secret.base32, last_step: 0, recovery_hashes: [] };
  const user = await addUser(pages.app, "viewer", { email });
  await pages.app.services.store.transact((tx) => tx.put(users, { ...user, second_factor: secondFactor }));
  const page = await pages.open("/admin");
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  const code = page.getByLabel("Code from your authenticator app");
  await code.fill("12345");
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator(".fault, [role=alert]").waitFor();
  await code.fill(new TOTP({ secret }).generate({ timestamp: Date.parse(NOW) }));
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Home" }).waitFor();
});

describe.each(WIDTHS)("where the account demands a second factor, at %i pixels", (width) => {
  const demand = async (isDemanded: boolean): Promise<void> => {
    const body = { requires_second_factor: isDemanded };
    expect((await pages.app.v2("PUT", "/account", body)).status).toBe(200);
  };
  afterEach(() => demand(false));

  it("people without one set it up when they sign in, and go on where they wanted", async () => {
    await demand(true);
    const email = `new${width}@acme.example`;
    await addUser(pages.app, "viewer", { email });
    const page = await pages.open("/admin/campaigns", { width });
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();

    const dialog = page.getByRole("dialog", { name: "Set up a second factor" });
    await dialog.getByLabel("Your password").fill(PASSWORD);
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press("Enter");
    const secret = (await dialog.locator("code").textContent()) ?? "";
    await dialog.getByRole("img", { name: "The key, to scan" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    await dialog.getByLabel("Code").fill(totp.generate({ timestamp: Date.parse(NOW) }));
    await page.keyboard.press("Enter");
    await dialog.getByRole("heading", { name: "Keep these codes" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "I have kept them" }).click();
    await page.getByRole("link", { name: "Default campaign" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/admin/campaigns");
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  it("nobody loses a form when the demand begins, and whoever won't may sign out", async () => {
    const email = `old${width}@acme.example`;
    await addUser(pages.app, "manager", { email });
    const page = await pages.open("/admin/settings/webhooks", { width });
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Add a webhook" }).first().click();
    await page.getByLabel("Address").fill("https://receiver.example/hook");
    await demand(true);
    await page.getByRole("button", { name: "Save the webhook" }).click();
    const dialog = page.getByRole("dialog", { name: "Set up a second factor" });
    await dialog.waitFor();
    // Browsers ask the page before the first Escape closes a dialog, but not before the second.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    expect(await dialog.isVisible()).toBe(true);
    expect(await page.getByLabel("Address").inputValue()).toBe("https://receiver.example/hook");
    await dialog.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });
});
