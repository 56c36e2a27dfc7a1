import { afterEach, beforeEach, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { useMail } from "../../support/mail.ts";
import { visitingPromoter, type PortalBrowser } from "../../support/portal.ts";
import { company, reward } from "../../support/v2.ts";

let app: TestApp;
let jane: PortalBrowser;
beforeEach(async () => {
  app = await startApp();
  jane = await visitingPromoter(app, "jane@example.com", { ref_id: "jane" });
  const rewards = [{ reward_id: await reward(app) }];
  await company(app, "PUT /campaigns/1", {
    rewards_for_promoters: rewards,
    emails: { new_commission: true },
  });
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const mail = useMail(() => app);
const { send } = mail;
const sell = (params: Record<string, string> = {}) =>
  app.v1("/track/sale", {
    email: "sam@example.net",
    event_id: "s",
    amount: "10000",
    ref_id: "jane",
    ...params,
  });
const give = (over: object = {}) =>
  company(app, "POST /commissions", {
    commission_type: "custom",
    promoter_campaign_id: 1,
    amount: 500,
    ...over,
  });

const giveByV1 = (params: Record<string, string> = {}) =>
  app.v1("/rewards/create", { ref_id: "jane", reward_type: "cash", amount: "900", ...params });

it("tells promoters what a sale has earned them, and where to see it", async () => {
  await sell();
  await send();
  expect(mail.emails.map(({ to, headers }) => [to, headers["subject"]])).toEqual([
    [["jane@example.com"], "You have earned a commission"],
  ]);
  const [email] = mail.emails;
  expect(email?.text).toContain("Acme has credited you $20.00 for Default campaign.");
  expect(email?.text).toContain("https://track.acme.example/portal");
  expect(email?.html).toContain('<a href="https://track.acme.example/portal">');
});

it("tells them of commissions given by hand as `notify_promoter` of V2 and V1's defaults say", async () => {
  await give();
  await give({ notify_promoter: true, amount: 700 });
  await giveByV1();
  await send();
  expect(mail.emails.map(({ text }) => /\$[\d.]+/.exec(text)?.[0])).toEqual(["$7.00", "$9.00"]);
});

it.each([
  ["the request asks for silence", () => sell({ skip_email_notification: "true" })],
  ["a request of V1 asks for silence", () => giveByV1({ skip_email_notification: "true" })],
  ["it takes another back", () => give({ amount: -500, notify_promoter: true })],
  [
    "it waits for approval",
    async () => {
      await company(app, "PUT /campaigns/1", { auto_approve_commissions: false });
      return sell();
    },
  ],
  [
    "the promoter does not want to know",
    async () => {
      await jane.call("PUT /email_settings/1", { emails_opt_new_commission: false });
      return sell();
    },
  ],
])("sends nothing if %s", async (_, earn) => {
  expect((await earn()).status).toBe(200);
  await send();
  expect(mail.emails).toEqual([]);
});

it("sends those that a promoter turns on again after unsubscribing from all", async () => {
  const none = {
    emails_opt_drip: false,
    emails_opt_new_commission: false,
    emails_opt_new_referral: false,
    emails_opt_payout: false,
    marketing_consent: false,
  };
  await jane.call("PUT /email_settings/1", none);
  await jane.call("PUT /email_settings/1", { emails_opt_new_commission: true });
  await sell();
  await send();
  expect(mail.emails).toHaveLength(1);
});
