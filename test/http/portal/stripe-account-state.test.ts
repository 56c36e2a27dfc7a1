import { afterEach, beforeEach, expect, it } from "vitest";
import { LANGUAGES } from "../../../server/languages/languages.ts";
import { ALLOWED } from "../../../server/request/services.ts";
import { startApp, type TestApp } from "../../support/app.ts";
import { useMail } from "../../support/mail.ts";
import { connectTo, runPaymentJob } from "../../support/payments.ts";
import { visitingPromoter } from "../../support/portal.ts";
import { startStripeConnectApi, type StripeConnectApi } from "../../support/stripe-connect-api.ts";

let app: TestApp;
let stripe: StripeConnectApi;
let jane: Awaited<ReturnType<typeof visitingPromoter>>;
beforeEach(async () => {
  app = await startApp();
  stripe = await startStripeConnectApi(() => app.services.clock());
  await connectTo(app, "stripe", stripe.url, "whsec_1");
  jane = await visitingPromoter(app, "jane@example.com");
  await jane.call("POST /stripe_account", { country: "US" });
});
afterEach(async () => {
  await stripe.close();
  await app.close();
  expect(app.bugs).toEqual([]);
});
const mail = useMail(() => app);

/** Lets the account change, asks for it twice by each way, and resolves to the subjects of the e-mails since. */
const after = async (change: Partial<StripeConnectApi["accounts"][number]>) => {
  Object.assign(stripe.accounts[0]!, change);
  const event = stripe.event("acct_1");
  await app.request("/hooks/payments/stripe/acme", { method: "POST", ...event });
  await Promise.all([jane.call("POST /stripe_account/check"), jane.call("POST /stripe_account/check")]);
  await runPaymentJob(app);
  return subjects();
};
const subjects = async () => {
  const from = mail.emails.length;
  await mail.send();
  return mail.emails.slice(from).map(({ headers }) => headers["subject"]);
};
const active: Partial<StripeConnectApi["accounts"][number]> = { transfers: "active", missing: [] };

it("tells the promoter each change once, and nothing while the account is opened or checked", async () => {
  expect(await subjects()).toEqual([]);
  expect(await after({ transfers: "pending", missing: [] })).toEqual([]);
  expect(await after({ missing: ["individual.verification.document"] })).toEqual([
    "Stripe needs more from you",
  ]);
  expect(await after(active)).toEqual(["You can be paid by Stripe"]);
  app.setNow("2026-03-04T05:16:07.890Z");
  expect(await after(active)).toEqual([]);
  const restricted = "You can't be paid by Stripe at the moment";
  expect(await after({ transfers: "inactive", missing: [] })).toEqual([restricted]);
  expect(await after(active)).toEqual(["You can be paid by Stripe"]);
  app.setNow("2026-03-04T05:26:07.890Z");
  expect(await after({ transfers: "inactive", missing: ["external_account"] })).toEqual([
    "Stripe needs more from you",
  ]);
  expect(await after({ transfers: "inactive", disabledReason: "rejected.fraud" })).toEqual([restricted]);
  expect(mail.emails.at(-1)!.text.replaceAll("\r", "")).toBe(
    "Hello,\n\nYour account at Stripe is restricted, and Acme can't pay you by it at the moment. You have lost nothing. Your portal shows what you can do; you can also choose another payout method there: https://track.acme.example/portal\n\nAcme",
  );
});

it.each(LANGUAGES)("tells it in the language %s", async (language) => {
  await jane.call("PUT /language", { language });
  await after(active);
  const [subject, text] = [mail.emails.at(-1)!.headers["subject"], mail.emails.at(-1)!.text];
  expect(subject).toContain("Stripe");
  expect(subject === "You can be paid by Stripe").toBe(language === "en");
  expect(text).not.toContain("{{");
});

it("is limited for each promoter", async () => {
  await app.close();
  app = await startApp("memory", { outsideChecks: ALLOWED.outsideChecks });
  await connectTo(app, "stripe", stripe.url, "whsec_1");
  jane = await visitingPromoter(app, "jane@example.com");
  const joe = await visitingPromoter(app, "joe@example.com");
  const check = async (by: typeof jane) => (await by.call("POST /stripe_account/check")).status;
  const statuses: number[] = [];
  for (let calls = 0; calls < 11; calls += 1) statuses.push(await check(jane));
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
  expect(await jane.outcome("POST /stripe_account", { country: "US" })).toEqual({
    status: 429,
    body: { code: "rate_limited", message: "Too many requests. Wait a minute" },
  });
  expect(await check(joe)).toBe(200);
});
