import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newJobs } from "../../../server/process/jobs.ts";
import { NOW, startApp, STORAGES, type TestApp } from "../../support/app.ts";
import { useMail } from "../../support/mail.ts";
import { erasePromoter } from "../../support/operations.ts";
import { v1 } from "../../support/calls.ts";
import { company, join, outcome } from "../../support/v2.ts";

const ALL = {
  signup_accepted: true,
  accepted: true,
  rejected: true,
  new_referral: true,
  new_commission: true,
  payout_sent: true,
};
const DAY_MS = 24 * 60 * 60 * 1_000;
const after = (days: number) => new Date(Date.parse(NOW) + days * DAY_MS).toISOString();

describe.each(STORAGES)("the company's e-mails on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
    await company(app, "PUT /campaigns/1", { emails: ALL });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });
  const mail = useMail(() => app);
  const { send, subjects } = mail;
  const call = (request: string, body?: unknown) => outcome(company(app, request, body));
  const write = (trigger_on: string, subject: string, more: object = {}) =>
    call("POST /emails", {
      name: subject,
      subject,
      content: "Hello {{first_name}}",
      allowed_campaign_ids: [],
      ...more,
      trigger: { enabled: true, trigger_on, settings: {}, ...(more as { trigger?: object }).trigger },
    });
  /** Runs all jobs until nothing is left, and sends. */
  const work = async () => {
    const jobs = newJobs(app.services, () => 0);
    for (let pass = 0; pass < 8; pass++) await jobs.pass();
    await jobs.stop();
    await send();
  };
  const recipients = () => mail.emails.map(({ to }) => to[0]);
  const counts = async () =>
    ((await call("GET /emails?sorting[subject]=asc")).body as { subject: string; sent_count: number }[]).map(
      (each) => each.sent_count,
    );

  it("take the place of a built-in one, the campaign's own before that for all, until they are off or deleted", async () => {
    await call("POST /campaigns", { name: "Second", landing_url: "https://www.acme.example/" });
    await write("promoter_accepted", "For all");
    await write("promoter_accepted", "For one", { allowed_campaign_ids: [1] });
    await write("promoter_accepted", "For another", { allowed_campaign_ids: [2] });
    const joinAndSend = async (name: string) => {
      await join(app, `${name}@example.com`);
      await send();
      return subjects().at(-1);
    };
    expect(await joinAndSend("a")).toBe("For one");
    await call("DELETE /emails/2");
    expect(await joinAndSend("b")).toBe("For all");
    await write("promoter_accepted", "Off", { trigger: { enabled: false } });
    expect(await joinAndSend("c")).toBe("For all");
    await call("DELETE /emails/1");
    expect(await joinAndSend("d")).toBe("Welcome to Default campaign");
    expect(mail.emails).toHaveLength(4);
    expect(mail.emails[0]!.text).toMatch(/^Hello\s/);
    expect(mail.emails[0]!.headers).toMatchObject({ "list-unsubscribe-post": "List-Unsubscribe=One-Click" });
  });

  it("speak of leads, commissions and payouts, unless the promoter wants none or the campaign sends none", async () => {
    await write("lead_signup", "A lead");
    await write("reward_created", "{{amount}} earned");
    await join(app, "jane@example.com", { ref_id: "jane" });
    await send();
    await app.v1("/track/signup", { email: "one@example.com", ref_id: "jane" });
    const gift = { commission_type: "custom", promoter_campaign_id: 1, amount: 2_500, notify_promoter: true };
    await call("POST /commissions", gift);
    await send();
    expect(subjects().slice(1).toSorted()).toEqual(["$25.00 earned", "A lead"]);
    await app.records.change("promoter", 1, { unwanted_emails: ["new_referral"] });
    await app.v1("/track/signup", { email: "two@example.com", ref_id: "jane" });
    await call("PUT /campaigns/1", { emails: { ...ALL, new_commission: false } });
    await call("POST /commissions", gift);
    await send();
    expect(mail.emails).toHaveLength(3);
    expect(await counts()).toEqual([1, 1]);
  });

  it("follow after a delay, once, unless they are off by then, or the promoter is gone", async () => {
    const delay = (delay_value: number) => ({
      trigger: { settings: { delay_interval: "day", delay_value } },
    });
    await write("promoter_accepted", "Day 3", delay(3));
    await write("promoter_accepted", "Day 5", delay(5));
    await write("promoter_accepted", "Day 5 too", delay(5));
    await join(app, "jane@example.com");
    await join(app, "joe@example.com");
    await join(app, "jim@example.com");
    await join(app, "jill@example.com");
    await send();
    expect(subjects()).toEqual(Array.from({ length: 4 }, () => "Welcome to Default campaign"));
    app.setNow(after(2.9));
    await work();
    expect(mail.emails).toHaveLength(4);
    await call("POST /promoters/block", { ids: [2], campaign_id: 1 });
    await erasePromoter(app, "3");
    await v1(app, "DELETE", "/promoters/delete", { id: "4" });
    app.setNow(after(3));
    await work();
    await work();
    expect([subjects().slice(4), recipients().slice(4)]).toEqual([["Day 3"], ["jane@example.com"]]);
    await call("DELETE /emails/2");
    app.setNow(after(9));
    await work();
    expect(subjects().slice(5)).toEqual(["Day 5 too"]);
    expect(await app.records.all("plannedEmail")).toEqual([]);
    expect(await counts()).toEqual([1, 1]);
  });

  it("go out as a broadcast, once to each accepted promoter who wants them, as a batch", async () => {
    await call("PUT /campaigns/1", { emails: {} });
    await write("broadcast", "News");
    await write("lead_signup", "No broadcast");
    for (const name of ["a", "b", "c", "d"]) await join(app, `${name}@example.com`);
    await call("POST /promoters/block", { ids: [2], campaign_id: 1 });
    await app.records.put("unsubscription", { account_id: app.account_id, promoter_id: 3, at: NOW });
    const batch = {
      id: 2,
      status: "in_progress",
      total: 3,
      selected_total: 3,
      processed_count: 0,
      failed_count: 0,
      action_label: "email/send",
      created_at: NOW,
      updated_at: NOW,
      meta: { email_id: 1 },
      progress: 0,
      processing_errors: [],
    };
    expect(await call("POST /emails/1/send_now")).toEqual({ status: 200, body: batch });
    expect(await call("POST /emails/1/send_now")).toEqual({
      status: 422,
      body: { message: "This e-mail is being sent.", code: "operation_failed" },
    });
    expect(await call("POST /emails/2/send_now")).toEqual({
      status: 422,
      body: {
        message: "Only an e-mail with the trigger broadcast can be sent now.",
        code: "operation_failed",
      },
    });
    await work();
    expect(recipients()).toEqual(["a@example.com", "d@example.com"]);
    const done = {
      ...batch,
      status: "completed",
      processed_count: 2,
      failed_count: 1,
      progress: 100,
      processing_errors: ["3: has unsubscribed"],
    };
    expect(await call("GET /batch_processes/2")).toEqual({ status: 200, body: done });
    await join(app, "e@example.com");
    expect(await call("POST /emails/1/send_now")).toMatchObject({ status: 200, body: { total: 4 } });
    await work();
    expect(recipients()).toEqual(["a@example.com", "d@example.com", "e@example.com"]);
    expect((await call("GET /emails/1")).body).toMatchObject({ sent_count: 3 });
  });

  it("go out again and again, in the account's time zone, and once for what was missed", async () => {
    await call("PUT /campaigns/1", { emails: {} });
    await join(app, "jane@example.com");
    // NOW is a Wednesday, at 5:06.
    const settings = { frequency: "weekly", day: 3, hour: 9, minute: 30 };
    await write("recurring", "Weekly", { trigger: { settings } });
    await work();
    app.setNow(after(0.15));
    await work();
    expect(subjects()).toEqual([]);
    app.setNow(after(0.2));
    await work();
    await work();
    expect(subjects()).toEqual(["Weekly"]);
    app.setNow(after(22));
    await work();
    await work();
    expect(subjects()).toEqual(["Weekly", "Weekly"]);
  });

  it("go to who reached a count, once, and to the inactive, once until they are active again", async () => {
    await call("PUT /campaigns/1", { emails: {} });
    await write("count_reached", "{{count}} leads", {
      trigger: { settings: { count: 2, metric: "referrals" } },
    });
    await write("inactivity", "{{days}} days", { trigger: { settings: { period_in_days: 30 } } });
    await join(app, "jane@example.com", { ref_id: "jane" });
    await join(app, "joe@example.com", { ref_id: "joe" });
    const lead = (email: string) => app.v1("/track/signup", { email, ref_id: "jane" });
    await lead("1@example.com");
    await work();
    expect(subjects()).toEqual([]);
    await lead("2@example.com");
    await work();
    await lead("3@example.com");
    await work();
    expect([subjects(), recipients()]).toEqual([["2 leads"], ["jane@example.com"]]);
    app.setNow(after(29));
    await lead("4@example.com");
    await work();
    expect(mail.emails).toHaveLength(1);
    app.setNow(after(31));
    await work();
    await work();
    expect([subjects()[1], recipients()[1]]).toEqual(["30 days", "joe@example.com"]);
    app.setNow(after(70));
    await work();
    expect(recipients().slice(2)).toEqual(["jane@example.com"]);
    await lead("5@example.com");
    app.setNow(after(120));
    await work();
    expect(recipients().slice(3)).toEqual(["jane@example.com"]);
  });
});
