import type { Page, Route } from "playwright-core";
import { describe, expect, it } from "vitest";
import { faultsOf, newPages, unfold, WIDTHS } from "../../support/pages.ts";

const pages = newPages({ promoters: 40, leads: 150, sales: 60 });
const HOSTILE = `<img src=x onerror="document.title='owned'"> 😀 مرحبا ${"long ".repeat(60)}`;

/** Makes promoters who wait for a review, each with `word` in the address. */
async function applicants(word: string, count: number): Promise<void> {
  for (let each = 1; each <= count; each++) {
    const { body } = await pages.app.v2("POST", "/promoters", { email: `${word}-${each}@example.com` });
    const [joined] = (body as { promoter_campaigns: { id: number }[] }).promoter_campaigns;
    await pages.app.v2("PUT", `/promoter_campaigns/${joined!.id}`, { state: "pending" });
  }
}

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

// First, because the names that other tests give are longer than people's.
it.each(["promoters", "leads", "campaigns", "commissions"])(
  "shows all columns of %s at a desk",
  async (list) => {
    const page = await pages.open(`/admin/${list}`, { role: "manager" });
    await page.getByRole("rowheader").first().waitFor();
    const excess = await page
      .getByRole("region")
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(excess).toBe(0);
  },
);

it("shades the edge of a list that goes on beyond it, until its end is shown", async () => {
  const page = await pages.open("/admin/promoters", { role: "manager", width: 768 });
  await page.getByRole("rowheader").first().waitFor();
  const shaded = () => page.locator(".table.more").count();
  await expect.poll(shaded).toBe(1);
  await page.getByRole("region").evaluate((list) => list.scrollTo({ left: list.scrollWidth }));
  await expect.poll(shaded).toBe(0);
});

