import { mkdirSync, writeFileSync } from "node:fs";
import { join as path } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setMailSender } from "../../../server/domain/program/account/settings.ts";
import { newJobs } from "../../../server/process/jobs.ts";
import { readTemplates, writeEmail } from "../../../server/outbox/email-template.ts";
import { openFiles } from "../../../server/storage/files.ts";
import { NOW, startApp, STORAGES, type TestApp } from "../../support/app.ts";
import { useMail } from "../../support/mail.ts";
import { appOutbox, workOff } from "../../support/outbox.ts";
import { addPayout, addPromoter, movePayout } from "../../support/payouts.ts";
import { temporaryFolder } from "../../support/server.ts";
import { company, join, outcome } from "../../support/v2.ts";

const EMAILS = ["signup_accepted", "accepted", "rejected", "new_referral", "payout_sent"];

describe.each(STORAGES)("e-mails to promoters on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const call = (request: string, body?: unknown) => outcome(company(app, request, body));
  const enable = (...kinds: string[]) =>
    call("PUT /campaigns/1", { emails: Object.fromEntries(kinds.map((kind) => [kind, true])) });
  const mail = useMail(() => app);
  const { send, subjects } = mail;

  it("welcomes a new promoter, in text and HTML, with a link to unsubscribe", async () => {
    await enable("signup_accepted");
    await join(app, "jane@example.com", { first_name: "<b>Jane</b>", ref_id: "jane" });
    await send();
    expect(mail.emails).toHaveLength(1);
    const [email] = mail.emails;
    expect(email).toMatchObject({ from: "mail@tidemark.example", to: ["jane@example.com"] });
    expect(email!.headers).toMatchObject({
      subject: "Welcome to Default campaign",
      from: "Tidemark <mail@tidemark.example>",
      to: "jane@example.com",
      "message-id": `<1.${Date.parse(NOW)}@tidemark.example>`,
      "auto-submitted": "auto-generated",
      "list-unsubscribe-post": "List-Unsubscribe=One-Click",
      "list-unsubscribe": expect.stringMatching(
        /^<https:\/\/track\.acme\.example\/unsubscribe\?cid=acme&promoter=1&token=[\w-]{43}>$/,
      ) as string,
    });
    expect(email!.text).toContain("Hello <b>Jane</b>,");
    expect(email!.text).toContain("https://www.acme.example/?via=jane");
    expect(email!.html).toContain("Hello &lt;b&gt;Jane&lt;/b&gt;,");
    expect(email!.html).not.toContain("<b>");
    expect(await send()).toBe(0);
  });

  it("sends none if the campaign has it off, or the request asked for silence", async () => {
    await join(app, "jane@example.com");
    await enable("signup_accepted");
    await join(app, "joe@example.com", { skip_email_notification: "true" });
    await call("POST /promoters", { email: "jim@example.com", drip_emails: false });
    await send();
    expect(mail.emails).toEqual([]);
  });

  it.each([
    ["accepted", ["accept"], ["You have been accepted to Default campaign"]],
    ["rejected", ["reject"], ["Your application to Default campaign"]],
    [
      "both",
      ["reject", "accept"],
      ["Your application to Default campaign", "You have been accepted to Default campaign"],
    ],
    ["neither, twice blocked", ["block", "block"], []],
    ["none who comes back from a block", ["block", "accept"], []],
  ])("reports a review: %s", async (_, actions, expected) => {
    await enable(...EMAILS);
    await call("PUT /campaigns/1", { auto_approve_promoters: false });
    await join(app, "jane@example.com");
    for (const action of actions) await call(`POST /promoters/${action}`, { ids: [1], campaign_id: 1 });
    await send();
    expect(subjects()).toEqual(expected);
  });

  it("reports a new referral, unless the sign-up asked for silence", async () => {
    await join(app, "jane@example.com", { ref_id: "jane" });
    await enable("new_referral");
    await app.v1("/track/signup", { email: "one@example.com", ref_id: "jane" });
    await app.v1("/track/signup", {
      email: "two@example.com",
      ref_id: "jane",
      skip_email_notification: "true",
    });
    await send();
    expect(subjects()).toEqual(["You have a new lead"]);
  });

  it("reports five new leads in an hour one by one, and the number of the others when it is over", async () => {
    await join(app, "jane@example.com", { ref_id: "jane" });
    await enable("new_referral");
    let signedUp = 0;
    const signUp = async (at: string) => {
      app.setNow(`2026-03-10T${at}:00Z`);
      await app.v1("/track/signup", { uid: `lead-${++signedUp}`, ref_id: "jane" });
      await send();
    };
    const settle = async () => {
      const jobs = newJobs(app.services, () => 0);
      for (let pass = 0; pass < 2; pass++) await jobs.pass();
      await jobs.stop();
      await send();
      return subjects();
    };
    for (const at of ["10:00", "10:01", "10:10", "10:20", "10:30", "10:40", "10:59"]) await signUp(at);
    const one = "You have a new lead";
    expect(await settle()).toEqual([one, one, one, one, one]);
    // Until the others are told, a further one waits with them.
    await signUp("11:05");
    expect(subjects()).toHaveLength(5);
    expect((await settle()).slice(5)).toEqual(["You have more new leads"]);
    expect(mail.emails.at(-1)!.text).toContain(
      "Further people have signed up at Acme through your link https://www.acme.example/?via=jane. Their number: 3.",
    );
    await signUp("11:06");
    app.setNow("2026-03-10T13:00:00Z");
    expect((await settle()).slice(6)).toEqual([one]);
    expect(await app.records.all("leadHour")).toEqual([]);
  });

  it("tells no number of leads to a promoter who was blocked since", async () => {
    await join(app, "jane@example.com", { ref_id: "jane" });
    await enable("new_referral");
    for (let at = 0; at < 6; at++) await app.v1("/track/signup", { uid: `lead-${at}`, ref_id: "jane" });
    await send();
    await call("POST /promoters/block", { ids: [1], campaign_id: 1 });
    app.setNow("2026-03-11T12:00:00Z");
    const jobs = newJobs(app.services, () => 0);
    for (let pass = 0; pass < 2; pass++) await jobs.pass();
    await jobs.stop();
    await send();
    expect(subjects()).toHaveLength(5);
    expect(await app.records.all("leadHour")).toEqual([]);
  });

  it("reports a payout that was sent", async () => {
    await enable("payout_sent");
    const account = (await app.records.get("account", app.account_id))!;
    const promoter = await addPromoter(app.context, account, { email: "jane@example.com" });
    const payout = await addPayout(app.context, promoter);
    await movePayout(app, { id: payout.id, to: "completed" });
    await send();
    expect(subjects()).toEqual(["Your payout was sent"]);
    expect(mail.emails[0]!.text).toContain("a payout of $120.00 for Default campaign.");
  });

  it("uses the account's own sender", async () => {
    await enable("signup_accepted");
    await setMailSender(app.context, app.account_id, "Acme <partners@tidemark.example>");
    await join(app, "jane@example.com");
    await send();
    expect(mail.emails[0]!.headers["from"]).toBe("Acme <partners@tidemark.example>");
    await expect(setMailSender(app.context, app.account_id, "x\r\nBcc: y@z")).rejects.toThrow(
      "is not an e-mail address",
    );
  });

  it("holds e-mails while mail is not set up, and sends them once it is", async () => {
    await enable("signup_accepted");
    await join(app, "jane@example.com");
    await workOff(appOutbox(app));
    await workOff(appOutbox(app));
    expect(await app.records.all("delivery")).toMatchObject([
      { status: "held", email: { to: "jane@example.com" } },
    ]);
    await send();
    expect(mail.emails).toHaveLength(1);
    expect(await send()).toBe(0);
  });

  it("retries what the mail server can't take now, and gives up what it never will", async () => {
    await enable("signup_accepted");
    mail.server.refuse(451);
    await join(app, "jane@example.com");
    await send();
    const delivery = () => app.records.get("delivery", 1);
    expect(await delivery()).toMatchObject({ status: "retrying", attempts: 1 });
    mail.server.refuse(550);
    app.setNow("2026-03-04T05:08:07.890Z");
    await send();
    expect(await delivery()).toMatchObject({ status: "failed", attempts: 2 });
    expect(mail.emails).toEqual([]);
  });

  it("sends no more e-mails to a promoter who unsubscribed", async () => {
    await enable("signup_accepted", "new_referral");
    await join(app, "jane@example.com", { ref_id: "jane" });
    await send();
    const link = new URL(/<(.+)>/.exec(mail.emails[0]!.headers["list-unsubscribe"]!)![1]!);
    const there = `${link.pathname}${link.search}`;
    expect((await app.request(there)).status).toBe(200);
    expect((await app.request(there.replace("promoter=1", "promoter=2"), { method: "POST" })).status).toBe(
      404,
    );
    expect((await app.request("/unsubscribe", { method: "POST" })).status).toBe(404);
    await app.v1("/track/signup", { email: "one@example.com", ref_id: "jane" });
    await send();
    expect(mail.emails).toHaveLength(2);
    const body = "List-Unsubscribe=One-Click";
    expect((await app.request(there, { method: "POST", body })).status).toBe(200);
    await app.v1("/track/signup", { email: "two@example.com", ref_id: "jane" });
    await send();
    expect(mail.emails).toHaveLength(2);
  });
});

it("uses the operator's templates if there are some", async () => {
  const { folder, remove } = temporaryFolder();
  mkdirSync(path(folder, "mail"), { recursive: true });
  writeFileSync(path(folder, "mail/accepted.html"), "<p>{{ first_name }} {{constructor}}</p>");
  writeFileSync(path(folder, "mail/accepted.subject.txt"), "Hi {{first_name}}\n");
  const templates = await readTemplates(openFiles(folder));
  remove();
  const values = { first_name: "A & B\r\nBcc: x", company_name: "Acme" };
  const email = writeEmail(templates, { kind: "accepted", values });
  expect(email.subject).toBe("Hi A & B Bcc: x");
  expect(email.html).toBe("<p>A &amp; B\r\nBcc: x </p>");
  const names = writeEmail(templates, {
    kind: "payout_sent",
    values: { first_name: "{{amount}}\n\nYou owe us", company_name: "Acme", amount: "$1" },
  });
  expect(names.text).toContain("Hello {{amount}} You owe us,");
  expect(email.text).toContain("Acme has accepted you.");
});
