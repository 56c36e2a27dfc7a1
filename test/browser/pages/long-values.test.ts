import type { Locator } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { faultsOf, newPages, WIDTHS } from "../../support/pages.ts";
import { company, reward } from "../../support/v2.ts";

const pages = newPages();
const LONG = "Donaudampfschiffahrtselektrizitätenhauptbetriebswerk".repeat(3).slice(0, 140);
const SALE = "999999999";

let entrance = "";
beforeAll(async () => {
  const { app } = pages;
  await company(app, "PUT /account", { currency: "JPY" });
  const rewards = [{ reward_id: await reward(app), apply_on: "all" }];
  await company(app, "PUT /campaigns/1", { rewards_for_promoters: rewards });
  await company(app, "POST /campaigns", { name: LONG, landing_url: "https://www.acme.example/" });
  const names = { first_name: LONG, last_name: "محمد عبد الرحمن" };
  const { body } = await app.v1("/promoters/create", { email: "long@example.com", ref_id: "long", ...names });
  entrance = `/portal?auth_token=${(body as { auth_token: string }).auth_token}`;
  await app.v1("/track/signup", { email: "lead@example.com", ref_id: "long", uid: LONG });
  for (let at = 1; at <= 4; at += 1) {
    await app.v1("/track/sale", { uid: LONG, event_id: `${LONG}${at}`, amount: SALE });
  }
});

/** Texts that are wider than their element. */
const cut = (elements: Locator) =>
  elements.evaluateAll((all) =>
    all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map((each) => each.textContent),
  );

describe.each([...WIDTHS, 768])("at %i pixels", (width) => {
  it("figures of nine digits and more are shown whole, without decimals that the currency lacks", async () => {
    const page = await pages.open("/admin", { role: "viewer", width });
    await page.getByText("¥3,999,999,996").first().waitFor();
    expect(await cut(page.locator(".tile-value"))).toEqual([]);
    await page.goto(`${pages.url}/admin/promoters/1`);
    await page.getByText("¥3,999,999,996").first().waitFor();
    expect(await cut(page.locator(".figures dd"))).toEqual([]);
    expect(await faultsOf(page)).toEqual([]);
  });

  it("sums of nine digits fit into their cards in the portal", async () => {
    const page = await pages.open(entrance, { width });
    await page
      .getByText(/¥\d{3},\d{3},\d{3}$/)
      .first()
      .waitFor();
    expect(await cut(page.locator(".tiles > *"))).toEqual([]);
    expect(await faultsOf(page)).toEqual([]);
  });

  it("a long name leaves room for what stands beside it", async () => {
    const page = await pages.open("/admin/settings/mail", { role: "owner", width });
    const none = page.getByText("No e-mails", { exact: true }).last();
    await none.waitFor();
    expect(await none.evaluate(({ clientWidth }) => clientWidth)).toBeGreaterThan(200);
  });

  it("the button to join a campaign of a long name fits into its card", async () => {
    const page = await pages.open(entrance, { width });
    await page.getByRole("heading", { name: "Your link" }).waitFor();
    await page.goto(`${pages.url}/portal/campaigns`);
    await page.getByRole("button", { name: `Join ${LONG}` }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });
});
