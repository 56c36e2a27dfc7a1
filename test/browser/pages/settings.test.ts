import { hasDays } from "../../../server/domain/people/daily.ts";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { loadAccount } from "../../../server/domain/program/account/account.ts";
import { updateAccount } from "../../../server/domain/program/account/settings.ts";
import { auditEntries } from "../../../server/domain/access/audit/audit.ts";
import { newFetchPage } from "../../../server/outgoing/page.ts";
import { newContext } from "../../../server/request/services.ts";
import { faultsOf, newPages, unfold, WIDTHS } from "../../support/pages.ts";
import { PASSWORD } from "../../support/users.ts";

const pages = newPages();

describe.each(WIDTHS)("at %i pixels", (width) => {
  it("a key is made, shown once, works, and is revoked", async () => {
    const page = await pages.open("/admin/settings/integration", { width, role: "owner" });
    await page.getByRole("button", { name: "Make a key" }).click();
    await page.getByLabel("Name").fill(`<i>shop</i> ${width}`);
    await page.getByRole("dialog").getByRole("button", { name: "Make the key" }).click();
    const key = await page.getByRole("dialog").locator("code").textContent();
    expect(await faultsOf(page)).toEqual([]);
    const copy = page.getByRole("button", { name: "Copy the key" });
    expect(await copiedWithoutClipboard(page, copy)).toBe(key);
    await expect
      .poll(() => page.getByRole("button", { name: "Copied the key" }).evaluate(isFocused))
      .toBe(true);
    await page.getByRole("button", { name: "I have copied it" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const call = () => pages.app.request("/api/v1/promoters/list", { headers: { "x-api-key": key! } });
    expect((await call()).status).toBe(200);
    expect(await page.locator("body").textContent()).not.toContain(key);
    await page
      .getByRole("listitem")
      .filter({ hasText: `<i>shop</i> ${width}` })
      .getByRole("button", { name: "Revoke" })
      .click();
    await page.getByRole("button", { name: "Revoke the key" }).click();
    await page.getByText("was revoked").waitFor();
    expect((await call()).status).toBe(401);
    await page.getByText('data-cid="acme"').waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it("the script is looked for on the landing page, and marked when a browser loads it", async () => {
    let html = "<p>Hello";
    const site = createServer((_, response) => response.setHeader("content-type", "text/html").end(html));
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
    const { services } = pages.app;
    services.fetchPage = newFetchPage({ allowsPrivate: true });
    await pages.app.v2("PUT", "/campaigns/1", { landing_url: url });

    const page = await pages.open("/admin/settings/integration", { width, role: "manager" });
    const look = page.getByRole("button", { name: "Look for the script on my site" });
    await look.press("Enter");
    await page.getByText(`${url} doesn't load the script.`).waitFor();
    html = `<script async src="${pages.url}/svc.js" data-cid="globex"></script>`;
    await look.press("Enter");
    await page.getByText("for the account globex").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    html = html.replace("globex", "acme");
    await look.press("Enter");
    await page.getByText(`${url} loads the script with your account id.`).waitFor();

    await page.getByText(width === WIDTHS[0] ? "Not seen on your site yet" : "Seen on your site").waitFor();
    const visitor = await pages.browser.newPage();
    await visitor.goto(url);
    await services.sightings.write();
    await page.clock.runFor(5_000);
    await page.getByText(`Last at ${new URL(url).origin}`).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await visitor.close();
    site.closeAllConnections();
    await new Promise((resolve) => site.close(resolve));
  });

  it("a webhook is added, changed and deleted", async () => {
    const page = await pages.open("/admin/settings/webhooks", { width, role: "manager" });
    await page.getByRole("button", { name: "Add a webhook" }).first().click();
    await page.getByLabel("Address").fill("https://receiver.example/hook");
    await page.getByLabel("What it is for").fill("Slack");
    await page.getByRole("button", { name: "Choose all" }).click();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Save the webhook" }).click();
    await page.getByRole("heading", { name: "Copy the secret now" }).waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Turn off" }).click();
    await page.getByText("The webhook is off").waitFor();
    await page.getByRole("button", { name: "Deliveries" }).click();
    await page.getByText("Nothing was sent yet.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete it" }).click();
    await page.getByText("No webhooks yet").waitFor();
  });

  it("someone is invited, gets another role and is removed, as the log tells", async () => {
    const page = await pages.open("/admin/settings/users", { width, role: "owner" });
    const email = `ann${width}@acme.example`;
    await page.getByRole("button", { name: "Invite a user" }).click();
    await page.getByLabel("E-mail").fill(email);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    await page.getByRole("heading", { name: `A link for ${email}` }).waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    const card = page.getByRole("listitem").filter({ hasText: email });
    await card.getByRole("combobox").selectOption("manager");
    await page.getByText("is manager now").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await card.getByRole("button", { name: "Remove" }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Remove/ })
      .click();
    await page.getByText("was removed").waitFor();
    await card.waitFor({ state: "detached" });

    await page.goto(`${pages.url}/admin/settings/audit#entity=user`);
    await page
      .getByRole("button", { name: /^Deleted: user/ })
      .first()
      .click();
    await page.getByRole("dialog").getByText(email).first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it("the account's settings are saved, and faults stand at their fields", async () => {
    const page = await pages.open("/admin/settings/account", { width, role: "owner" });
    await page.getByLabel("Smallest payment").fill("12.345");
    await page.getByRole("button", { name: "Save the settings" }).click();
    await page.getByText("Is not an amount.").waitFor();
    expect(await page.getByLabel("Smallest payment").inputValue()).toBe("12.345");
    await page.getByLabel("Smallest payment").fill("12,50");
    await page.getByRole("button", { name: "Save the settings" }).click();
    await page.getByText("The settings were saved").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.reload();
    await expect.poll(() => page.getByLabel("Smallest payment").inputValue()).toBe("12.50");
  });
});

it("a refusal above a long form is brought into view", async () => {
  const page = await pages.open("/admin/settings/account", { role: "owner" });
  await page.getByLabel("Currency").waitFor();
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Save the settings" }).click();
  const { y, height } = (await page.locator("form > [role=alert]").boundingBox())!;
  expect(y).toBeGreaterThanOrEqual(0);
  expect(y + height).toBeLessThanOrEqual(900);
});

it("amounts are in the currency that is saved with them", async () => {
  const page = await pages.open("/admin/settings/account", { role: "owner" });
  const save = async (currency: string, smallest: string) => {
    await page.getByLabel("Currency").selectOption(currency);
    await page.getByLabel("Smallest payment").fill(smallest);
    await page.getByRole("button", { name: "Save the settings" }).click();
  };
  const minPayment = async () => (await loadAccount(pages.app.services.store, "acme")).min_payment_cents;
  await save("JPY", "5000");
  await page.getByText("The settings were saved").waitFor();
  expect(await minPayment()).toBe(5_000);
  await save("USD", "12.5");
  await expect.poll(() => page.getByLabel("Smallest payment").inputValue()).toBe("12.50");
  expect(await minPayment()).toBe(1_250);
});

it("says in a sentence what commissions are computed on, while it is changed and after", async () => {
  const page = await pages.open("/admin/settings/account", { role: "owner" });
  const says = (text: string) =>
    expect.poll(() => page.getByText("Commissions are computed on").innerText()).toBe(text);
  await says("Commissions are computed on what the customer paid, less tax.");
  await page.getByLabel("Leave out shipping").check();
  await page.getByLabel("Percentage for fees").fill("2.9");
  await says(
    "Commissions are computed on what the customer paid, less tax, less shipping, less 2.9% for fees.",
  );
  await page.getByRole("button", { name: "Save the settings" }).click();
  await page.getByText("The settings were saved").waitFor();
  await page.reload();
  await says(
    "Commissions are computed on what the customer paid, less tax, less shipping, less 2.9% for fees.",
  );
});

it("people change their name and see where they are signed in", async () => {
  const page = await pages.open("/admin/settings/profile", { role: "viewer" });
  await page.getByLabel("Your name").fill("Vera");
  await page.getByRole("button", { name: "Save the name" }).click();
  await page.getByText("Your name was saved").waitFor();
  await page
    .getByText(/^Chrome on Linux seen/)
    .first()
    .waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole("button", { name: "Set it up" }).click();
  await page.getByLabel("Your password").fill(PASSWORD);
  await page.getByRole("button", { name: "Set it up" }).click();
  await page.getByLabel("Code").waitFor();
  expect(await faultsOf(page)).toEqual([]);
});

it("a long list of sessions begins with this one, and shows the others when asked", async () => {
  for (let others = 0; others < 6; others += 1) {
    const { status } = await fetch(`${pages.url}/api/v2/company/session`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: pages.url },
      body: JSON.stringify({ email: "manager@acme.example", password: PASSWORD }),
    });
    expect(status).toBe(201);
  }
  const page = await pages.open("/admin/settings/profile", { role: "manager" });
  const sessions = page.getByRole("listitem").filter({ hasText: "seen now" });
  // Other tests have signed the manager in, too.
  const more = page.getByRole("button", { name: /^Show all \d+$/ });
  const total = Number((await more.textContent())?.replace("Show all ", ""));
  expect(await sessions.count()).toBe(5);
  expect(await sessions.first().textContent()).toContain("Here");
  await more.click();
  expect(await sessions.count()).toBe(total);
});

it("a viewer is offered no settings that only others may change", async () => {
  const page = await pages.open("/admin/settings/users", { role: "viewer" });
  await page.getByRole("heading", { name: "You may not see this" }).waitFor();
  expect(await page.getByRole("link", { name: "Users" }).count()).toBe(0);
});

it("the audit log is narrowed to days", async () => {
  const { services, account_id } = pages.app;
  const at = (day: number) => new Date(Date.parse("1990-01-01T12:00:00Z") + day * 86_400_000).toISOString();
  const actor = { kind: "command_line", id: null, name: null } as const;
  for (let first = 0; first <= 10_000; first += 1_000) {
    await services.store.transact(async (tx) => {
      for (let day = first; day < first + 1_000; day++) {
        await tx.insert(auditEntries, {
          account_id,
          id: 1_000_000 + day,
          at: at(day),
          actor,
          action: "updated",
          entity: "product",
          entity_id: String(day),
          promoter_id: null,
          promoter_campaign_id: null,
          lead_id: null,
          before: { name: "old" },
          after: { name: "new" },
        });
      }
    });
  }
  const page = await pages.open("/admin/settings/audit#entity=product", { role: "viewer", width: 360 });
  await page.getByRole("button", { name: "Changed: product 10999" }).waitFor();
  await unfold(page);
  await page.getByLabel("Who").selectOption("command_line");
  expect(await faultsOf(page)).toEqual([]);
  await page.getByLabel("To", { exact: true }).fill("1990-01-03");
  await page.getByRole("button", { name: "Changed: product 2" }).waitFor();
  expect(await page.getByRole("button", { name: /^Changed/ }).count()).toBe(3);
  await page.reload();
  await page.getByRole("button", { name: "Changed: product 2" }).waitFor();
  expect(await page.getByRole("button", { name: /^Changed/ }).count()).toBe(3);

  // There, each of these noons of UTC is an hour of the next day.
  const zone = { time_zone: { name: "Pacific/Auckland", hasDays }, payout: {} };
  await services.store.transact((tx) => updateAccount(tx, newContext(services), account_id, zone));
  await page.reload();
  await page.getByRole("button", { name: "Changed: product 1", exact: true }).waitFor();
  expect(await page.getByRole("button", { name: /^Changed/ }).count()).toBe(2);
});

/** What a button copies on a site without https, which has no `navigator.clipboard`. */
async function copiedWithoutClipboard(page: Page, button: Locator): Promise<string> {
  await page.evaluate(() => {
    Object.defineProperty(navigator, "clipboard", { value: undefined });
    document.addEventListener("copy", () => (document.title = String(getSelection())), { once: true });
  });
  const title = await page.title();
  await button.click();
  await expect.poll(() => page.title()).not.toBe(title);
  return page.title();
}

function isFocused(element: Element): boolean {
  return element === document.activeElement;
}
