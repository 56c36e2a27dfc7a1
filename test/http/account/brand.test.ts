import { rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openMail, newMailer } from "../../../server/outgoing/mail.ts";
import { SENDER, startApp, type TestApp } from "../../support/app.ts";
import { useMail } from "../../support/mail.ts";
import { exported, imported } from "../../support/exports.ts";
import { memoryEngine, newStore } from "../../support/memory-engine.ts";
import { addAccount } from "../../support/operations.ts";
import { addUser, callAs } from "../../support/users.ts";
import { company, invalid, join as joinProgram, outcome } from "../../support/v2.ts";

let app: TestApp;
beforeEach(async () => void (app = await startApp()));
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

/** A PNG of one pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const ICO = Buffer.concat([
  Buffer.from([0, 0, 1, 0, 1, 0, 16, 16, 0, 0, 1, 0, 32, 0]),
  Buffer.from([8, 0, 0, 0, 22, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
]).toString("base64");

const NONE = {
  name: null,
  color: null,
  sender_name: null,
  reply_to: null,
  shown: { name: "Acme", logo_url: null, favicon_url: null, colors: null },
  sender: { from: SENDER, reply_to: null },
};
const COLORS = {
  button: "#ff6600",
  button_hover: "#ff8533",
  on_button: "#000000",
  light: { link: "#ba4a00", link_hover: "#8c3800", soft: "#ffede0" },
  dark: { link: "#ff6600", link_hover: "#ff8c40", soft: "#31261a" },
};

const change = (path: string, body: unknown) => app.v2("PUT", path, body);
const upload = (image: "logo" | "favicon", file: string) => change(`/brand/${image}`, { file });
interface Shown {
  shown: { logo_url: string | null; favicon_url: string | null };
}
const fileOf = (body: unknown) => (body as Shown).shown.logo_url ?? "";
const served = (address: string) => app.request(new URL(address).pathname);

describe("the brand", () => {
  it("is the account's name and the usual colours at first", async () => {
    expect(await outcome(app.v2("GET", "/brand"))).toEqual({ status: 200, body: NONE });
  });

  it("names the company in the menu of the dashboard", async () => {
    const call = await callAs(app, await addUser(app, "owner"));
    const account = { id: "acme", name: "Acme", currency: "USD", time_zone: "UTC" };
    expect((await call("GET /session")).body).toMatchObject({ account: { ...account, shown_name: "Acme" } });
    await change("/brand", { name: "Acme Partners" });
    expect((await call("GET /session")).body).toMatchObject({
      account: { ...account, shown_name: "Acme Partners" },
    });
  });

  it("is changed field by field, and null removes a field", async () => {
    const given = {
      name: "Acme Partners",
      color: "#FF6600",
      sender_name: "Ann of Acme",
      reply_to: "a@acme.example",
    };
    const all = {
      ...given,
      color: "#ff6600",
      shown: { name: "Acme Partners", logo_url: null, favicon_url: null, colors: COLORS },
      sender: { from: "Ann of Acme <mail@tidemark.example>", reply_to: "a@acme.example" },
    };
    expect(await outcome(change("/brand", given))).toEqual({ status: 200, body: all });
    expect(await outcome(change("/brand", { name: null, color: "", sender_name: null }))).toEqual({
      status: 200,
      body: { ...NONE, reply_to: "a@acme.example", sender: { from: SENDER, reply_to: "a@acme.example" } },
    });
  });

  it.each([
    ["color", "red", "must be a colour such as #0b6e69"],
    ["color", "#ff6600;}", "must be a colour such as #0b6e69"],
    ["name", "Acme\r\nBcc: eve@evil.example", "must not contain line breaks, < or >"],
    ["sender_name", "PayPal <service@paypal.example>", "must not contain line breaks, < or >"],
    ["reply_to", "nobody", "is invalid"],
  ])("refuses the %s %s", async (field, value, fault) => {
    expect(await outcome(change("/brand", { [field]: value }))).toEqual(invalid({ [field]: [fault] }));
    expect((await app.v2("GET", "/brand")).body).toEqual(NONE);
  });

  it("tries a colour without saving it", async () => {
    expect(await outcome(app.v2("GET", "/brand/colors?color=%23ff6600"))).toEqual({
      status: 200,
      body: COLORS,
    });
    expect((await app.v2("GET", "/brand")).body).toEqual(NONE);
  });

  it("is in the audit log with who changed it", async () => {
    const call = await callAs(app, await addUser(app, "manager"));
    expect((await call("PUT /brand", { name: "Acme Partners" })).status).toBe(200);
    const { body } = await app.v2("GET", "/audit_log");
    expect((body as unknown[])[0]).toMatchObject({
      action: "updated",
      entity: "account",
      actor: { kind: "user", name: "manager@acme.example" },
    });
    const viewer = await callAs(app, await addUser(app, "viewer"));
    expect((await viewer("PUT /brand", { name: "Mine" })).status).toBe(403);
    expect((await viewer("PUT /brand/logo", { file: PNG })).status).toBe(403);
  });
});

describe("the images of a brand", () => {
  it("are kept by their bytes and served as images", async () => {
    const { status, body } = await upload("logo", `data:text/html;base64,${PNG}`);
    expect(status).toBe(200);
    const response = await served(fileOf(body));
    expect(fileOf(body)).toMatch(/^https:\/\/track\.acme\.example\/uploads\/[\w-]{22}\.png$/);
    expect(Buffer.from(await response.arrayBuffer()).toString("base64")).toBe(PNG);
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      "content-type": "image/png",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    });
  });

  it("are replaced and deleted with their files", async () => {
    const first = fileOf((await upload("logo", PNG)).body);
    const second = fileOf((await upload("logo", PNG)).body);
    expect([(await served(first)).status, (await served(second)).status]).toEqual([404, 200]);
    expect(await outcome(app.v2("DELETE", "/brand/logo"))).toEqual({ status: 200, body: NONE });
    expect((await served(second)).status).toBe(404);
  });

  it("may be an ICO file for the tab, but not for the logo", async () => {
    const { body } = await upload("favicon", ICO);
    const address = (body as Shown).shown.favicon_url ?? "";
    expect((await served(address)).headers.get("content-type")).toBe("image/x-icon");
    expect(await (await app.request("/portal")).text()).toContain(`<link rel="icon" href="${address}">`);
    const asLogo = invalid({ file: ["must be a PNG, JPEG, GIF or WebP image"] });
    expect(await outcome(upload("logo", ICO))).toEqual(asLogo);
  });

  const base64 = (text: string) => Buffer.from(text).toString("base64");
  it.each([
    [
      "an SVG image with a script",
      base64('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
    ],
    ["a page", base64("<!doctype html><script>alert(1)</script>")],
    ["a script", base64("alert(1)")],
    ["a PDF file", base64("%PDF-1.7")],
    ["a ZIP file", base64("PK\u0003\u0004")],
    ["garbage", base64("\u0000\u0001\u0002")],
  ])("are not %s", async (_, file) => {
    const keys = async () => (await app.v2("GET", "/brand")).body;
    expect(await outcome(upload("logo", file))).toEqual(
      invalid({ file: ["must be a PNG, JPEG, GIF or WebP image"] }),
    );
    expect(await outcome(upload("favicon", file))).toEqual(invalid({ file: ["must be a PNG or ICO image"] }));
    expect(await keys()).toEqual(NONE);
  });

  it.each([[{ toString: 1 }], [["iVBORw0KGgo="]], [7], [true], ["äöü"]])(
    "are bytes in base64, not %j",
    async (file) => {
      expect(await outcome(change("/brand/logo", { file }))).toEqual(
        invalid({ file: ["must be the file's bytes in base64"] }),
      );
    },
  );

  it("are at most 1 MiB, and there must be one", async () => {
    const large = Buffer.alloc(1024 * 1024 + 1).toString("base64");
    expect(await outcome(upload("logo", large))).toMatchObject({ status: 413 });
    expect(await outcome(change("/brand/logo", {}))).toEqual(invalid({ file: ["can't be blank"] }));
  });

  it("have at most 4,000 pixels on each side", async () => {
    const huge = Buffer.from(PNG, "base64");
    huge.writeUInt32BE(4_001, 16);
    expect(await outcome(upload("logo", huge.toString("base64")))).toEqual(
      invalid({ file: ["must have at most 4000 pixels on each side"] }),
    );
  });

  it("of another account stay as they are, and this account's key changes only its own", async () => {
    const logo = fileOf((await upload("logo", PNG)).body);
    await addAccount(app, {
      name: "Beta",
      public_id: "beta",
      key: "key-of-beta",
      landing_url: logo,
    });
    const headers = { authorization: "Bearer key-of-beta", "account-id": "beta" };
    expect((await app.v2("DELETE", "/brand/logo", undefined, headers)).status).toBe(200);
    expect((await app.v2("GET", "/brand", undefined, headers)).body).toMatchObject({
      shown: { name: "Beta", logo_url: null },
    });
    expect((await served(logo)).status).toBe(200);
    // Now nothing says whose portal this is, unless the address does.
    const page = async (path: string) => (await app.request(path)).text();
    expect(await page("/portal")).not.toContain("tidemark-brand");
    expect(await page("/portal?account=beta")).toContain("&quot;name&quot;:&quot;Beta&quot;");
  });
});

it("comes along when the store is exported and imported", async () => {
  const [from, to] = [await memoryEngine(), await memoryEngine()];
  const first = await startApp("memory", { store: newStore(from) });
  await first.v2("PUT", "/brand", { name: "Acme Partners", color: "#ff6600" });
  const { body } = await first.v2("PUT", "/brand/logo", { file: PNG });
  const folder = await exported(from);
  await imported(to, folder);
  const second = await startApp("memory", { store: newStore(to), isFilled: true });
  expect((await second.v2("GET", "/brand")).body).toEqual(body);
  await first.close();
  await second.close();
  rmSync(folder, { recursive: true });
});

describe("e-mails to promoters", () => {
  const mail = useMail(() => app);
  const given = { name: 'Acme & "Sons"', color: "#ffcc00", reply_to: "partners@acme.example" };

  async function accepted() {
    await company(app, "PUT /campaigns/1", { emails: { signup_accepted: true } });
    await joinProgram(app, "jane@example.com", { first_name: "Jane", ref_id: "jane" });
    await mail.send();
    return mail.emails[0]!;
  }

  it("stay plain without a brand", async () => {
    const { headers, html } = await accepted();
    expect([headers["from"], headers["reply-to"]]).toEqual([SENDER, undefined]);
    expect(html).not.toContain("style");
  });

  it("come from its name, ask for replies to its address, and are in its colours", async () => {
    await change("/brand", given);
    const { from, headers, text, html } = await accepted();
    expect(from).toBe("mail@tidemark.example");
    expect(headers["from"]).toBe('"Acme & \\"Sons\\"" <mail@tidemark.example>');
    expect(headers["reply-to"]).toBe("partners@acme.example");
    expect(text).toContain('You are now a promoter of Acme & "Sons".');
    expect(html).toContain('<p style="font-size:18px;font-weight:bold">Acme &amp; &quot;Sons&quot;</p>');
    // Yellow can't be read on white, so that links are darker.
    expect(html).toContain('<a href="https://www.acme.example/?via=jane" style="color:#856a00">');
    expect(html).toMatch(/<a href="https:[^"]*unsubscribe[^"]*" style="color:#856a00">/);
  });

  it("show the logo instead of the name, and buttons in the colour", async () => {
    await change("/brand", given);
    const logo = fileOf((await upload("logo", PNG)).body);
    const { body } = await app.v2("GET", "/campaigns/1/email_preview?kind=payout_sent");
    const { html } = body as { html: string };
    expect(html).toContain(`<img src="${logo}" alt="Acme &amp; &quot;Sons&quot;" height="40">`);
    const own = { subject: "News", content: "Hello\n\n{{portal_url}}" };
    const preview = await app.v2("POST", "/emails/preview", { ...own, trigger_on: "broadcast" });
    const button = /<a href="https:\/\/track.acme.example\/portal" style="([^"]*)">Continue<\/a>/;
    const [, style] = button.exec((preview.body as { html: string }).html) ?? [];
    expect(style).toContain("background-color:#ffcc00;color:#000000");
  });

  it("come from an own address only if the operator allows its domain, otherwise it gets the replies", async () => {
    await change("/account", { mail_sender: "Acme <team@acme.example>" });
    const { from, headers } = await accepted();
    expect([from, headers["from"], headers["reply-to"]]).toEqual([
      "mail@tidemark.example",
      "Acme <mail@tidemark.example>",
      "team@acme.example",
    ]);
    const domains = ["acme.example"];
    const mailer = newMailer({ smtpUrl: mail.server.url, from: SENDER, domains });
    await joinProgram(app, "joe@example.com");
    await mail.send({ mailer });
    mailer.close();
    const second = mail.emails[1]!;
    expect([second.from, second.headers["from"], second.headers["reply-to"]]).toEqual([
      "team@acme.example",
      "Acme <team@acme.example>",
      undefined,
    ]);
    app.services.mail = openMail({ smtpUrl: mail.server.url, from: SENDER, domains });
    expect((await app.v2("GET", "/brand")).body).toMatchObject({
      sender: { from: "Acme <team@acme.example>", reply_to: null },
    });
  });
});
