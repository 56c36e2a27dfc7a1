import { beforeAll, describe, expect, it } from "vitest";
import { addPayout } from "../../support/payouts.ts";
import { loadPromoter } from "../../../server/domain/people/promoter/promoter.ts";
import { KEY } from "../../support/app.ts";
import { faultsOf, newPages, WIDTHS } from "../../support/pages.ts";
import { company, reward } from "../../support/v2.ts";

const pages = newPages({ promoters: 3, leads: 60, sales: 40 });
const HOSTILE = `<img src=x onerror=alert(1)> ${"x".repeat(60)} مرحبا 🎉`;

/** An address that signs the first promoter in. */
let entrance = "";
beforeAll(async () => {
  const { app } = pages;
  await company(app, "PUT /promoters/1", { profile: { first_name: HOSTILE, country: "FR" } });
  const { body } = await app.v1("/promoters/update", { id: "1" });
  entrance = `/portal?auth_token=${(body as { auth_token: string }).auth_token}`;
  const payout = await addPayout(app.context, await loadPromoter(app.services.store, app.account_id, 1));
  await company(app, "POST /payouts/mark_as_paid", { ids: [payout.id] });
  const customers = { is_promoter_reward: false, duration: "once", name: "10% off" };
  await company(app, "PUT /campaigns/1", {
    promoters_may_add_leads: true,
    promoters_may_make_promo_codes: true,
    rewards_for_referrals: [{ reward_id: await reward(app, customers) }],
  });
  const signup = {
    description: HOSTILE,
    terms: "Be nice.",
    questions: [{ label: "Where?", is_required: true }],
  };
  const second = { name: "Second", landing_url: "https://www.acme.example/", signup };
  await company(app, "POST /campaigns", { ...second, auto_approve_promoters: false });
});