describe.each(WIDTHS)("at %i pixels", (width) => {
  const open = (path: string, isDark = false) => pages.open(path, { width, role: "manager", isDark });

  it("finds promoters, keeps the filters, and accepts many with progress", async () => {
    await applicants(`waiting${width}`, 23);
    const page = await open("/admin/promoters");
    await page.getByRole("rowheader").first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("searchbox", { name: "Search promoters" }).fill(`waiting${width}`);
    await page.getByText("1 to 23 of 23").waitFor();
    await unfold(page);
    await page.getByRole("combobox", { name: "State" }).selectOption("pending");
    await page.getByRole("combobox", { name: "Campaign" }).selectOption({ label: "Default campaign" });
    await page.reload();
    await page.getByText("1 to 23 of 23").waitFor();
    await page.waitForURL(`**#q=waiting${width}&state=pending&campaign=1`);

    await page.getByRole("checkbox", { name: "Choose all on this page" }).check();
    await page.getByRole("button", { name: "Accept", exact: true }).click();
    expect(await faultsOf(page)).toEqual([]);
    await button(page, "Accept 23 promoters").click();
    await page.getByText("23 promoters accepted").waitFor();
    await page.getByRole("heading", { name: "No promoter fits these filters" }).waitFor();
    await button(page, "Show all promoters").click();
    await page.getByRole("rowheader").first().waitFor();
  });

  it("names the promoters that a batch leaves as they were", async () => {
    await applicants(`other${width}`, 2);
    const name = `Another ${width}`;
    await pages.app.v2("POST", "/campaigns", { name, landing_url: "https://shop.example/" });
    const page = await open(`/admin/promoters#q=other${width}`);
    await page.getByText("1 to 2 of 2").waitFor();
    await page.getByRole("checkbox", { name: "Choose all on this page" }).check();
    await page.getByRole("button", { name: "Accept", exact: true }).click();
    expect(await page.getByLabel("In the campaign").inputValue()).toBe("");
    await button(page, "Accept 2 promoters").click();
    expect(await page.getByLabel("In the campaign").evaluate(isFocused)).toBe(true);
    await page.getByLabel("In the campaign").selectOption({ label: name });
    await button(page, "Accept 2 promoters").click();
    await page.getByText("2 records stayed unchanged:").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await button(page, "Dismiss").first().click();
  });

  it("adds promoters to one more campaign", async () => {
    await applicants(`further${width}`, 2);
    const name = `Further ${width}`;
    await pages.app.v2("POST", "/campaigns", { name, landing_url: "https://shop.example/" });
    const page = await open(`/admin/promoters#q=further${width}`);
    await page.getByText("1 to 2 of 2").waitFor();
    await page.getByRole("checkbox", { name: "Choose all on this page" }).check();
    await button(page, "Add to campaign…").click();
    await page.getByLabel("Into").selectOption({ label: name });
    expect(await faultsOf(page)).toEqual([]);
    await button(page, "Add 2 promoters").click();
    await page.getByText("2 promoters added").waitFor();
    for (const each of [1, 2]) {
      const { body } = await pages.app.v2(
        "GET",
        `/promoters/further${width}-${each}@example.com?find_by=email`,
      );
      const { promoter_campaigns } = body as { promoter_campaigns: { campaign: { name: string } }[] };
      expect(promoter_campaigns.map(({ campaign }) => campaign.name)).toEqual(["Default campaign", name]);
    }
  });

  it("adds a promoter, whatever their name, and shows and changes their page", async () => {
    const page = await open("/admin/promoters");
    await button(page, "Add a promoter").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("E-mail", { exact: true }).fill(`new${width}@example.com`);
    await dialog.getByLabel("First name").fill(HOSTILE);
    await button(page, "Add the promoter").click();
    await page.getByRole("heading", { name: "Campaigns and links" }).waitFor();
    await page.getByLabel("For your team").fill("Met at the fair");
    await button(page, "Save the note").click();
    await page.getByText("The note was saved").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(await page.title()).not.toBe("owned");

    await button(page, "Edit").click();
    await page.getByRole("dialog").getByLabel("First name").fill("Jane");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Jane" }).waitFor();
    await page.getByRole("tab", { name: "Changes" }).click();
    await page.getByText("Met at the fair").first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it.each(["Leads", "Commissions", "Payouts", "Brought in"])("shows a promoter's %s", async (tab) => {
    const page = await open("/admin/promoters/1", true);
    await page.getByRole("tab", { name: tab }).click();
    await page.getByRole("tabpanel").getByRole("table").or(page.getByText(/yet$/)).first().waitFor();
    await page.reload();
    await page.getByRole("tab", { name: tab, selected: true }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it("tells a lead's story, and why it is suspicious", async () => {
    const lead = await suspect(width);
    const page = await open(`/admin/leads#suspicion=any`, true);
    const row = page.getByRole("rowheader", { name: `suspect${width}@example.com` });
    await row.waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await row.getByRole("link").click();
    await page.getByText("Paid US$99.00").waitFor();
    await page.getByText("3 pieces · sale").waitFor();
    await page.getByText("US$33.00 a month · got the reward Spring gift").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await button(page, "Clear the suspicion").click();
    await page.getByText("The suspicion was cleared").waitFor();
    const { body } = await pages.app.v2("GET", `/referrals/${lead}`);
    expect(body).toMatchObject({ fraud_check: "no_suspicion" });

    await button(page, "Disable").click();
    await button(page, `Disable suspect${width}@example.com`).click();
    await button(page, "Enable").waitFor();

    await button(page, "Delete").click();
    await button(page, `Delete suspect${width}@example.com`).click();
    await page.waitForURL(`${pages.url}/admin/leads`);
    await page.getByRole("rowheader").first().waitFor();
    expect(await page.getByRole("rowheader", { name: `suspect${width}@example.com` }).count()).toBe(0);
  });

  it("moves leads to another promoter", async () => {
    const page = await open("/admin/leads");
    await page
      .getByRole("checkbox", { name: /^Choose (?!all)/ })
      .first()
      .check();
    await button(page, "Move to promoter…").click();
    await page.getByRole("searchbox", { name: "Search: To the promoter" }).fill("new");
    await page.getByRole("radio").first().check();
    expect(await faultsOf(page)).toEqual([]);
    await button(page, "Move 1 lead").click();
    await page.getByText(/^1 lead moved to/).waitFor();
  });
});

it("shows a promoter's tax rate and days to the due date, which owners set", async () => {
  await pages.app.v2("POST", "/promoters", { email: "terms@example.com" });
  const { body } = await pages.app.v2("GET", "/promoters/terms@example.com?find_by=email");
  const path = `/promoters/${(body as { id: number }).id}`;
  const saved = async () => (await pages.app.v2("GET", path)).body;
  const page = await pages.open(`/admin${path}`, { role: "owner", width: 390 });
  await page.getByText("30, the account's").waitFor();
  const edit = async (taxRate: string, days: string) => {
    await button(page, "Edit").click();
    await page.getByText("Leave it empty for the account's 30 days.").waitFor();
    await page.getByLabel("Tax rate").fill(taxRate);
    await page.getByLabel("Days to the due date").fill(days);
    expect(await faultsOf(page)).toEqual([]);
    await button(page, /^Save$/).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  };
  await edit("7.75", "3");
  await page.getByRole("definition").filter({ hasText: "7.75%" }).waitFor();
  expect(await saved()).toMatchObject({ tax_rate: 7.75, net_payout_days: 3 });
  await edit("8", "");
  await page.getByRole("definition").filter({ hasText: "30, the account's" }).waitFor();

  const other = await pages.open(`/admin${path}`, { role: "manager" });
  await other.getByRole("definition").filter({ hasText: "8%" }).waitFor();
  await button(other, "Edit").click();
  expect(await other.getByLabel("Tax rate").count()).toBe(0);
  await other.getByLabel("First name").fill("Ted");
  await button(other, /^Save$/).click();
  await other.getByRole("heading", { name: "Ted" }).waitFor();
  expect(await saved()).toMatchObject({ tax_rate: 8, net_payout_days: null });
});

it("a phone folds the filters behind a button that counts those in use", async () => {
  const page = await pages.open("/admin/promoters#state=accepted&archived=any", {
    role: "viewer",
    width: 360,
  });
  const state = page.getByRole("combobox", { name: "State" });
  const fold = page.getByRole("button", { name: "Filters: 2" });
  await fold.press("Enter");
  await fold.press("Tab");
  expect(await state.evaluate((each) => each === document.activeElement)).toBe(true);
  await state.selectOption("");
  await page.getByRole("button", { name: "Filters: 1", expanded: true }).press("Enter");
  expect(await state.isVisible()).toBe(false);
});

it("shows the whole list again when its link is followed again", async () => {
  const page = await pages.open("/admin", { role: "viewer" });
  const promoters = page.getByRole("link", { name: "Promoters", exact: true });
  await promoters.click();
  const state = page.getByRole("combobox", { name: "State" });
  await state.selectOption("blocked");
  await page.waitForURL("**/admin/promoters#state=blocked");
  await promoters.click();
  await expect.poll(() => state.inputValue()).toBe("");
  await page.getByText("1 to 25 of").waitFor();
  await page.waitForURL("**/admin/promoters");
});

it("leaves the reader where they are when a lead has been deleted meanwhile", async () => {
  const { body: promoter } = await pages.app.v2("GET", "/promoters/1");
  const [joined] = (promoter as { promoter_campaigns: { ref_token: string }[] }).promoter_campaigns;
  await pages.app.v1("/track/signup", { email: "short@example.com", ref_id: joined!.ref_token });
  const { body } = await pages.app.v2("GET", "/referrals/short@example.com?find_by=email");
  const page = await pages.open(`/admin/leads/${(body as { id: number }).id}`, { role: "manager" });
  let open = () => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  await page.route("**/company/referrals", async (route) => {
    await gate;
    await route.continue();
  });
  await button(page, "Delete").click();
  await button(page, "Delete short@example.com").click();
  await page.getByRole("link", { name: "Campaigns", exact: true }).click();
  await page.getByRole("heading", { name: "Campaigns", level: 1 }).waitFor();
  open();
  await page.getByText("short@example.com deleted").waitFor();
  await expect.poll(() => page.locator(".batch").count()).toBe(0);
  expect(page.url()).toBe(`${pages.url}/admin/campaigns`);
});

it("offers a viewer nothing that they may not do", async () => {
  const page = await pages.open("/admin/promoters/1", { role: "viewer" });
  await page.getByRole("heading", { name: "Campaigns and links" }).waitFor();
  for (const name of ["Edit", "Archive", "See their portal", "Block", "Save the note"]) {
    expect(await button(page, name).count(), name).toBe(0);
  }
  await page.goto(`${pages.url}/admin/leads`);
  await page.getByRole("rowheader").first().waitFor();
  expect(await page.getByRole("checkbox").count()).toBe(0);
});

it("shows what an applicant has answered to the sign-up page", async () => {
  const { body } = await pages.app.v2("GET", "/promoters?per_page=100");
  const { data } = body as { data: { id: number; custom_fields: Record<string, string> }[] };
  const applicant = data.find(({ custom_fields: answers }) => Object.keys(answers).length > 0)!;
  const page = await pages.open(`/admin/promoters/${applicant.id}`, { role: "viewer" });
  const [question, answer] = Object.entries(applicant.custom_fields)[0]!;
  await page.getByText(question).waitFor();
  await page.getByRole("definition").filter({ hasText: answer }).first().waitFor();
});

it("calls a plot what it shows while another one is loaded", async () => {
  const page = await pages.open("/admin/promoters/1", { role: "viewer" });
  await page.getByRole("img", { name: "Clicks in the last 90 days" }).waitFor();
  const held: Route[] = [];
  await page.route("**/chart_data?**", (route) => void held.push(route));
  await page.getByRole("button", { name: "Revenue" }).click();
  await page.getByRole("button", { name: "Revenue", pressed: true }).waitFor();
  expect(await page.getByRole("img", { name: /^Clicks/ }).count()).toBe(1);
  for (const route of held) await route.continue();
  await page.getByRole("img", { name: "Revenue in the last 90 days" }).waitFor();
});

it("says that there is no such promoter or lead", async () => {
  const page = await pages.open("/admin/promoters/99999", { role: "viewer" });
  await page.getByRole("heading", { name: "There is nothing here" }).waitFor();
  await page.goto(`${pages.url}/admin/leads/99999`);
  await page.getByRole("heading", { name: "There is nothing here" }).waitFor();
});

function isFocused(element: Element): boolean {
  return element === document.activeElement;
}

/** A customer with the promoter's own address. */
async function suspect(width: number): Promise<number> {
  const email = `suspect${width}@example.com`;
  await pages.app.v2("POST", "/promoters", { email });
  const { body } = await pages.app.v2("GET", `/promoters/${email}?find_by=email`);
  const [joined] = (body as { promoter_campaigns: { ref_token: string }[] }).promoter_campaigns;
  await pages.app.v1("/track/signup", { email, ref_id: joined!.ref_token });
  const sold = { quantity: "3", mrr: "3300", promo_code: await giftCode(width) };
  await pages.app.v1("/track/sale", { email, event_id: `sale${width}`, amount: "9900", ...sold });
  const lead = await pages.app.v2("GET", `/referrals/${email}?find_by=email`);
  return (lead.body as { id: number }).id;
}

/** A promo code that gives customers a reward. */
async function giftCode(width: number): Promise<string> {
  const schemas = [{ unit: "discount_per", amount: 10, flat_amount: false }];
  const reward = { name: "Spring gift", is_promoter_reward: false, schemas };
  const { body } = await pages.app.v2("POST", "/rewards", reward);
  const code = `SPRING${width}`;
  const reward_id = (body as { id: number }).id;
  await pages.app.v2("POST", "/promo_codes", { code, reward_id, promoter_campaign_id: 1 });
  return code;
}
