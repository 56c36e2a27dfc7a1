import { beforeAll, describe, expect, it } from "vitest";
import { makeReward, offer } from "../../support/money.ts";
import { faultsOf, newPages } from "../../support/pages.ts";
import { rounds } from "../../support/rounds.ts";

const pages = newPages();
/** A lead for each width, with the ids 1 and 2. */
const CUSTOMERS = ["sam@example.net", "eve@example.net"];
const WIDTHS = [
  [1280, 1],
  [360, 2],
] as const;

beforeAll(async () => {
  await pages.app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane", ref_id: "jane" });
  await offer(pages.app, await makeReward(pages.app));
  for (const email of CUSTOMERS) await pages.app.v1("/track/signup", { email, ref_id: "jane" });
});

describe.each(WIDTHS.slice(0, rounds(1, 2)))("at %i pixels", (width, lead) => {
  it("a manager adds a sale on a lead's page, sees what it earns, and refunds a part of it", async () => {
    const page = await pages.open(`/admin/leads/${lead}`, { width, role: "manager" });
    await page.getByRole("button", { name: "Add a sale" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Amount in USD").fill("100,5.0");
    await dialog.getByRole("button", { name: "Add the sale" }).click();
    await dialog.getByText("is not an amount").waitFor();
    await dialog.getByLabel("Amount in USD").fill("100.50");
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Add the sale" }).click();
    await dialog.getByText("It makes 1 commission").waitFor();
    await dialog.getByText("10.05").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByText("Paid US$100.50").waitFor();
    await page.getByRole("button", { name: "Record a refund" }).click();
    expect(await dialog.getByLabel("Amount in USD").inputValue()).toBe("100.50");
    await dialog.getByLabel("Amount in USD").fill("50.50");
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Record the refund" }).click();
    await dialog.getByText("The refund is recorded. It makes 1 commission").waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByText("Got US$50.50 back").waitFor();
  });

  it("records a sale and a refund once, even if the answer is lost and the user sends again", async () => {
    const page = await pages.open(`/admin/leads/${lead}`, { width, role: "manager" });
    const count = async (wanted: string) => {
      const { body } = await pages.app.v2("GET", `/referrals/${lead}/timeline`);
      return (body as { kind: string }[]).filter(({ kind }) => kind === wanted).length;
    };
    const dialog = page.getByRole("dialog");
    await page.route(/\/(commissions|refund)$/, async (route) => {
      if (route.request().method() !== "POST") return route.fallback();
      await route.fetch();
      await route.abort();
    });
    for (const [open, send, kind] of [
      ["Add a sale", "Add the sale", "sale"],
      ["Record a refund", "Record the refund", "refund"],
    ] as const) {
      const before = await count(kind);
      await page.getByRole("button", { name: open }).click();
      await dialog.getByLabel("Amount in USD").fill("7");
      for (let tries = 0; tries < 2; tries += 1) {
        const failed = page.waitForEvent("requestfailed");
        await dialog.getByRole("button", { name: send }).click();
        await failed;
        await dialog.getByRole("alert").waitFor();
      }
      expect([kind, await count(kind)]).toEqual([kind, before + 1]);
      await page.reload();
    }
  });

  it("adds a sale from the list of commissions, by the customer's e-mail", async () => {
    const page = await pages.open("/admin/commissions", { width, role: "manager" });
    await page.getByRole("button", { name: "Add a sale" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("E-mail of the customer").fill(CUSTOMERS[lead - 1]!);
    await dialog.getByLabel("Amount in USD").fill("20");
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Add the sale" }).click();
    await dialog.getByText("It makes 1 commission").waitFor();
  });
});
