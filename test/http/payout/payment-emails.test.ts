import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { useMail } from "../../support/mail.ts";
import { connectPaypal, runPaymentJob } from "../../support/payments.ts";
import { startPaypalApi, type PaypalApi } from "../../support/paypal-api.ts";
import { addPayout, addPromoter, changeAccount, selectMethod } from "../../support/payouts.ts";
import { signedInBrowser } from "../../support/portal.ts";
import { addUser, callAs } from "../../support/users.ts";
import { company, outcome } from "../../support/v2.ts";

const HELD = "The promoter says that someone else has changed the payout method";

let app: TestApp;
let paypal: PaypalApi;
beforeEach(async () => {
  app = await startApp();
  paypal = await startPaypalApi(() => app.services.clock());
  await connectPaypal(app, paypal);
  const account = await changeAccount(app.context, app.account_id, {});
  for (const name of ["jane", "joe"]) {
    const promoter = await addPromoter(app.context, account, {
      email: `${name}@example.com`,
      first_name: name,
    });
    const details = { wallet_email: `${name}@wallet.example` };
    await selectMethod(app.context, promoter, { method: "paypal", details });
    await addPayout(app.context, promoter);
  }
  await addUser(app, "owner");
  await addUser(app, "manager");
});
afterEach(async () => {
  await paypal.close();
  await app.close();
  expect(app.bugs).toEqual([]);
});
const mail = useMail(() => app);

/** The e-mails that were sent since the last look, as `address: subject`. */
const sent = async () => {
  const from = mail.emails.length;
  await mail.send();
  return mail.emails.slice(from).map(({ to, headers }) => `${to.join()}: ${headers["subject"]}`);
};
const makeBatch = () => company(app, "POST /payouts/create_payments_batch", { method: "paypal" });
const settle = async (nth: number, status: Parameters<PaypalApi["settle"]>[1]) => {
  const { body, headers } = paypal.settle(paypal.items()[nth]!, status);
  await app.request("/hooks/payments/paypal/acme", { method: "POST", body, headers });
};

describe("a changed payout method", () => {
  const CHANGED = "jane@example.com: Your payout method was changed";
  /** Jane, or someone with her password, changes the method. Resolves to the link of the e-mail. */
  async function change(wallet_email: string): Promise<string> {
    const { auth_token } = (await app.records.get("promoter", 1))!;
    stranger = await signedInBrowser(app, auth_token);
    const { status } = await stranger.call("PUT /payout_methods/1", { details: { wallet_email } });
    expect([status, await sent()]).toEqual([200, [CHANGED]]);
    const [link] = /https:\S+not-me\S+/.exec(mail.emails.at(-1)!.text) ?? [];
    return link!.replace("https://track.acme.example", "");
  }
  let stranger: Awaited<ReturnType<typeof signedInBrowser>>;
  const press = async (link: string) => {
    const answered = await app.request(link, { method: "POST" });
    return [answered.status, (await answered.text()).replace(/^[^]*<\/h1>|<\/main>[^]*$/g, "")];
  };

  it("is told to the promoter, who can hold the payouts once by the link, until an owner releases them", async () => {
    const link = await change("eve@wallet.example");
    const asked = await app.request(link);
    expect([asked.status, await asked.text()]).toEqual([
      200,
      expect.stringContaining("<button>This was not me</button>"),
    ]);
    expect((await app.v2("GET", "/payout_holds")).body).toEqual([]);

    const thanks =
      "<p>Thank you. Your payouts are on hold, and we have told the company. Now choose a new password in your portal, and check your payout method.</p>";
    const used = [410, "<p>This link has been used already.</p>"];
    expect(await press(link)).toEqual([200, thanks]);
    expect((await stranger.call("GET /payout_methods")).status).toBe(401);
    expect(await press(link)).toEqual(used);
    expect(await sent()).toEqual(["owner@acme.example: Look at the payouts of jane"]);
    expect(mail.emails.at(-1)!.text).toContain("jane (jane@example.com) says that someone else has changed");
    const home = async () => {
      const { body } = await app.v2("GET", "/home?start_date=2026-03-01&end_date=2026-03-04");
      return (body as { tasks: Record<string, unknown> }).tasks["held_payouts"];
    };
    expect(await home()).toEqual({ count: 1 });

    const made = (await outcome(makeBatch())).body;
    expect(made).toMatchObject({
      data: { promoters_count: 1 },
      meta: { failed: [{ promoter_id: 1, message: HELD }] },
    });

    const owner = await callAs(app, await addUser(app, "owner", { email: "ada@acme.example" }));
    const release = () => outcome(owner("POST /promoters/1/release_payouts"));
    expect(await release()).toEqual({ status: 200, body: { message: "Payouts released" } });
    expect((await release()).status).toBe(404);
    expect(await press(link)).toEqual(used);
    expect([await home(), (await app.v2("GET", "/payout_holds")).body]).toEqual([{ count: 0 }, []]);

    app.setNow("2026-03-04T06:00:00.000Z");
    expect(await press(await change("mallory@wallet.example"))).toEqual([200, thanks]);
  });

  it("is paid by nobody while it is held, also in a batch that was made before", async () => {
    const link = await change("eve@wallet.example");
    await makeBatch();
    await press(link);
    const { body: plan } = await outcome(company(app, "GET /payments_batches/1/plan"));
    expect(plan).toMatchObject({
      to_pay: [{ promoter_id: 2 }],
      left_out: [{ promoter_id: 1, message: `${HELD}. Release the payouts first` }],
    });
    const refusal = {
      status: 422,
      body: {
        code: "operation_failed",
        message: `${HELD}, promoter 1. Release the payouts first, or make a batch without them`,
      },
    };
    expect(await outcome(company(app, "GET /payments_batches/1/file?format=paypal"))).toEqual(refusal);
    expect(await outcome(company(app, "POST /payments_batches/1/pay", {}))).toEqual(refusal);
  });

  it.each([
    ["of another promoter", (link: string) => link.replace("promoter=1", "promoter=2")],
    ["of another time", (link: string) => link.replace("at=2026", "at=2027")],
    ["of another account", (link: string) => link.replace("cid=acme", "cid=beta")],
    ["without a token", (link: string) => link.replace(/token=[^&]+/, "token=")],
  ])("is not held by a link %s", async (_, other) => {
    const link = await change("eve@wallet.example");
    expect(await press(other(link))).toEqual([404, "<p>This link is not valid.</p>"]);
    expect((await app.v2("GET", "/payout_holds")).body).toEqual([]);
  });

  it("is not told if it is the first one, or if only the choice to use it is repeated", async () => {
    const account = await changeAccount(app.context, app.account_id, {});
    const jim = await addPromoter(app.context, account, { email: "jim@example.com" });
    const details = { wallet_email: "jim@wallet.example" };
    await selectMethod(app.context, jim, { method: "paypal", details });
    await company(app, "PUT /payout_methods/3", { is_selected: true });
    expect(await sent()).toEqual([]);
  });
});

