import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { components } from "../../../client/ui/api/types.ts";
import { faultsOf, newPages, WIDTHS } from "../../support/pages.ts";
import { PASSWORD } from "../../support/users.ts";

const pages = newPages({ promoters: 3, leads: 5, sales: 3 });

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

describe.each(WIDTHS)("at %i pixels", (width) => {
  const open = (path: string, isDark = false) => pages.open(path, { width, role: "manager", isDark });

  it("makes a campaign, changes it, and shows its link", async () => {
    const page = await open("/admin/campaigns");
    await page.getByRole("rowheader").first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await button(page, "Add a campaign").click();
    await page.getByRole("dialog").getByLabel("Name").fill(`Partners ${width}`);
    await page.getByRole("dialog").getByLabel("Landing page").fill("https://shop.example/");
    await button(page, "Add the campaign").click();
    await page.getByRole("heading", { name: `Partners ${width}` }).waitFor();

    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByLabel("Days that a visitor counts as referred").fill("90");
    await page.getByLabel("Parameter of their links").selectOption("ref");
    await page.getByLabel("Let promoters join by invitation only").check();
    await page.getByLabel("Sites that may send").fill("shop.example\n*.shop.example");
    expect(await faultsOf(page)).toEqual([]);
    const save = button(page, "Save the settings");
    await save.press("Enter");
    await page.getByText("The campaign was saved").waitFor();
    await page.locator("[aria-disabled=true]").waitFor({ state: "detached" });
    expect(await save.evaluate((each) => each === document.activeElement)).toBe(true);

    await page.getByRole("tab", { name: "What promoters see" }).click();
    await page.getByText("https://shop.example/?ref=jane").waitFor();
    await page.getByText("90 days").waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it("keeps a campaign's further pages, its colour and the goal that leads to the next one", async () => {
    await pages.app.v2("POST", "/campaigns", { name: "Gold", landing_url: "https://shop.example/" });
    const { body: made } = await pages.app.v2("POST", "/campaigns", {
      name: `Steps ${width}`,
      landing_url: "https://shop.example/",
      links: [{ name: "Old", url: "https://shop.example/old" }],
    });
    const { id } = made as { id: number };
    const page = await open(`/admin/campaigns/${id}#tab=settings`, true);
    await page.getByLabel("Name", { exact: true }).fill("Typed, but not saved");
    await button(page, "Remove page 1").click();
    for (const [at, name] of ["Pricing", "Blog"].entries()) {
      await button(page, "Add a page").click();
      await page.getByLabel(`Name of page ${at + 1}`).fill(name);
      await page.getByLabel(`Address of page ${at + 1}`).fill(`https://shop.example/${name}`);
    }
    await button(page, "Save the pages").click();
    await page.getByText("The campaign was saved").waitFor();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Typed, but not saved");

    await page.getByLabel("Campaign to move to").selectOption({ label: "Gold" });
    await page.getByLabel("What they must reach").selectOption("revenue");
    await page.getByLabel("Amount in USD").fill("1e3");
    await button(page, "Save the goal").click();
    await page.getByText("Is not an amount.").waitFor();
    await page.getByLabel("Amount in USD").fill("1000,50");
    await page.getByLabel("Their leads should move too").check();
    expect(await faultsOf(page)).toEqual([]);
    await button(page, "Save the goal").click();
    await expect.poll(() => campaign(id)).toMatchObject({ upgrade_details: { metric: "revenue" } });
    await page.getByLabel("Colour").fill("#ff8800");
    await button(page, "Save the settings").click();

    await expect.poll(() => campaign(id)).toMatchObject({ name: "Typed, but not saved", color: "#ff8800" });
    const { links, upgrade_details: upgrade } = await campaign(id);
    expect(links.map(({ name, url }) => [name, url])).toEqual([
      ["Pricing", "https://shop.example/Pricing"],
      ["Blog", "https://shop.example/Blog"],
    ]);
    expect(upgrade).toMatchObject({ amount: 100_050, move_referrals_on_level_change: true });
  });

  it("gives a reward for some products only", async () => {
    const { body: product } = await pages.app.v2("POST", "/products", {
      name: `Gold ${width}`,
      prices: [{ ext_id: `gold-${width}` }],
    });
    const page = await open("/admin/campaigns/1#tab=rewards");
    const list = page.getByRole("region", { name: "What promoters get" });
    await list.getByRole("combobox", { name: /^Reward to add/ }).selectOption({ index: 1 });
    await list.getByRole("combobox", { name: /^Sales that it is for/ }).selectOption("specific");
    expect(await list.getByRole("button", { name: "Add it" }).isDisabled()).toBe(true);
    await list.getByLabel(`Gold ${width}`).check();
    expect(await faultsOf(page)).toEqual([]);
    await list.getByRole("button", { name: "Add it" }).click();
    await list.getByText(`For Gold ${width}.`).waitFor();
    const { id } = product as { id: number };
    expect((await campaign(1)).rewards_for_promoters).toContainEqual(
      expect.objectContaining({ apply_on: "specific", product_ids: [id] }),
    );
  });

  it("previews e-mails, and asks questions on the sign-up page", async () => {
    const page = await open("/admin/campaigns/1#tab=emails", true);
    await page.getByLabel("Welcome").check();
    await button(page, "Save the e-mails").click();
    await page.getByText("The campaign was saved").waitFor();
    expect(await page.getByLabel("Welcome").isChecked()).toBe(true);
    await button(page, "Preview of Welcome").click();
    await page.getByText("Hello Jane,").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await button(page, "Close").click();

    await page.getByRole("tab", { name: "Sign-up page" }).click();
    await page.getByLabel("Terms that they must accept").fill("Be fair.");
    await button(page, "Add a question").click();
    await page
      .getByLabel(/^Question \d/)
      .last()
      .fill(`Where at ${width}?`);
    await page
      .getByLabel(/^Choices of question/)
      .last()
      .fill("Blog, Video");
    await button(page, "Save the sign-up page").click();
    const questions = async () => {
      const { body } = await pages.app.v2("GET", "/campaigns/1");
      return (body as { signup: { questions: unknown[] } }).signup.questions;
    };
    // The message of the first saving may still be shown, so it tells nothing about this one.
    await expect.poll(questions).toContainEqual({
      label: `Where at ${width}?`,
      is_long: false,
      is_required: false,
      choices: ["Blog", "Video"],
    });
    expect(await faultsOf(page)).toEqual([]);
  });

  it("makes a reward by a sentence, with an example worked out", async () => {
    const page = await open("/admin/rewards");
    await page.getByRole("rowheader").first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await button(page, "Add a reward").click();
    await page.getByLabel("How much").fill("30");
    await page.getByLabel("For how long").selectOption("repeating");
    await page.getByText("US$30.00").waitFor();
    await page.getByText("After 12 months sales give nothing.").waitFor();
    await page.getByLabel("A sale of").fill("49.90");
    await page.getByText("US$14.97").waitFor();
    const amount = page.getByLabel("How much");
    await amount.fill("33.33333");
    await button(page, "Save the reward").click();
    await expect.poll(() => amount.getAttribute("aria-invalid")).toBe("true");
    const fault = await page.getByRole("dialog").locator(".sentence .fault").textContent();
    expect(fault).toMatch(/at most four decimals/);
    expect(await faultsOf(page)).toEqual([]);
    await amount.fill("30");
    expect(await faultsOf(page)).toEqual([]);
    await page.getByLabel("Name").fill(`Thirty ${width}`);
    await button(page, "Save the reward").click();
    const row = page.getByRole("row", { name: `Thirty ${width}` });
    await row.getByText("The promoter gets 30% of each sale for 12 months").waitFor();

    await page.goto(`${pages.url}/admin/campaigns/1#tab=rewards`);
    await page.getByLabel("Reward to add to: What promoters get").selectOption({ label: `Thirty ${width}` });
    await button(page, "Add it").first().click();
    await page.getByText("The reward was added").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await button(page, `Remove Thirty ${width}`).click();
    await page.getByText("The reward was removed").waitFor();
  });

  it("takes out one reward at a time, so that none comes back", async () => {
    const rewards = [];
    for (const name of [`First ${width}`, `Second ${width}`]) {
      const schemas = [{ unit: "cash", amount: 5, flat_amount: true }];
      const { body } = await pages.app.v2("POST", "/rewards", { name, is_promoter_reward: true, schemas });
      rewards.push({ reward_id: (body as { id: number }).id, apply_on: "all" });
    }
    const { body: made } = await pages.app.v2("POST", "/campaigns", {
      name: `Rewarding ${width}`,
      landing_url: "https://shop.example/",
      rewards_for_promoters: rewards,
    });
    const { id } = made as { id: number };
    const page = await open(`/admin/campaigns/${id}#tab=rewards`);
    let sentCount = 0;
    let go = () => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    await page.route(`**/company/campaigns/${id}`, async (route) => {
      if (route.request().method() === "PUT") {
        sentCount++;
        await gate;
      }
      await route.continue();
    });
    await button(page, `Remove First ${width}`).click();
    await button(page, `Remove Second ${width}`).click();
    go();
    await button(page, `Remove First ${width}`).waitFor({ state: "detached" });
    await page.getByText("The reward was removed").waitFor();
    expect(sentCount).toBe(1);
    const { rewards_for_promoters: left } = await campaign(id);
    expect(left.map(({ reward }) => reward.name)).toEqual([`Second ${width}`]);
  });

  it("names a reward after what it gives, until someone types another name", async () => {
    await pages.app.v2("POST", "/rewards", {
      name: "20 % of each sale",
      is_promoter_reward: true,
      duration: "forever",
      schemas: [{ unit: "cash", amount: 20, flat_amount: false }],
    });
    const page = await open("/admin/rewards");
    await button(page, "20 % of each sale").last().click();
    await page.getByLabel("How much").fill("25");
    const name = page.getByLabel("Name");
    await expect.poll(() => name.inputValue()).toBe("25% of each sale");
    await button(page, "Save the reward").click();
    await page.getByText("The reward was saved").waitFor();
    await button(page, "25% of each sale").last().click();
    await name.fill("For friends");
    await page.getByLabel("How much").fill("30");
    await page.getByText("US$30.00").waitFor();
    expect(await name.inputValue()).toBe("For friends");
    await button(page, "Save the reward").click();
    await button(page, "For friends").last().waitFor();
  });

  it("gives a promoter a promo code, and archives it", async () => {
    await pages.app.v2("POST", "/rewards", {
      name: `Off ${width}`,
      is_promoter_reward: false,
      schemas: [{ unit: "cash", amount: 10, flat_amount: false }],
    });
    const profile = { first_name: "Jane", last_name: "Doe" };
    for (const email of [`jane${width}@example.com`, `jane${width}@example.net`])
      await pages.app.v2("POST", "/promoters", { email, profile });
    const page = await open("/admin/promo-codes", true);
    await button(page, "Add a promo code").first().click();
    await page.getByLabel("Code", { exact: true }).fill(`JANE${width}`);
    await page.getByRole("searchbox", { name: "Search: Promoter" }).fill(`jane${width}`);
    // Two people of one name are told apart by their addresses.
    await page.getByRole("radio", { name: `jane${width}@example.com` }).check();
    await page.getByLabel("What the customer gets").selectOption({ label: `Off ${width}` });
    expect(await faultsOf(page)).toEqual([]);
    await button(page, "Save the promo code").click();
    const row = page.getByRole("row", { name: `JANE${width}` });
    await row.getByRole("link", { name: "Jane Doe" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await button(page, `Archive JANE${width}`).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: `Archive JANE${width}` })
      .click();
    await row.getByText("Archived").waitFor();
  });
});

describe("when the session ends amid a form", () => {
  it("one's own name is kept, and saved after signing in", async () => {
    const page = await pages.open("/admin/settings/profile", { role: "viewer" });
    await page.getByLabel("Your name").fill("Vera Viewer");
    await page.context().clearCookies();
    await button(page, "Save the name").click();
    await signInAgain(page);
    await page.getByText("Your name was saved").waitFor();
  });

  it("the campaign's settings keep what was typed, and are saved after signing in", async () => {
    const page = await pages.open("/admin/campaigns/1#tab=settings", { role: "manager" });
    await page.getByLabel("Name", { exact: true }).fill("Kept through the night");
    await page.getByLabel("Sites that may send").fill("kept.example");
    await page.context().clearCookies();
    await button(page, "Save the settings").click();
    await signInAgain(page);
    await page.getByText("The campaign was saved").waitFor();
    expect(await campaign(1)).toMatchObject({
      name: "Kept through the night",
      allowed_origins: ["kept.example"],
    });
  });

  it("a new reward's dialog keeps what was typed, also if the reader does not sign in", async () => {
    const page = await pages.open("/admin/rewards", { role: "manager" });
    await button(page, "Add a reward").click();
    const form = page.getByRole("dialog", { name: "Add a reward" });
    await form.getByLabel("Name").fill("Kept reward");
    await page.context().clearCookies();
    await form.getByRole("button", { name: "Save the reward" }).click();
    const question = page.getByRole("dialog", { name: "Sign in again" });
    await question.getByRole("button", { name: "Close" }).click();
    await form.getByRole("alert").waitFor();
    expect(await form.getByLabel("Name").inputValue()).toBe("Kept reward");
    await form.getByRole("button", { name: "Save the reward" }).click();
    await signInAgain(page);
    await page.getByRole("rowheader", { name: "Kept reward" }).waitFor();
  });
});

/** Answers the question that comes when the session has ended. */
async function signInAgain(page: Page): Promise<void> {
  const question = page.getByRole("dialog", { name: "Sign in again" });
  await question.getByLabel("Password").fill(PASSWORD);
  await question.getByRole("button", { name: "Sign in" }).click();
}

/** A campaign as V2 shows it. */
async function campaign(id: number) {
  const { body } = await pages.app.v2("GET", `/campaigns/${id}`);
  return body as components["schemas"]["Campaign"];
}
