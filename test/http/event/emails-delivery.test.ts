import { createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newMailer } from "../../../server/outgoing/mail.ts";
import { EMAIL_TEXTS } from "../../../server/outbox/email-template.ts";
import { NOW, SENDER, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { useMail } from "../../support/mail.ts";
import { appOutbox, workOff } from "../../support/outbox.ts";
import { company, join } from "../../support/v2.ts";
import { countDeliveries, retryFailed } from "../../support/operations.ts";

describe.each(STORAGES)("sending e-mails on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
    await company(app, "PUT /campaigns/1", { emails: { signup_accepted: true, new_referral: true } });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const mail = useMail(() => app);
  const { send } = mail;
  const emailDelivery = async (id = 1) => (await app.records.get("delivery", id))!;
  const recipients = () => mail.emails.flatMap(({ to }) => to);

  it.each([
    ["recipient", 451, "retrying"],
    ["recipient", 550, "failed"],
    ["email", 451, "retrying"],
    ["email", 554, "failed"],
    ["sender", 451, "retrying"],
    // The operator can mend this, so the e-mail waits.
    ["sender", 550, "retrying"],
  ] as const)("ends for a %s refused with %d as %s", async (what, status, expected) => {
    mail.server.refuse(status, what);
    await join(app, "jane@example.com");
    await send();
    expect(await emailDelivery()).toMatchObject({ status: expected, attempts: 1 });
    mail.server.refuse(null);
    app.setNow("2026-03-04T06:00:00.000Z");
    await send();
    expect(recipients()).toEqual(expected === "failed" ? [] : ["jane@example.com"]);
  });

  it("lists the held and failed e-mails for the operator, without names or addresses", async () => {
    const lines: string[] = [];
    const log = pino(
      { level: "info", base: null, timestamp: false },
      { write: (line: string) => void lines.push(line) },
    );
    await join(app, "jane@example.com", { first_name: "Jane" });
    await workOff(appOutbox(app, { log }));
    mail.server.refuse(550);
    await send({ log });
    const line = { account: app.account_id, delivery: 1, email: "signup_accepted", promoter: 1 };
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { level: 40, ...line, status: null, msg: "e-mail held until SMTP_URL is set" },
      { level: 40, ...line, status: 550, msg: "an e-mail was given up" },
    ]);
  });

  it("logs nothing about an e-mail whose reader is deleted", async () => {
    const lines: string[] = [];
    const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
    await join(app, "jane@example.com");
    await workOff(appOutbox(app));
    const headers = { "x-api-key": "key-of-acme" };
    await app.request("/api/v1/promoters/delete?id=1", { method: "DELETE", headers });
    await send({ log });
    expect(await emailDelivery()).toMatchObject({ status: "failed", last_error: "The promoter was deleted" });
    expect([lines, recipients()]).toEqual([[], []]);
  });

  it("sends the other e-mails if one is refused", async () => {
    mail.server.refuse(550);
    await join(app, "gone@example.com");
    await send();
    mail.server.refuse(null);
    await Promise.all(["a", "b", "c"].map((name) => join(app, `${name}@example.com`)));
    await send();
    expect(recipients().toSorted()).toEqual(["a@example.com", "b@example.com", "c@example.com"]);
  });

  it("gives up after ten attempts, and starts again at the operator's command", async () => {
    mail.server.refuse(451);
    await join(app, "jane@example.com");
    let at = Date.parse(NOW);
    for (let failed = 0; failed < 12; failed++) {
      await send();
      app.setNow(new Date((at += 2 ** failed * 120_000)).toISOString());
    }
    expect(await emailDelivery()).toMatchObject({ status: "failed", attempts: 10 });
    mail.server.refuse(null);
    expect(await retryFailed(app, null)).toBe(1);
    await send();
    expect(recipients()).toEqual(["jane@example.com"]);
    expect(await countDeliveries(app, null)).toEqual({
      pending: 0,
      retrying: 0,
      held: 0,
      delivered: 1,
      failed: 0,
    });
  });

  it("follows a promoter to a new address, and ends when they are deleted", async () => {
    mail.server.refuse(451);
    await join(app, "jane@example.com");
    await join(app, "joe@example.com");
    await send();
    mail.server.refuse(null);
    await app.v1("/promoters/update", { id: "1", email: "new@example.com" });
    const headers = { "x-api-key": "key-of-acme" };
    await app.request("/api/v1/promoters/delete?id=2", { method: "DELETE", headers });
    app.setNow("2026-03-04T06:00:00.000Z");
    await send();
    expect(recipients()).toEqual(["new@example.com"]);
    expect(await emailDelivery(2)).toMatchObject({
      status: "failed",
      last_error: "The promoter was deleted",
    });
  });

  it("recognises a promoter's new address as theirs", async () => {
    await join(app, "jane@example.com");
    await app.v1("/promoters/update", { id: "1", email: "new@example.com" });
    for (const email of ["new+2@example.com", "jane+2@example.com"]) {
      const { promoter_id } = await join(app, email);
      const { body } = await company(app, `GET /promoters/${promoter_id}`);
      expect(body).toMatchObject({ fraud_suspicions: ["same_promoter_email"] });
    }
  });

  it("waits without any work while mail is not set up any more", async () => {
    mail.server.refuse(451);
    await join(app, "jane@example.com");
    await send();
    app.setNow("2026-03-04T06:00:00.000Z");
    expect(await appOutbox(app).pass()).toBe(0);
    mail.server.refuse(null);
    await send();
    expect(recipients()).toEqual(["jane@example.com"]);
  });

  it("waits while the operator's own texts can't be read", async () => {
    await join(app, "jane@example.com");
    await send({ templates: () => null });
    expect(mail.emails).toEqual([]);
    await send();
    expect(recipients()).toEqual(["jane@example.com"]);
  });

  it("lets no name add headers or markup", async () => {
    const signup_accepted = { ...EMAIL_TEXTS.signup_accepted, subject: "{{first_name}}, welcome" };
    const templates = { ...EMAIL_TEXTS, signup_accepted };
    const first_name = 'Jane\r\nBcc: eve@x.example\r\n\r\n<img "x">{{amount}}';
    await join(app, "jane@example.com", { first_name });
    await send({ templates: () => templates });
    expect(mail.emails).toHaveLength(1);
    const [{ headers, to, text, html }] = mail.emails as [(typeof mail.emails)[0]];
    expect(to).toEqual(["jane@example.com"]);
    expect(headers).not.toHaveProperty("bcc");
    expect(headers["subject"]).toBe('Jane Bcc: eve@x.example <img "x">{{amount}}, welcome');
    expect(text).toContain('Hello Jane Bcc: eve@x.example <img "x">{{amount}},');
    expect(html).toContain("&lt;img &quot;x&quot;&gt;{{amount}}");
    expect(html).not.toContain("<img");
  });
});

it("retries when a mail server says nothing or hangs up", async () => {
  const sockets = new Set<Socket>();
  let isSilent = true;
  const server: Server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    if (!isSilent) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const smtpUrl = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const mailer = newMailer({ smtpUrl, from: SENDER, timeoutMs: 200 });
  const mail = {
    to: "jane@example.com",
    sender: { address: null, name: null, reply_to: null },
    subject: "s",
    text: "t",
    html: "h",
    unsubscribeUrl: null,
    messageId: "1",
  };
  expect(await mailer.send(mail)).toEqual({
    status: null,
    error: expect.stringMatching(/timeout|greeting/i) as string,
    isFinal: false,
  });
  isSilent = false;
  expect(await mailer.send(mail)).toEqual({
    status: null,
    error: expect.any(String) as string,
    isFinal: false,
  });
  mailer.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
  expect(await mailer.send(mail)).toMatchObject({ isFinal: false });
});
