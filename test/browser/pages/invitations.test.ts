import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { faultsOf, newPages } from "../../support/pages.ts";
import { IS_LONG } from "../../support/rounds.ts";

const pages = newPages({ promoters: 10, leads: 30, sales: 20 });
beforeAll(() => void Object.assign(pages.app.services, { mail: null }));
const WIDTHS = IS_LONG ? [360, 768, 1280] : [1280];
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

describe.each(WIDTHS)("at %i pixels", (width) => {
  const open = (path: string, isDark = false) =>
    pages.open(path, { width, role: "owner", isDark: isDark || width === 768 });

  it("invites people with a message, and gives the links that no e-mail has brought", async () => {
    const page = await open("/admin/promoters");
    await page.getByRole("rowheader").first().waitFor();
    await button(page, "Invite people").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Mail is not set up").waitFor();
    await dialog.getByLabel("E-mail addresses").fill(`Jane <jane${width}@new.example>, no address`);
    await dialog.getByLabel("Your message").fill("We met at the fair.");
    expect(await faultsOf(page)).toEqual([]);
    await button(page, "Invite them").click();
    await dialog
      .getByText(/is not an e-mail address/)
      .first()
      .waitFor();
    await dialog
      .getByLabel("E-mail addresses")
      .fill(`Jane <jane${width}@new.example>; kim${width}@new.example`);
    await button(page, "Invite them").click();
    await page.getByText("2 promoters added").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(await page.getByRole("region", { name: "the links" }).innerText()).toContain("/portal/welcome#");
    await button(page, "Done").click();
  });

  it("lets a promoter in by a link that works once", async () => {
    const page = await open("/admin/promoters/1");
    await button(page, "Let them in").click();
    await button(page, "Make a sign-in link").click();
    const link = page.getByRole("dialog").locator("code");
    await link.waitFor();
    expect(await faultsOf(page)).toEqual([]);
    const url = await link.innerText();
    const portal = await pages.open("/portal", { width });
    await portal.goto(url);
    await button(portal, "Sign in").click();
    await portal.getByRole("heading", { name: "What you earn" }).first().waitFor();
    expect(await faultsOf(portal)).toEqual([]);
    const again = await pages.open("/portal", { width });
    await again.goto(url);
    await again.getByText("This link is not valid").waitFor();
  });

  it("gives a promoter another referral id and a reward of their own, made on the spot", async () => {
    const page = await open("/admin/promoters/2");
    await button(page, /Link and rewards/)
      .first()
      .click();
    const dialog = page.getByRole("dialog").first();
    await dialog.getByLabel("Referral id").fill(`word-${width}`);
    await button(page, "Save the link").click();
    await page.getByText("The link was saved").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await button(page, /Make a (new )?reward/)
      .last()
      .click();
    await page.getByRole("dialog").last().getByLabel("How much").fill("33");
    await button(page, "Save the reward").click();
    await page.getByText("has their own rewards now").waitFor();
    await dialog.getByText("33% of each sale").first().waitFor();
    await button(page, "Pay what the campaign pays").click();
    await page.getByText("earns what the campaign pays now").waitFor();
  });

  it("accepts an application where it stands", async () => {
    const { body } = await pages.app.v2("POST", "/promoters", { email: `apply${width}@example.com` });
    const [joined] = (body as { promoter_campaigns: { id: number }[] }).promoter_campaigns;
    await pages.app.v2("PUT", `/promoter_campaigns/${joined!.id}`, { state: "pending" });
    const page = await open(`/admin/promoters#q=apply${width}`);
    await button(page, /^Accept apply/).click();
    await page.getByText(`apply${width}@example.com accepted`).waitFor();
    await button(page, /^Accept apply/).waitFor({ state: "detached" });
    expect(await faultsOf(page)).toEqual([]);
  });

  it("erases a lead who has bought something, after their name was typed", async () => {
    const email = `erased${width}@example.com`;
    await pages.app.v1("/promoters/create", { email: `of-${email}`, ref_id: `of${width}` });
    await pages.app.v1("/track/sale", { email, event_id: email, amount: "1000", ref_id: `of${width}` });
    const { body } = await pages.app.v2("GET", `/referrals?q=${email}`);
    const [lead] = body as { id: number }[];
    const page = await open(`/admin/leads/${lead!.id}`);
    await button(page, "Erase personal data…").click();
    const erase = button(page, "Erase this lead forever");
    expect(await erase.isDisabled()).toBe(true);
    await page.getByLabel(/^Type/).fill(email);
    expect(await faultsOf(page)).toEqual([]);
    await erase.click();
    await page.getByText("The lead's personal data was erased").waitFor();
  });

  it("stores exchange rates, and names the script as another program did", async () => {
    const page = await open("/admin/settings/rates");
    await page.getByLabel("Buys").fill("EUR 0,92\nGBP 0.79");
    expect(await faultsOf(page)).toEqual([]);
    await button(page, "Store the rates").click();
    await page.getByText("2 rates of").waitFor();
    await page.goto(`${pages.url}/admin/settings/account`);
    await page.getByLabel("Prefix of the cookies").fill("_fprom");
    await button(page, "Save the settings").click();
    await page.getByText("The settings were saved").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByLabel("Currency").selectOption("EUR");
    await button(page, "Save the settings").click();
    await page.getByText("stays USD, because there are amounts in it already").waitFor();
    expect(await page.getByLabel("Currency").evaluate((each) => each === document.activeElement)).toBe(true);
  });

  it("shows what is earned before someone joins", async () => {
    const page = await pages.open("/join/1", { width, isDark: width === 768 });
    await page.getByRole("heading", { name: "What you get" }).waitFor();
    await page.getByText(/^A click counts for/).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });
});

it("opens a page with tabs at its top", async () => {
  const page = await pages.open("/admin/settings/integration", { role: "owner" });
  await page.getByRole("tab").first().waitFor();
  expect(await page.evaluate(() => scrollY)).toBe(0);
});

it("shows the whole menu and the way out at 1280 × 800", async () => {
  const page = await pages.open("/admin", { role: "owner" });
  await page.setViewportSize({ width: 1280, height: 800 });
  const menu = page.locator(".side .nav");
  await menu.waitFor();
  expect(await menu.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0);
  const box = await button(page, "Sign out").boundingBox();
  expect(box!.y + box!.height).toBeLessThanOrEqual(800);
});

it("puts a reward that is made in a campaign into it, with the goal of a bonus", async () => {
  const page = await pages.open("/admin/campaigns/1#tab=rewards", { role: "owner" });
  await button(page, /Make a (new )?reward/)
    .first()
    .click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Who gets it").selectOption("target");
  await dialog.getByLabel("The goal").fill("7");
  await dialog.getByText("reaches the goal (7 customers)").waitFor();
  await button(page, "Save the reward").click();
  await page.getByText(/^The reward is in .* now$/).waitFor();
  await page
    .getByText(/once, for 7 customers/)
    .first()
    .waitFor();
});
