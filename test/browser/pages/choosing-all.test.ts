import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { faultsOf, newPages, WIDTHS } from "../../support/pages.ts";
import { join } from "../../support/v2.ts";

const pages = newPages();

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });

describe.each(WIDTHS)("at %i pixels", (width) => {
  it("acts on all promoters that match, stops, and goes on from another page", async () => {
    await makeApplicants(`all${width}`, 45);
    const page = await pages.open(`/admin/promoters#q=all${width}`, { width, role: "manager" });
    await page.getByText("1 to 25 of 45").waitFor();
    await page.getByRole("checkbox", { name: "Choose all on this page" }).check();
    await button(page, "Choose all 45 that match").press("Enter");
    await page.getByText("All 45 matching promoters chosen").waitFor();
    expect(await button(page, "Choose this page only").evaluate(isFocused)).toBe(true);
    expect(await faultsOf(page)).toEqual([]);

    let open = () => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    await page.route("**/promoters/accept", async (route) => {
      await gate;
      await route.continue();
    });
    await page.getByRole("button", { name: "Accept", exact: true }).click();
    const sent = page.waitForRequest("**/promoters/accept");
    await button(page, "Accept 45 promoters").click();
    await sent;
    await expect.poll(() => page.getByRole("region", { name: "Promoters" }).evaluate(isFocused)).toBe(true);
    await button(page, "Stop").click();
    open();
    await page.getByText("You have stopped it.").waitFor();
    await page.getByText("20 of 45 done").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(await countAccepted(`all${width}`)).toBe(20);

    if (width < 600) await button(page, "Menu").click();
    await page.getByRole("link", { name: "Leads", exact: true }).click();
    await page.getByRole("heading", { name: "No leads yet" }).waitFor();
    await button(page, "Continue with the other 25").click();
    await page.getByText("45 promoters accepted").waitFor();
    expect(await countAccepted(`all${width}`)).toBe(45);
  });
});

it("pays nothing to a promoter whose commissions sum to less than nothing", async () => {
  const { body } = await pages.app.v2("POST", "/promoters", { email: "refunded@example.com" });
  const { id, promoter_campaigns: joined } = body as { id: number; promoter_campaigns: { id: number }[] };
  for (const amount of [...Array.from({ length: 25 }, () => 100), -5_000]) {
    const given = { commission_type: "custom", promoter_campaign_id: joined[0]!.id, amount };
    const { body: made } = await pages.app.v2("POST", "/commissions", given);
    expect(made).toMatchObject([{ amount, status: "approved" }]);
  }
  const page = await pages.open(`/admin/commissions#promoter=${id}`, { role: "manager" });
  await page.getByRole("checkbox", { name: "Choose all on this page" }).check();
  await button(page, "Choose all 26 that match").click();
  await button(page, "Make payouts of them").click();
  await button(page, "Make payouts of 26 commissions").click();
  await page.getByText(/There is nothing to pay: the sum is not above zero/).waitFor();
  const { body: paid } = await pages.app.v2("GET", `/payouts?filters[promoter_id]=${id}`);
  expect(paid).toEqual([]);
});

it("leads from commissions that were put into payouts to the payouts", async () => {
  const { promoter_campaign_id, promoter_id } = await join(pages.app, "paid@example.com");
  const given = { commission_type: "custom", promoter_campaign_id, amount: 1_000 };
  await pages.app.v2("POST", "/commissions", given);
  const page = await pages.open(`/admin/commissions#promoter=${promoter_id}`, { role: "manager" });
  await page.getByRole("checkbox", { name: "Choose all on this page" }).check();
  await button(page, "Make payouts of them").click();
  await button(page, "Make payouts of 1 commission").click();
  await page.getByRole("link", { name: "Show the payouts" }).click();
  await page.getByRole("table", { name: "Payouts" }).getByText("paid@example.com").waitFor();
});

it("shows the filters that are chosen now when the work on others ends", async () => {
  await makeApplicants("meanwhile", 2);
  const page = await pages.open("/admin/promoters#q=meanwhile&state=pending", { role: "manager" });
  await page.getByText("1 to 2 of 2").waitFor();
  await page.getByRole("checkbox", { name: "Choose all on this page" }).check();
  let open = () => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  await page.route("**/promoters/accept", async (route) => {
    await gate;
    await route.continue();
  });
  await page.getByRole("button", { name: "Accept", exact: true }).click();
  await button(page, "Accept 2 promoters").click();
  await page.getByRole("combobox", { name: "State" }).selectOption("accepted");
  await page.getByRole("heading", { name: "No promoter fits these filters" }).waitFor();
  open();
  await page.getByText("2 promoters accepted").waitFor();
  await page.getByText("1 to 2 of 2").waitFor();
});