describe.each(WIDTHS)("at %i pixels", (width) => {
  const go = async (page: Awaited<ReturnType<typeof pages.open>>, title: string) => {
    if (width < 900) await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("link", { name: title, exact: true }).click();
    await page.getByRole("heading", { name: title, level: 1 }).waitFor();
    await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  };

  it("shows the link first, and every page without a fault", async () => {
    const page = await pages.open(entrance, { width });
    await page.getByRole("heading", { name: "Your link" }).waitFor();
    await page.waitForURL(`${pages.url}/portal`);
    await page.getByText("Waiting for approval").waitFor();
    await page.locator("canvas").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    const titles = ["Links and codes", "Figures", "Leads", "Commissions", "Payouts", "Campaigns"];
    for (const title of [...titles, "Invited people", "Settings"]) {
      await go(page, title);
      expect({ title, faults: await faultsOf(page) }).toEqual({ title, faults: [] });
    }
  });

  it("shows what channels, landing pages and sources have brought in", async () => {
    const { app } = pages;
    const { ref_token } = (await app.records.get("promoterCampaign", 1)) as { ref_token: string };
    const tid = `11111111-1111-4111-8111-${String(width).padStart(12, "0")}`;
    const url = `https://www.acme.example/prices?via=${ref_token}&sub_id=newsletter`;
    await app.browser("/t/click", { tid, ref_id: ref_token, url });
    await app.v1("/track/signup", { email: `reader-${width}@example.net`, tid });
    const page = await pages.open(entrance, { width });
    await go(page, "Figures");
    await page.getByRole("rowheader", { name: "newsletter" }).waitFor();
    await page.getByText("All, with and without a channel").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Landing page" }).click();
    await page.getByRole("rowheader", { name: "https://www.acme.example/prices" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Source" }).click();
    await page.getByRole("rowheader", { name: "Visited directly" }).waitFor();
  });

  it("says what is new since the last visit", async () => {
    const totals = { clicks: 0, referrals: 0, commissions: 0, earnings_cents: 0, paid_cents: 0 };
    await pages.app.records.change("promoter", 1, { visit: { at: "2026-03-01T09:00:00.000Z", totals } });
    const page = await pages.open(entrance, { width });
    await page.getByRole("heading", { name: "New since 1 Mar 2026" }).waitFor();
    await page.getByText(/^\d+ leads$/).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it("makes a link, joins a campaign, and chooses how to be paid", async () => {
    const page = await pages.open(entrance, { width });
    await go(page, "Links and codes");
    await page.getByRole("button", { name: "Make a link" }).first().click();
    await page.getByLabel("Name").fill(`Letter ${width}`);
    await page.getByRole("textbox", { name: "Page" }).fill("https://elsewhere.example/");
    await page.getByRole("button", { name: "Make the link" }).click();
    await page.getByText(/^Must be a page of /).waitFor();
    await page.getByRole("textbox", { name: "Page" }).fill("");
    await page.getByLabel("Channel").fill("letter");
    await page.getByRole("button", { name: "Make the link" }).click();
    await page.getByRole("heading", { name: `Letter ${width}` }).waitFor();

    await go(page, "Settings");
    await page.getByRole("tab", { name: "Payout method" }).click();
    await page.getByRole("button", { name: "Add a payout method" }).click();
    await page.getByLabel("Account holder").fill("Jane Doe");
    await page.getByLabel("Country of the bank").selectOption("NL");
    await page.getByLabel("IBAN").fill("NL91ABNA0417164301");
    await page.getByRole("button", { name: "Be paid by Bank transfer" }).click();
    await page.getByText("Is not a valid IBAN.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByLabel("IBAN").fill("NL91ABNA0417164300");
    await page.getByRole("button", { name: "Be paid by Bank transfer" }).click();
    await page.getByText("You are paid this way from now on.").waitFor();
    await page.waitForURL("**#tab=payout");
  });

  it("adds a lead and takes it back, and makes and archives a code", async () => {
    const page = await pages.open(entrance, { width });
    await go(page, "Leads");
    await page.getByRole("button", { name: "Add a lead" }).click();
    await page.getByLabel("E-mail").fill(`sam${width}@example.net`);
    await page.getByLabel("First name (optional)").fill("Sam");
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Add the lead" }).click();
    const row = page.getByRole("row").filter({ hasText: "s***@example.net" });
    await row.getByText("Under review").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await row.getByRole("button", { name: "Take back s***@example.net" }).click();
    await page.getByRole("button", { name: "Take the lead back" }).click();
    await row.waitFor({ state: "detached" });

    await go(page, "Links and codes");
    await page.getByRole("button", { name: "Make a code" }).click();
    await page.getByLabel("Code", { exact: true }).fill("J 10");
    await page.getByRole("button", { name: "Make the code" }).click();
    await page.getByText("Must have at least 3 letters, digits, - or _.").waitFor();
    await page.getByLabel("Code", { exact: true }).fill(`SPRING${width}`);
    await page.getByRole("button", { name: "Make the code" }).click();
    await page.getByRole("button", { name: `Archive SPRING${width}` }).click();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Archive the code" }).click();
    await page.getByRole("button", { name: `Archive SPRING${width}` }).waitFor({ state: "detached" });
  });

  it("shows amounts and addresses whole, and the tab that the address names", async () => {
    const page = await pages.open(entrance, { width });
    await page.locator(".tile").first().waitFor();
    const tooWide = await page
      .locator(".tile")
      .evaluateAll((tiles) =>
        tiles
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map((tile) => tile.textContent),
      );
    expect(tooWide).toEqual([]);
    await go(page, "Leads");
    const address = page.getByRole("rowheader").first().locator("span").first();
    expect(await address.evaluate((element) => element.getClientRects().length)).toBe(1);
    await page.goto(`${pages.url}/portal/settings#tab=password`);
    const tab = page.getByRole("tab", { name: "Password", selected: true });
    await tab.waitFor();
    await expect
      .poll(async () => {
        const box = await tab.boundingBox();
        return box !== null && box.x >= 0 && box.x + box.width <= width;
      })
      .toBe(true);
  });

  it("shows a page of commissions without tall rows, and without a part to scroll to", async () => {
    const page = await pages.open(entrance, { width });
    await go(page, "Commissions");
    const rows = page.getByRole("row").filter({ has: page.getByRole("rowheader") });
    await rows.first().waitFor();
    const texts = await rows.evaluateAll((all) => all.map((row) => (row as HTMLElement).innerText));
    const told = [
      /^\d+ \w+ 202[56]/,
      /(?<!US)\$\d/,
      /Paid|Approved|Waiting/,
      /% of a sale/,
      /Default campaign/,
    ];
    for (const text of texts) for (const part of told) expect(text).toMatch(part);
    const heights = await rows.evaluateAll((all) => all.map(({ clientHeight }) => clientHeight));
    expect(Math.max(...heights)).toBeLessThan(100);
    const scroller = page.getByRole("region", { name: "Commissions" });
    expect(await scroller.evaluate((each) => each.scrollWidth - each.clientWidth)).toBeLessThanOrEqual(0);
  });

  it("shows receipts", async () => {
    const page = await pages.open(entrance, { width });
    await go(page, "Payouts");
    await page
      .getByText(/(?<!US)\$\d/)
      .first()
      .waitFor();
    const scroller = page.getByRole("region", { name: "Payouts" });
    expect(await scroller.evaluate((each) => each.scrollWidth - each.clientWidth)).toBeLessThanOrEqual(0);
    await page
      .getByRole("button", { name: /^Show the receipt/ })
      .first()
      .click();
    await page.getByRole("heading", { name: "Receipt" }).waitFor();
    await page.getByText("Tax (20%)").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    const facts = await page.getByRole("dialog").locator("dt, dd").allTextContents();
    const to = facts.indexOf("To");
    expect(facts.slice(to + 2, facts.indexOf("For"))).toEqual(["Country", "France"]);
  });
});

it("says that a page has a fault, and keeps why something was refused", async () => {
  // Not by `pages.open`, which takes no faults.
  const context = await pages.browser.newContext();
  const page = await context.newPage();
  await page.route("**/api/v2/affiliate/payouts?**", (route) => route.fulfill({ json: { data: [{}] } }));
  const refusal = { status: 503, headers: { "x-request-id": "abc123" }, json: {} };
  await page.route("**/affiliate/commissions/export", (route) => route.fulfill(refusal));
  await page.goto(pages.url + entrance);
  await page.getByRole("link", { name: "Payouts", exact: true }).click();
  await page.getByRole("heading", { name: "This page has an error" }).waitFor();
  await page.getByRole("link", { name: "Commissions", exact: true }).click();
  await page.getByRole("button", { name: "Download as CSV" }).click();
  await page.getByText("Request abc123").waitFor();
  await context.close();
});

it("counts one lead in the singular", async () => {
  const { app } = pages;
  const { body } = await app.v1("/promoters/create", { email: "one@example.com", ref_id: "one" });
  await app.v1("/track/signup", { email: "only@example.com", ref_id: "one" });
  const page = await pages.open(`/portal?auth_token=${(body as { auth_token: string }).auth_token}`);
  await page.getByText("0 clicks", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Leads", exact: true }).click();
  await page.getByText("1 lead", { exact: true }).waitFor();
});

it("offers no link to make without a campaign, and shows why one was refused", async () => {
  const page = await pages.open(entrance);
  const campaigns = "**/affiliate/promoter_campaigns?*";
  let open = () => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  await page.route(campaigns, async (route) => {
    await gate;
    await route.fulfill({ json: [] });
  });
  await page.getByRole("link", { name: "Links and codes", exact: true }).click();
  const make = page.getByRole("button", { name: "Make a link" });
  await make.click();
  open();
  await page.getByLabel("Name").fill("For nobody");
  await page.getByRole("button", { name: "Make the link" }).click();
  await page.getByRole("alert").waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await make.waitFor({ state: "detached" });
});

it("asks a campaign's questions before it lets someone in", async () => {
  const page = await pages.open(entrance);
  await page.getByRole("link", { name: "Campaigns", exact: true }).click();
  await page.getByRole("button", { name: "Apply to Second" }).click();
  await page.getByLabel("Where?").fill("On my blog");
  await page.getByRole("button", { name: "Apply", exact: true }).click();
  await page.getByText("Must be accepted.").waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByLabel("I accept the terms").check();
  await page.getByRole("button", { name: "Apply", exact: true }).click();
  await page.getByText("We will look at it.").waitFor();
  await page.getByRole("link", { name: "Links and codes", exact: true }).click();
  const waiting = page.getByRole("listitem").filter({ hasText: "Waiting for approval" });
  await waiting.getByRole("heading", { name: "Second" }).waitFor();
});

it("lets a promoter join a private campaign by its invitation", async () => {
  const { app } = pages;
  const secret = { name: "Secret", landing_url: "https://www.acme.example/", is_private: true };
  const { body: campaign } = await company(app, "POST /campaigns", {
    ...secret,
    signup: { terms: "Be nice." },
  });
  await app.v1("/promoters/create", { email: "pat@example.com", temp_password: "first secret" });
  const page = await pages.open("/portal");
  await page.goto((campaign as { signup_url: string }).signup_url);
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.locator("input[type=email]").fill("pat@example.com");
  await page.locator("input[type=password]").fill("first secret");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByLabel("New password").fill("correct horse battery");
  await page.getByRole("button", { name: "Save the password" }).click();
  await page.getByRole("heading", { name: "Secret" }).waitFor();
  expect(page.url()).toBe(`${pages.url}/portal/campaigns`);
  await page.getByLabel("I accept the terms").check();
  await page.getByRole("button", { name: "Join", exact: true }).click();
  await page.getByRole("listitem").filter({ hasText: "Secret" }).getByText("Accepted").waitFor();
});

it("keeps what was typed when the session ends, and goes on after signing in", async () => {
  const { app } = pages;
  await app.v1("/promoters/create", { email: "kim@example.com", temp_password: "first secret" });
  const page = await pages.open("/portal");
  const signIn = async (password: string) => {
    await page.locator("input[type=email]").fill("kim@example.com");
    await page.locator("input[type=password]").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
  };
  await signIn("first secret");
  await page.getByRole("heading", { name: "Choose a password" }).waitFor();
  await page.getByLabel("New password").fill("correct horse battery");
  await page.getByRole("button", { name: "Save the password" }).click();
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByLabel("First name").fill("Kim");
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Save the profile" }).click();
  await page.getByRole("heading", { name: "Sign in again" }).waitFor();
  await signIn("correct horse battery");
  await page.getByText("Your profile is saved.").waitFor();
});

it("shows the campaign first that a frame is opened for, and keeps it", async () => {
  const { app } = pages;
  const { body: promoter } = await app.v2("POST", "/promoters", { email: "many@example.com" });
  const { id: promoterId } = promoter as { id: number };
  for (const name of ["One", "Two", "Three", "Four"]) {
    const landing_url = "https://shop.example/";
    const { body: campaign } = await app.v2("POST", "/campaigns", { name, landing_url });
    const body = { ids: [promoterId], campaign_id: (campaign as { id: number }).id };
    await app.v2("POST", "/promoters/add_to_campaign", body);
  }
  const { body: all } = await app.v2("GET", "/campaigns?per_page=100");
  const { id: wanted } = (all as { id: number; name: string }[]).find(({ name }) => name === "Four")!;
  const login = await app.request(`/api/v2/promoters/iframe_login?promoter_id=${promoterId}`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "account-id": "acme" },
  });
  const { access_token: token } = (await login.json()) as { access_token: string };
  const page = await pages.open(`/iframe?tk=${token}&campaign_id=${wanted}`);
  const first = page.getByRole("region", { name: /^Your link for/ }).first();
  await first.waitFor();
  expect(await first.getAttribute("aria-label")).toBe("Your link for Four");
  expect(page.url()).toBe(`${pages.url}/portal`);
  await page.reload();
  await first.waitFor();
  expect(await first.getAttribute("aria-label")).toBe("Your link for Four");
  await page.getByRole("link", { name: "More links and codes" }).first().click();
  const cards = page.getByRole("main").getByRole("listitem");
  await cards.first().waitFor();
  expect(await cards.first().textContent()).toContain("Four");
});

it("opens in a frame by a token, and read-only for the company", async () => {
  const { app } = pages;
  const { body } = await company(app, "POST /promoters/1/portal_view");
  const page = await pages.open(new URL((body as { url: string }).url).href.replace(pages.url, ""));
  await page.getByText("You can't change anything in it.").waitFor();
  await page.waitForURL(`${pages.url}/portal`);
  await page.reload();
  await page.getByText("You can't change anything in it.").waitFor();
});
