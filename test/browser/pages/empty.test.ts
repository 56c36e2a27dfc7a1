import { expect, it } from "vitest";
import { newPages } from "../../support/pages.ts";

const pages = newPages();

// What a list will hold or why it is empty, and what leads on.
it.each([
  ["/admin/promoters", "You have no promoters yet", "Invite people"],
  ["/admin/leads", "No leads yet", "See how to put the script on your site"],
  ["/admin/rewards", "No rewards yet", "Add a reward"],
  ["/admin/promo-codes", "No promo codes yet", "Add a promo code"],
  ["/admin/assets", "No assets yet", "Add an asset"],
  ["/admin/emails", "No e-mails of your own yet", "Write an e-mail"],
  ["/admin/contracts", "No contracts yet", "Add a contract"],
  ["/admin/commissions", "No promoter has earned anything yet", "See how"],
  ["/admin/payouts", "No promoter waits for money", "Show the next run"],
  ["/admin/payouts#tab=all", "No payouts were made yet", "Show the next run"],
  ["/admin/payouts#tab=batches", "No batches yet", "Show what is to be paid"],
  ["/admin/payouts#tab=next", "The next run has nothing to pay yet", "See the commissions"],
  ["/admin/payouts#tab=runs", "No run was made yet", "Show the next run"],
  ["/admin/reports#report=promoters", "Nothing happened in this range", "Show the last 365 days"],
  ["/admin/reports#report=promoters&by=month&from=2025-01-01", "Nothing happened in this range", "See how"],
  ["/admin/reports#report=promoters&q=jane", "Nothing fits this search", "Show all"],
  ["/admin/settings/webhooks", "No webhooks yet", "Add a webhook"],
])("%s says of an empty account: “%s”", async (path, title, way) => {
  const page = await pages.open(path, { role: "owner" });
  const empty = page.locator(".state", { hasText: title });
  await empty.getByRole("paragraph").or(empty.getByRole("button")).first().waitFor();
  expect(await page.getByRole("table").count()).toBe(0);
  expect(await page.locator("main button:disabled").count()).toBe(0);
  const onward = empty.getByRole("button", { name: way }).or(empty.getByRole("link", { name: way }));
  const before = page.url();
  await onward.click();
  await expect
    .poll(async () => page.url() !== before || (await page.getByRole("dialog").count()) > 0)
    .toBe(true);
});

it("offers to make the first reward of a campaign, instead of a choice among none", async () => {
  const page = await pages.open("/admin/campaigns/1#tab=rewards", { role: "owner" });
  const list = page.getByRole("region", { name: "What promoters get" });
  await list.getByText("Nothing yet: sales earn nothing.").waitFor();
  expect(await list.getByRole("combobox").count()).toBe(0);
  await list.getByRole("button", { name: "Make a reward" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save the reward" }).click();
  await list.getByRole("combobox", { name: /^Reward to add/ }).waitFor();
});

it("says nothing of making a batch as long as nobody waits for money", async () => {
  const page = await pages.open("/admin/payouts", { role: "owner" });
  await page.getByText("No promoter waits for money").waitFor();
  expect(await page.getByRole("button", { name: "Make a batch" }).count()).toBe(0);
});
