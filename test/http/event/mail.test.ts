import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newMailer } from "../../../server/outgoing/mail.ts";
import { SENDER, startApp, type TestApp } from "../../support/app.ts";
import { freePort } from "../../support/free-port.ts";
import { startMailServer, type MailServer } from "../../support/mail-server.ts";
import { appOutbox, workOff } from "../../support/outbox.ts";
import { addUser, callAs, type SessionCall } from "../../support/users.ts";
import { company, join, outcome } from "../../support/v2.ts";
import { retryFailed } from "../../support/operations.ts";

let app: TestApp;
let server: MailServer;
beforeEach(async () => void (server = await startMailServer()));
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
  await server.close();
});

const start = async (options: Parameters<typeof startApp>[1]): Promise<void> => {
  app = await startApp("memory", options);
};
const signedIn = async (role: "owner" | "manager" | "viewer"): Promise<SessionCall> =>
  callAs(app, await addUser(app, role));

const NONE = { pending: 0, retrying: 0, held: 0, delivered: 0, failed: 0 };

describe("GET /api/v2/company/mail", () => {
  it("names the server and the sender, and never the password", async () => {
    await start({ smtpUrl: "smtps://post:s%40cret@mail.acme.example:465?pool=true" });
    const call = await signedIn("viewer");
    expect(await outcome(call("GET /mail"))).toEqual({
      status: 200,
      body: { is_set_up: true, server: "smtps://mail.acme.example:465", sender: SENDER, emails: NONE },
    });
  });

  it("shows the account's own sender", async () => {
    await start({});
    await app.v2("PUT", "/account", { mail_sender: "Acme <team@tidemark.example>" });
    expect((await app.v2("GET", "/mail")).body).toMatchObject({ sender: "Acme <team@tidemark.example>" });
  });

  it("counts the account's e-mails by what became of them", async () => {
    await start({ smtpUrl: server.url });
    const mailer = newMailer({ smtpUrl: server.url, from: SENDER });
    await company(app, "PUT /campaigns/1", { emails: { signup_accepted: true } });
    const emails = async () => ((await app.v2("GET", "/mail")).body as { emails: unknown }).emails;
    await join(app, "ann@example.com");
    await workOff(appOutbox(app, { mailer: null }));
    expect(await emails()).toEqual({ ...NONE, held: 1 });
    server.refuse(550);
    await workOff(appOutbox(app, { mailer }));
    expect(await emails()).toEqual({ ...NONE, failed: 1 });
    server.refuse(451);
    expect(await retryFailed(app, null)).toBe(1);
    expect(await emails()).toEqual({ ...NONE, pending: 1 });
    await workOff(appOutbox(app, { mailer }));
    expect(await emails()).toEqual({ ...NONE, retrying: 1 });
    server.refuse(null);
    await join(app, "bob@example.com");
    await workOff(appOutbox(app, { mailer }));
    expect(await emails()).toEqual({ ...NONE, retrying: 1, delivered: 1 });
    mailer.close();
  });

  it("says that mail is not set up", async () => {
    await start({ has_mail: false });
    const call = await signedIn("viewer");
    expect(await outcome(call("GET /mail"))).toEqual({
      status: 200,
      body: { is_set_up: false, server: null, sender: null, emails: NONE },
    });
  });
});

describe("POST /api/v2/company/mail/test", () => {
  it("sends an e-mail to the one who asked", async () => {
    await start({ smtpUrl: server.url });
    const call = await signedIn("manager");
    expect(await outcome(call("POST /mail/test"))).toEqual({
      status: 200,
      body: { sent: true, to: "manager@acme.example", response_code: null, error: null },
    });
    expect(server.emails).toMatchObject([
      {
        from: "mail@tidemark.example",
        to: ["manager@acme.example"],
        headers: { subject: "A test e-mail from Tidemark" },
      },
    ]);
  });

  it("sends from the account's own sender", async () => {
    await start({ smtpUrl: server.url });
    await app.v2("PUT", "/account", { mail_sender: "Acme <team@tidemark.example>" });
    await (
      await signedIn("owner")
    )("POST /mail/test");
    expect(server.emails.map(({ from }) => from)).toEqual(["team@tidemark.example"]);
  });

  it("shows why the mail server refused", async () => {
    await start({ smtpUrl: server.url });
    server.refuse(550);
    expect(await outcome((await signedIn("owner"))("POST /mail/test"))).toEqual({
      status: 200,
      body: {
        sent: false,
        to: "owner@acme.example",
        response_code: 550,
        error: "Can't send mail - all recipients were rejected: 550 No such recipient",
      },
    });
  });

  it("shows that no mail server answers, without the password", async () => {
    const port = await freePort();
    await start({ smtpUrl: `smtp://post:secret@127.0.0.1:${port}` });
    expect(await outcome((await signedIn("owner"))("POST /mail/test"))).toEqual({
      status: 200,
      body: {
        sent: false,
        to: "owner@acme.example",
        response_code: null,
        error: `connect ECONNREFUSED 127.0.0.1:${port}`,
      },
    });
  });

  it("is refused while mail is not set up, and to programs, which have no address", async () => {
    await start({ has_mail: false });
    expect(await outcome((await signedIn("owner"))("POST /mail/test"))).toEqual({
      status: 422,
      body: {
        message: "Mail is not set up: set SMTP_URL and start the server again",
        code: "operation_failed",
      },
    });
    expect(await outcome(app.v2("POST", "/mail/test"))).toEqual({
      status: 422,
      body: {
        message: "The test goes to the signed-in user, and an API key has no address",
        code: "operation_failed",
      },
    });
  });

  it("answers 429 after as many as its address may get", async () => {
    await start({ smtpUrl: server.url, signInEmails: 1 });
    const call = await signedIn("owner");
    expect((await call("POST /mail/test")).status).toBe(200);
    const answer = await call("POST /mail/test");
    expect(await outcome(Promise.resolve(answer))).toEqual({
      status: 429,
      body: { message: "Too many e-mails to this address", code: "rate_limited" },
    });
    expect(server.emails.length).toBe(1);
  });
});