describe("money that did not arrive", () => {
  beforeEach(async () => {
    await makeBatch();
    await company(app, "POST /payments_batches/1/send", {});
    await runPaymentJob(app);
  });

  it("is told to its promoter once for each thing that happens", async () => {
    await settle(0, "UNCLAIMED");
    await settle(0, "UNCLAIMED");
    await settle(1, "FAILED");
    await runPaymentJob(app);
    expect((await sent()).toSorted()).toEqual([
      "jane@example.com: $120.00 waits for you",
      "joe@example.com: Your payment of $120.00 failed",
    ]);
    await settle(0, "RETURNED");
    await settle(0, "RETURNED");
    expect(await sent()).toEqual(["jane@example.com: Your payment of $120.00 came back"]);
    expect(mail.emails.at(-1)!.text).toContain(
      "Acme has paid you $120.00 by PayPal, and the money came back. You have lost nothing",
    );
  });

  it("is told although the promoter has unsubscribed, and not to an erased one", async () => {
    const at = "2026-03-04T05:06:07.890Z";
    await app.records.put("unsubscription", { account_id: app.account_id, promoter_id: 1, at });
    await settle(0, "UNCLAIMED");
    expect(await sent()).toEqual(["jane@example.com: $120.00 waits for you"]);
    await company(app, "POST /promoters/1/erase", {});
    await settle(0, "RETURNED");
    expect(await sent()).toEqual([]);
  });
});

it("tells the owners once of payments that nobody can decide", async () => {
  await makeBatch();
  await company(app, "POST /payments_batches/1/send", {});
  paypal.isAway = true;
  await runPaymentJob(app);
  expect(await sent()).toEqual([]);
  for (const now of ["2026-03-04T06:00:00.000Z", "2026-03-04T06:01:00.000Z", "2026-03-04T08:00:00.000Z"]) {
    app.setNow(now);
    await Promise.all([runPaymentJob(app), runPaymentJob(app)]);
  }
  expect(await sent()).toEqual(["owner@acme.example: It is unknown whether 2 payments arrived"]);
  expect(mail.emails.at(-1)!.text).toContain("what became of 2 payments of BATCH-1");
  const needed = (await app.v2("GET", "/payments?filters[needs_decision]=true")).body as unknown[];
  expect(needed.length).toBe(2);
});
