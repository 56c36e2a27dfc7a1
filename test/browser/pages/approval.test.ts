import { afterAll, beforeAll, expect, it } from "vitest";
import type { User } from "../../../server/domain/access/user/user.ts";
import { users } from "../../../server/domain/access/user/user.ts";
import { SYSTEM } from "../../../server/domain/context.ts";
import { createPaymentsBatch } from "../../../server/domain/ledger/payments-batch/changes.ts";
import { asItIs } from "../../../server/domain/show.ts";
import { faultsOf, newPages, WIDTHS } from "../../support/pages.ts";
import { connectPaypal, runPaymentJob } from "../../support/payments.ts";
import { startPaypalApi, type PaypalApi } from "../../support/paypal-api.ts";
import { addPayout, addPromoter, changeAccount, selectMethod } from "../../support/payouts.ts";

const pages = newPages();
let paypal: PaypalApi;
beforeAll(async () => {
  paypal = await startPaypalApi(() => pages.app.services.clock());
  await connectPaypal(pages.app, paypal);
});
afterAll(() => paypal.close());

/** Gives a user of the tests other rights, after signing in without a code. */
async function changeUser(role: User["role"], changes: Partial<User>): Promise<User> {
  const { app } = pages;
  const all = await app.services.store.list(users, "id", SYSTEM, []);
  const user = all.find(({ email }) => email === `${role}@acme.example`)!;
  await app.records.put("user", { ...user, ...changes });
  return user;
}

it.each(WIDTHS)(
  "at %i pixels: one owner makes a batch, another one approves it, and the first one sends it",
  async (width) => {
    const { app } = pages;
    const account = await changeAccount(app.context, app.account_id, { requires_second_person: true });
    const jane = await addPromoter(app.context, account, {
      email: `jane-${width}@example.com`,
      first_name: "Jane",
      last_name: `Doe ${width}`,
    });
    await selectMethod(app.context, jane, {
      method: "paypal",
      details: { wallet_email: "jane@wallet.example" },
    });
    await addPayout(app.context, jane);
    await changeUser("manager", { role: "manager", second_factor: null });
    await changeUser("owner", { second_factor: null });
    const first = await pages.open("/admin", { width, role: "owner" });
    const second = await pages.open("/admin", { width, role: "manager" });
    const secondFactor = { secret: "JBSWY3DPEHPK3PXP", last_step: 0, recovery_hashes: [] };
    await changeUser("manager", { role: "owner", second_factor: secondFactor });
    const { id, email } = await changeUser("owner", { second_factor: secondFactor });
    const maker = { ...app.context, actor: { kind: "user", id, name: email } } as const;
    const { batch } = await createPaymentsBatch(maker, account, { method: "paypal", show: asItIs });
    const name = `BATCH-${batch.id}`;
    const opened = async (page: typeof first) => {
      await page.goto(`${pages.url}/admin/payouts#tab=batches`);
      const row = page.locator("tbody tr").filter({ hasText: name });
      await row.getByRole("button", { name: "Send the money" }).click();
      return page.getByRole("dialog", { name: `Pay ${name} by PayPal` });
    };

    const made = await opened(first);
    await made.getByText("1 promoter gets US$120.00 in all.").waitFor();
    await made.getByText(`Jane Doe ${width}, jane@wallet.example: US$120.00`).waitFor();
    await made.getByText("owner@acme.example has made the batch on").waitFor();
    await made.getByText(`A second person must approve ${name} before it is sent.`).waitFor();
    await made.getByText(`You have made ${name}, so another user must approve it.`).waitFor();
    expect(await made.getByRole("button").allTextContents()).toEqual(["✕", "Cancel"]);
    expect(await faultsOf(first)).toEqual([]);

    const approving = await opened(second);
    await approving.getByText(`Jane Doe ${width}, jane@wallet.example: US$120.00`).waitFor();
    await approving.getByRole("button", { name: "Approve", exact: true }).click();
    await approving.getByText("manager@acme.example has approved it on").waitFor();
    await approving.getByText(`You have approved ${name}, so another user must send it.`).waitFor();
    expect(await approving.getByRole("button", { name: /^Send/ }).count()).toBe(0);

    await first.reload();
    const sending = await opened(first);
    await sending.getByRole("button", { name: "Send US$120.00" }).click();
    await first.getByText(`${name} is being sent`).waitFor();
    await runPaymentJob(app);
    expect(paypal.items().filter(({ receiver }) => receiver === "jane@wallet.example").length).toBe(
      1 + WIDTHS.indexOf(width),
    );
  },
);

it.each(WIDTHS)("at %i pixels: a promoter sees when money came back, and what to do", async (width) => {
  const { app } = pages;
  const account = await changeAccount(app.context, app.account_id, { requires_second_person: false });
  const joe = await addPromoter(app.context, account, { email: `joe-${width}@example.com` });
  const details = { wallet_email: `joe-${width}@wallet.example` };
  await selectMethod(app.context, joe, { method: "paypal", details });
  await addPayout(app.context, joe);
  const { batch } = await createPaymentsBatch(app.context, account, { method: "paypal", show: asItIs });
  await app.v2("POST", `/payments_batches/${batch.id}/send`, {});
  await runPaymentJob(app);
  const item = paypal.items().find(({ receiver }) => receiver === details.wallet_email)!;
  const { body, headers } = paypal.settle(item, "RETURNED");
  await app.request("/hooks/payments/paypal/acme", { method: "POST", body, headers });
  const page = await pages.open(`/portal?auth_token=${joe.auth_token}`, { width });
  await page.getByRole("heading", { name: "Your link" }).waitFor();
  await page.goto(`${pages.url}/portal/payouts`);
  const payment = page.getByRole("listitem").filter({ hasText: "Came back" });
  await payment.getByText("4 Mar 2026").waitFor();
  await payment.getByText("The money came back. Check your payout method, or choose another one.").waitFor();
  expect(await faultsOf(page)).toEqual([]);
});
