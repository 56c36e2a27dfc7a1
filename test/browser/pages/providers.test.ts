import { afterAll, beforeAll, expect, it } from "vitest";
import { connectTo } from "../../support/payments.ts";
import { faultsOf, newPages, WIDTHS } from "../../support/pages.ts";
import { startStripeConnectApi, type StripeConnectApi } from "../../support/stripe-connect-api.ts";

const pages = newPages({ promoters: 3, leads: 3, sales: 3 });
let stripe: StripeConnectApi;
beforeAll(async () => {
  stripe = await startStripeConnectApi(() => pages.app.services.clock());
});
afterAll(() => stripe.close());

it.each(WIDTHS)(
  "at %i pixels: an owner connects Stripe and sets its fees, and a promoter sets up Stripe",
  async (width) => {
    const { app } = pages;
    const owner = await pages.open("/admin/payouts#tab=providers", { width, role: "owner" });
    await owner.getByRole("button", { name: /^(Connect|Replace) Stripe/ }).click();
    await owner.getByLabel(/^Restricted key/).fill("rk_test_1");
    await owner.getByLabel("Signing secrets of the webhooks (optional)").fill("whsec_1 whsec_2");
    expect(await faultsOf(owner)).toEqual([]);
    await owner.getByRole("dialog").getByRole("button", { name: "Connect Stripe" }).click();
    await owner.getByRole("button", { name: "Fees of Stripe" }).click();
    await owner.getByLabel("Percentage").fill("0.25");
    await owner.getByLabel("Fixed part").fill("0.25");
    await owner.getByRole("button", { name: "Save the fees" }).click();
    await owner.getByText("The fees are saved").waitFor();
    expect(await faultsOf(owner)).toEqual([]);

    // Only the command line may name another address of Stripe.
    await connectTo(app, "stripe", stripe.url, "whsec_1");
    const { body } = await app.v1("/promoters/update", { id: width === WIDTHS[0] ? "1" : "2" });
    const token = (body as { auth_token: string }).auth_token;
    const page = await pages.open(`/portal?auth_token=${token}`, { width });
    await page.waitForURL(`${pages.url}/portal`);
    await page.goto(`${pages.url}/portal/stripe?link=used`);
    await page.getByText("That link was used already").waitFor();
    await page.getByLabel("Your country").selectOption("United States");
    expect(await faultsOf(page)).toEqual([]);
    // Tests leave no page for another server.
    stripe.formUrl = `${pages.url}/healthz#form`;
    await page.getByRole("button", { name: "Set up Stripe" }).click();
    await page.waitForURL("**/healthz#form/*");
    await page.goto(`${pages.url}/portal/stripe`);
    await page.getByText("a document that shows who you are").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    for (const account of stripe.accounts) Object.assign(account, { transfers: "active", missing: [] });
    await page.goto(`${pages.url}/portal/settings#tab=payout`);
    await page.getByText("You can be paid by Stripe.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
  },
);
