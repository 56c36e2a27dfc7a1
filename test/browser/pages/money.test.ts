import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { commissions } from "../../../server/domain/ledger/commission/commission.ts";
import { payouts } from "../../../server/domain/ledger/payout/payout.ts";
import { promoters } from "../../../server/domain/people/promoter/promoter.ts";
import { faultsOf, newPages, unfold, WIDTHS } from "../../support/pages.ts";

const pages = newPages({ promoters: 30, leads: 90, sales: 120 });

const rows = (page: Page) => page.locator("tbody tr");
/** The number of rows of a list, once it has come. A link to another list needs a name: the old one may still stand. */
const listed = async (page: Page, name: string | RegExp = /./) => {
  const list = page.getByRole("table", { name, exact: true }).and(page.locator("[aria-busy=false]"));
  await list.waitFor();
  return list.locator("tbody tr").count();
};

describe.each(WIDTHS)("at %i pixels", (width) => {
  it("commissions are filtered by the address, denied and approved again, and annotated", async () => {
    const page = await pages.open("/admin/commissions#status=approved&paid=no", { width, role: "manager" });
    expect(await listed(page)).toBeGreaterThan(1);
    expect(await faultsOf(page)).toEqual([]);
    const first = rows(page).first();
    await first.getByRole("checkbox").check();
    await page.getByRole("button", { name: "Deny", exact: true }).click();
    await page.getByRole("button", { name: "Deny 1 commission" }).click();
    await page.getByText("1 commission denied").waitFor();
    await unfold(page);
    await page.getByRole("combobox", { name: "State" }).selectOption("denied");
    // The table is busy from the moment of the choice, so these are the denied ones.
    await listed(page);
    await first.getByText("Denied").first().waitFor();
    await page.waitForURL("**#status=denied&paid=no");

    await page.reload();
    await listed(page);
    await first.getByRole("button").click();
    await page.getByLabel("Note for your team").fill("<b>looked at</b>");
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Save the notes" }).click();
    await page.getByText("The notes were saved").waitFor();
    const { store } = pages.app.context;
    const all = await store.list(commissions, "id", pages.app.account_id, []);
    const denied = all.filter(({ status }) => status === "denied");
    expect(denied.map(({ internal_note }) => internal_note)).toContain("<b>looked at</b>");

    await listed(page);
    await first.getByRole("checkbox").check();
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByRole("button", { name: "Approve 1 commission" }).click();
    await page.getByText("1 commission approved").waitFor();
  });

  it("a commission is given to a promoter, who is told by name", async () => {
    const page = await pages.open("/admin/commissions", { width, role: "manager" });
    const opener = page.getByRole("button", { name: "Give a commission" });
    await opener.click();
    await page.getByLabel("E-mail of the promoter").press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(() => opener.evaluate((button) => button === document.activeElement)).toBe(true);
    await opener.click();
    await page.getByLabel("E-mail of the promoter").fill("nobody@example.com");
    await page.getByLabel("Amount in").fill("12.345");
    expect(await faultsOf(page)).toEqual([]);
    const send = page.getByRole("dialog").getByRole("button", { name: "Give the commission" });
    await send.click();
    await page.getByRole("alert").waitFor();
    const { store } = pages.app.context;
    const [promoter] = await store.page(promoters, "id", pages.app.account_id, [], { limit: 1 });
    await page.getByLabel("E-mail of the promoter").fill(promoter!.email);
    await send.click();
    await page.getByText("Is not an amount.").waitFor();
    await page.getByLabel("Amount in").fill("12,34");
    await page.route("**/company/commissions", (route) => route.abort());
    await send.click();
    await page.getByRole("alert").getByText("it may have been done").waitFor();
    await page.unroute("**/company/commissions");
    await send.click();
    await page.getByText("was given a commission").waitFor();
    await rows(page).first().getByText("US$12.34").waitFor();
  });

  it("payouts are paid by a batch, whose file is downloaded", async () => {
    const page = await pages.open("/admin/payouts", { width, role: "owner" });
    await listed(page);
    expect(await faultsOf(page)).toEqual([]);
    const payable = rows(page)
      .filter({ hasText: "Now" })
      .filter({ hasText: /PayPal|Wise|Bank transfer/ });
    const method = await payable.first().locator("td").nth(1).textContent();
    await page.getByRole("button", { name: "Make a batch" }).click();
    await page.getByLabel("Payout method").selectOption({ label: method! });
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Make the batch" }).click();
    await page
      .getByRole("button", { name: /^(Show the batch|Confirm)$/ })
      .first()
      .waitFor();
    const leftOut = page.getByRole("button", { name: "Show the batch" });
    if (await leftOut.isVisible()) await leftOut.click();
    await page.getByRole("button", { name: "Confirm", exact: true }).first().click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Confirm BATCH/ })
      .click();
    await page.getByText("was confirmed").waitFor();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "CSV file" }).first().click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^batch-\d+-\w+\.csv$/);
    expect((await readFile(await file.path(), "utf8")).split("\n").length).toBeGreaterThan(1);

    const made = page.getByRole("row", { name: /^BATCH-\d+/ }).first();
    await made.getByRole("button", { name: "Mark as paid…" }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Mark \d+ payouts? of BATCH-\d+ as paid$/ })
      .click();
    await page.getByText(/^\d+ payouts?( of BATCH-\d+)? marked as paid$/).waitFor();
    await made.locator(".badge", { hasText: /Paid$/ }).waitFor();
    await made.getByRole("link", { name: /^BATCH/ }).click();
    await page.getByText(/^Only those of BATCH-\d+\./).waitFor();
    const { store } = pages.app.context;
    const paid = await store.page(payouts, "status", pages.app.account_id, ["completed"], { limit: 99 });
    expect(paid.filter(({ payments_batch_id }) => payments_batch_id !== null).length).toBeGreaterThan(0);
  });

  it("the next run is shown before it is made", async () => {
    const page = await pages.open("/admin/payouts#tab=next", { width, role: "viewer" });
    expect(await listed(page)).toBeGreaterThan(0);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("tab", { name: "Runs", exact: true }).click();
    await page.getByRole("table", { name: "Payout runs" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it("a report is plotted column by column, by each kind of period, with its sums", async () => {
    const view = { width, role: "viewer", isDark: true } as const;
    const page = await pages.open("/admin/reports#from=2025-03-05&by=year", view);
    const sums = page.getByRole("row", { name: /^Whole range/ });
    for (const [by, period] of [
      ["week", /^Week of \d+ \w+ 202[56]$/],
      ["month", /^\w+ 202[56]$/],
      ["year", /^202[56]$/],
    ] as const) {
      await page.getByRole("combobox", { name: "Grouping" }).selectOption(by);
      await page.getByRole("rowheader", { name: period }).first().waitFor();
    }
    const clicks = await sums.getByRole("cell").first().textContent();
    await page.getByRole("img", { name: `Clicks, Whole account: ${clicks} in the whole range` }).waitFor();
    await page.getByRole("group", { name: "What is plotted" }).getByText("Revenue").press("Enter");
    await page.getByRole("img", { name: /^Revenue, Whole account: US\$[\d,.]+ in/ }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it("the plot of a report shows one of its groups", async () => {
    const page = await pages.open("/admin/reports#report=campaigns&by=month&from=2025-03-05", {
      width,
      role: "viewer",
    });
    await listed(page);
    const row = page.locator("tbody tr").first();
    const name = await row.getByRole("rowheader").textContent();
    const clicks = await row.getByRole("cell").first().textContent();
    await page.getByLabel("Whose figures are plotted").selectOption({ label: name! });
    await page.getByRole("img", { name: `Clicks, ${name}: ${clicks} in the whole range` }).waitFor();
    await page.getByRole("row", { name: /^Whole account/ }).waitFor();
  });

  it.each(["overview", "campaigns", "promoters", "traffic_sources", "urls"])(
    "the report %s shows figures, keeps its range and columns, and is downloaded",
    async (report) => {
      const page = await pages.open(`/admin/reports#report=${report}&from=2025-03-05&by=month`, {
        width,
        role: "viewer",
      });
      await listed(page);
      expect(await faultsOf(page)).toEqual([]);
      await page.locator("summary", { hasText: "Columns" }).click();
      await page.getByLabel("Refunds").check();
      await page.getByRole("columnheader", { name: "Refunds" }).waitFor();
      await page.reload();
      await page.getByRole("columnheader", { name: "Refunds" }).waitFor();
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download CSV" }).click(),
      ]);
      expect(file.suggestedFilename()).toBe(`${report}-2025-03-05-2026-03-04.csv`);
      expect(await readFile(await file.path(), "utf8")).toContain("refunds_count");
    },
  );
});

it("a viewer is offered nothing that only others may do", async () => {
  const page = await pages.open("/admin/payouts", { role: "viewer" });
  await listed(page);
  expect(await page.getByRole("button", { name: "Make a batch" }).count()).toBe(0);
  expect(await page.getByRole("checkbox").count()).toBe(0);
  await page.goto(`${pages.url}/admin/commissions`);
  await listed(page);
  expect(await page.getByRole("button", { name: "Give a commission" }).count()).toBe(0);
  expect(await page.getByRole("checkbox").count()).toBe(0);
});

it("says what to do where there is nothing", async () => {
  const page = await pages.open("/admin/commissions#q=no-such-event", { role: "viewer" });
  await page.getByRole("button", { name: "Show all commissions" }).click();
  expect(await listed(page)).toBeGreaterThan(0);
});
