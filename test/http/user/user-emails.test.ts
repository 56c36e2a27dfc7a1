import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { deliveries } from "../../../server/domain/webhook/delivery.ts";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { useMail } from "../../support/mail.ts";
import { addUser, callAs, callWith, PASSWORD, type SessionCall } from "../../support/users.ts";
import { outcome } from "../../support/v2.ts";

let app: TestApp;
let call: SessionCall;
beforeEach(async () => {
  app = await startApp();
  call = await callAs(app, await addUser(app, "owner"));
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const mail = useMail(() => app);
const { send } = mail;
const post = (path: string, body: unknown) => callWith(app, null)(`POST ${path}`, body);
const waiting = () => app.services.store.page(deliveries, "id", 0, [], { limit: 100 });
const tokenIn = (text = "") => /https:\/\/track\.acme\.example\/admin\/welcome#([\w-]{43})/.exec(text)?.[1];

describe("e-mails to users", () => {
  it("invite them with a link that no store holds and no answer shows", async () => {
    const invited = await call("POST /users", { email: "new@acme.example", role: "viewer", name: "Nia" });
    expect(invited.body).toMatchObject({ link: null, is_mailed: true });
    await send();
    const [email] = mail.emails;
    expect(email).toMatchObject({ to: ["new@acme.example"] });
    expect(email!.headers).toMatchObject({ subject: "Your invitation to the dashboard of Acme" });
    expect(email!.headers["list-unsubscribe"]).toBeUndefined();
    expect(email!.text).toContain("Hello Nia,");
    const token = tokenIn(email!.text);
    expect(JSON.stringify(await waiting())).not.toContain(token);
    expect((await post("/session/link", { token, password: PASSWORD })).status).toBe(201);
  });

  it("reset a password, and answer strangers alike", async () => {
    for (const email of ["OWNER@acme.example", "stranger@acme.example"]) {
      expect(await outcome(post("/session/reset", { email }))).toEqual({
        status: 202,
        body: { message: "If somebody signs in with this address, an e-mail with a link is on its way." },
      });
    }
    await expect.poll(waiting).toHaveLength(1);
    await send();
    expect(mail.emails.map(({ to }) => to)).toEqual([["owner@acme.example"]]);
    const token = tokenIn(mail.emails[0]!.text);
    expect((await post("/session/link/check", { token })).body).toEqual({
      kind: "reset",
      email: "owner@acme.example",
    });
    expect((await call("GET /session")).status).toBe(200);
    expect((await post("/session/link", { token, password: "another password" })).status).toBe(201);
    expect((await call("GET /session")).status).toBe(401);
  });

  it("promise no e-mail if the server sends none", async () => {
    await app.close();
    app = await startApp("memory", { hasMail: false });
    await addUser(app, "owner");
    for (const email of ["owner@acme.example", "stranger@acme.example"]) {
      expect(await outcome(post("/session/reset", { email }))).toEqual({
        status: 202,
        body: { message: "This server sends no e-mails." },
      });
    }
    expect(await waiting()).toEqual([]);
  });

  it("are not sent to somebody who was removed meanwhile, nor a day late", async () => {
    const invited = await call("POST /users", { email: "new@acme.example", role: "viewer" });
    await call(`DELETE /users/${(invited.body as { id: number }).id}`);
    await call("POST /users", { email: "late@acme.example", role: "viewer" });
    app.setNow(new Date(Date.parse(NOW) + 25 * 60 * 60 * 1_000).toISOString());
    await send();
    expect(mail.emails).toEqual([]);
    expect((await waiting()).map(({ status, lastError }) => [status, lastError])).toEqual([
      ["failed", "Nobody waits for this link any more"],
      ["failed", "Nobody waits for this link any more"],
    ]);
  });

  it("are not promised without a mail server", async () => {
    await app.close();
    app = await startApp("memory", { hasMail: false });
    call = await callAs(app, await addUser(app, "owner"));
    const { body } = await call("POST /users", { email: "new@acme.example", role: "viewer" });
    expect(body).toMatchObject({ link: expect.stringContaining("/admin/welcome#"), is_mailed: false });
    expect((await post("/session/reset", { email: "owner@acme.example" })).status).toBe(202);
    expect(await waiting()).toEqual([]);
  });
});
