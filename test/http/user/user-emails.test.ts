import { afterEach, beforeEach, describe, expect, it } from "vitest";
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
const waiting = () => app.records.all("delivery");
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
    // Someone else wrote the name.
    expect(email!.text).not.toContain("Nia");
    const token = tokenIn(email!.text);
    expect(JSON.stringify(await waiting())).not.toContain(token);
    expect((await post("/session/link", { token, password: PASSWORD })).status).toBe(201);
  });

  it("reset a password, and answer strangers alike", async () => {
    for (const email of ["OWNER@acme.example", "stranger@acme.example"]) {
      expect(await outcome(post("/session/reset", { email }))).toEqual({
        status: 202,
        body: { message: "If a user has this address, an e-mail with a link is on its way." },
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

  it("are five a day for one address, and strangers can't use up those of a known browser", async () => {
    await app.close();
    app = await startApp("memory", { mailsByMailbox: 5 });
    const owner = await addUser(app, "owner");
    const signedIn = await post("/session", { email: owner.email, password: PASSWORD });
    const cookie = signedIn.headers.getSetCookie()[1]!.replace(/;.*/, "");
    for (let wish = 0; wish < 7; wish++) await post("/session/reset", { email: owner.email });
    await send();
    expect(mail.emails).toHaveLength(5);
    expect((await callWith(app, cookie)("POST /session/reset", { email: owner.email })).status).toBe(202);
    await send();
    expect(mail.emails).toHaveLength(6);
  });

  it("of an account are five a day for one address", async () => {
    await app.close();
    app = await startApp("memory", { mailsByMailbox: 5 });
    const owner = await callAs(app, await addUser(app, "owner"));
    const invite = (email: string) => outcome(owner("POST /users", { email, role: "viewer" }));
    for (const tag of ["1", "2", "3", "4"])
      expect((await invite(`nia+${tag}@acme.example`)).status).toBe(201);
    expect((await owner("POST /users/2/reset", {})).status).toBe(200);
    const refused = { message: "Too many e-mails to this address", code: "rate_limited" };
    expect(await invite("n.ia@acme.example")).toEqual({ status: 429, body: refused });
    expect((await invite("kim@acme.example")).status).toBe(201);
    await send();
    expect(mail.emails).toHaveLength(6);
  });

  it("promise no e-mail if the server sends none", async () => {
    await app.close();
    app = await startApp("memory", { has_mail: false });
    await addUser(app, "owner");
    for (const email of ["owner@acme.example", "stranger@acme.example"]) {
      expect(await outcome(post("/session/reset", { email }))).toEqual({
        status: 202,
        body: { message: "This server sends no e-mails." },
      });
    }
    expect(await waiting()).toEqual([]);
  });

  it("are not sent to someone who was removed meanwhile, nor a day late", async () => {
    const invited = await call("POST /users", { email: "new@acme.example", role: "viewer" });
    await call(`DELETE /users/${(invited.body as { id: number }).id}`);
    await call("POST /users", { email: "late@acme.example", role: "viewer" });
    app.setNow(new Date(Date.parse(NOW) + 25 * 60 * 60 * 1_000).toISOString());
    await send();
    expect(mail.emails).toEqual([]);
    expect((await waiting()).map(({ status, last_error }) => [status, last_error])).toEqual([
      ["failed", "The link is no longer needed"],
      ["failed", "The link is no longer needed"],
    ]);
  });

  it("are not promised without a mail server", async () => {
    await app.close();
    app = await startApp("memory", { has_mail: false });
    call = await callAs(app, await addUser(app, "owner"));
    const { body } = await call("POST /users", { email: "new@acme.example", role: "viewer" });
    expect(body).toMatchObject({ link: expect.stringContaining("/admin/welcome#"), is_mailed: false });
    expect((await post("/session/reset", { email: "owner@acme.example" })).status).toBe(202);
    expect(await waiting()).toEqual([]);
  });
});