it("tells which of all commissions that match were refused, and why", async () => {
  const { body } = await pages.app.v2("POST", "/promoters", { email: "paid-in-part@example.com" });
  const { id, promoter_campaigns: joined } = body as { id: number; promoter_campaigns: { id: number }[] };
  const made: number[] = [];
  for (let amount = 1; amount <= 28; amount++) {
    const given = { commission_type: "custom", promoter_campaign_id: joined[0]!.id, amount };
    const { body: commissions } = await pages.app.v2("POST", "/commissions", given);
    made.push(...(commissions as { id: number }[]).map((each) => each.id));
  }
  const paid = made.slice(3, 5);
  await pages.app.v2("POST", "/commissions/generate_payouts", { ids: paid });
  const { body: payouts } = await pages.app.v2("GET", `/payouts?filters[promoter_id]=${id}`);
  const ids = (payouts as { id: number }[]).map((each) => each.id);
  await pages.app.v2("POST", "/payouts/mark_as_paid", { ids });
  const page = await pages.open(`/admin/commissions#promoter=${id}`, { role: "manager" });
  await page.getByText("1 to 25 of 28").waitFor();
  await page.getByRole("checkbox", { name: "Choose all on this page" }).check();
  await button(page, "Choose all 28 that match").click();
  await button(page, "Deny").click();
  await button(page, "Deny 28 commissions").click();
  await page.getByText("26 commissions denied").waitFor();
  await page.getByText("2 records stayed unchanged:").waitFor();
  expect(await page.getByText(/is paid/).allTextContents()).toHaveLength(paid.length);
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole("link", { name: "Leads", exact: true }).click();
  await page.getByRole("heading", { name: "Leads", level: 1 }).waitFor();
  expect(await page.getByText("2 records stayed unchanged:").count()).toBe(0);
});

it("chooses nothing any more when other filters are chosen", async () => {
  await makeApplicants("few", 27);
  const page = await pages.open("/admin/promoters#q=few", { role: "manager" });
  await page.getByText("1 to 25 of 27").waitFor();
  await page.getByRole("checkbox", { name: "Choose all on this page" }).check();
  await button(page, "Choose all 27 that match").click();
  await button(page, "Next").click();
  await page.getByText("26 to 27 of 27").waitFor();
  const chosenBoxes = page.getByRole("checkbox", { checked: true, disabled: true });
  await expect.poll(() => chosenBoxes.count()).toBe(3);
  await page.getByRole("combobox", { name: "State" }).selectOption("accepted");
  await page.getByRole("heading", { name: "No promoter fits these filters" }).waitFor();
  const chosen = page.getByText(/chosen$/);
  expect(await chosen.count()).toBe(0);
  await page.getByRole("combobox", { name: "State" }).selectOption("");
  await page.getByText("1 to 25 of 27").waitFor();
  expect(await page.getByRole("checkbox", { checked: true }).count()).toBe(0);

  await page.getByRole("checkbox", { name: "Choose all on this page" }).check();
  await button(page, "Next").click();
  await page.getByText("26 to 27 of 27").waitFor();
  await page.getByText("25 promoters chosen").waitFor();
  await page.getByRole("combobox", { name: "State" }).selectOption("accepted");
  await expect.poll(() => chosen.count()).toBe(0);
});

/** Makes promoters who wait for a review, each with `word` in the address. */
async function makeApplicants(word: string, count: number): Promise<void> {
  for (let each = 1; each <= count; each++) {
    const { body } = await pages.app.v2("POST", "/promoters", { email: `${word}-${each}@example.com` });
    const [joined] = (body as { promoter_campaigns: { id: number }[] }).promoter_campaigns;
    await pages.app.v2("PUT", `/promoter_campaigns/${joined!.id}`, { state: "pending" });
  }
}

async function countAccepted(word: string): Promise<number> {
  const query = `q=${word}&filters[state]=accepted&per_page=100`;
  const { body } = await pages.app.v2("GET", `/promoters?${query}`);
  return (body as { data: unknown[] }).data.length;
}

function isFocused(element: Element): boolean {
  return element === document.activeElement;
}
