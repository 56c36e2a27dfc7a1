import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Language } from "../../../server/languages/languages.ts";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { useMail } from "../../support/mail.ts";
import { addUser, callAs } from "../../support/users.ts";
import { company, invalid, join, outcome } from "../../support/v2.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});
const mail = useMail(() => app);
const call = (request: string, body?: unknown) => outcome(company(app, request, body));

const TRANSLATIONS = [
  { language: "de", subject: "Ihr Link, {{first_name}}", content: "Er ist {{ref_link}}" },
  { language: "he", subject: null, content: "<p>שלום {{first_name}}</p>" },
  { language: "ja", subject: "リンク", content: null },
];
const WELCOME = {
  name: "Welcome",
  subject: "Your link, {{first_name}}",
  content: "It is {{ref_link}}",
  translations: TRANSLATIONS,
  allowed_campaign_ids: [],
  trigger: { enabled: true, trigger_on: "promoter_accepted", settings: {} },
};
const NO_SETTINGS = {
  delay_interval: null,
  delay_value: null,
  count: null,
  metric: null,
  period_in_days: null,
  frequency: null,
  day: null,
  hour: null,
  minute: null,
};
const SAVED = {
  ...WELCOME,
  id: 1,
  trigger: { ...WELCOME.trigger, settings: NO_SETTINGS },
  sent_count: 0,
  allowed_campaigns: [],
  created_at: NOW,
  updated_at: NOW,
};

describe("the company's own e-mails in several languages", () => {
  it("are kept with each language, copied, and left as they are by a change that names none", async () => {
    expect(await call("POST /emails", WELCOME)).toEqual({ status: 200, body: SAVED });
    expect(await call("POST /emails/1/copy")).toEqual({
      status: 200,
      body: {
        ...SAVED,
        id: 2,
        name: "Welcome (copy)",
        trigger: { ...SAVED.trigger, enabled: false },
      },
    });
    const { translations, ...others } = WELCOME;
    expect(await call("PUT /emails/1", { ...others, name: "Hello" })).toEqual({
      status: 200,
      body: { ...SAVED, name: "Hello", translations },
    });
    expect(await call("PUT /emails/1", { ...WELCOME, translations: [] })).toEqual({
      status: 200,
      body: { ...SAVED, translations: [] },
    });
  });

  it("keep no HTML that could run, and a blank text is none", async () => {
    const content = '<p onclick="x()">Hallo</p><script>alert(1)</script>';
    const translations = [
      { language: "de", subject: " ", content },
      { language: "fr", content: "\n" },
    ];
    expect((await call("POST /emails", { ...WELCOME, translations })).body).toMatchObject({
      translations: [
        { language: "de", subject: null, content: "<p>Hallo</p>" },
        { language: "fr", subject: null, content: null },
      ],
    });
  });

  it("are refused with an unknown placeholder, twice in a language, and in an unknown one", async () => {
    const [german, ...others] = TRANSLATIONS;
    const attempt = (translations: unknown[]) => call("POST /emails", { ...WELCOME, translations });
    const known =
      "{{first_name}}, {{email}}, {{company_name}}, {{campaign_name}}, {{ref_token}}, {{ref_link}}, {{portal_url}}, {{unsubscribe_url}}, {{offer}}";
    expect(await attempt([{ ...german, subject: "{{vorname}}" }, ...others])).toEqual(
      invalid({ translations: [`(de, subject) does not know {{vorname}}. Use ${known}`] }),
    );
    expect(await attempt([german, german])).toEqual(invalid({ translations: ["have a language twice"] }));
    expect(await attempt([{ ...german, language: "xx" }])).toEqual(
      invalid({ "translations[language]": ["is not one of en, de, fr, es, pt, ja, he"] }),
    );
    expect((await call("GET /emails")).body).toEqual([]);
  });

  it("reach each promoter in their language, otherwise in the main text", async () => {
    await company(app, "PUT /campaigns/1", { emails: { signup_accepted: true } });
    await call("POST /emails", WELCOME);
    const received = async (language?: Language) => {
      const { promoter_id: id } = await join(app, `${language ?? "nobody"}@example.com`);
      if (language !== undefined) await app.records.change("promoter", id, { language });
      await mail.send();
      const { headers, html = "", text = "" } = mail.emails.at(-1)!;
      return [headers["subject"], /<html[^>]*>/.exec(html)?.[0], text.trim().split(/\s*\n\s*/)];
    };
    const link = (name: string) => `https://www.acme.example/?via=${name}`;
    const leave = /^.*https:\/\/track\.acme\.example\/unsubscribe\?\S+$/;
    expect(await received("de")).toEqual([
      "Ihr Link",
      '<html lang="de" dir="ltr">',
      [`Er ist ${link("de")}`, expect.stringMatching(/^Diese E-Mails abbestellen/)],
    ]);
    expect(await received("he")).toEqual([
      "Your link",
      '<html lang="he" dir="rtl">',
      ["שלום", expect.stringMatching(leave)],
    ]);
    expect(await received("ja")).toEqual([
      "リンク",
      "<html>",
      [`It is ${link("ja")}`, expect.stringMatching(leave)],
    ]);
    for (const language of ["fr", undefined] as const)
      expect(await received(language)).toEqual([
        "Your link",
        "<html>",
        [`It is ${link(language ?? "nobody")}`, expect.stringMatching(leave)],
      ]);
    await company(app, "PUT /account", { promoter_language: "de" });
    await company(app, "POST /promoters/invite", { emails: ["kim@example.com"] });
    await mail.send();
    expect(mail.subjects().at(-1)).toBe("Acme lädt Sie zu Default campaign ein");
  });
});

describe("a preview", () => {
  const preview = (path: string) => call(`GET /campaigns/1/email_preview?kind=${path}`);
  const leave = (language: string) => expect.stringContaining(language) as string;

  it("shows a built-in e-mail, the company's own and a draft in a language", async () => {
    expect((await preview("accepted&language=de")).body).toMatchObject({
      subject: "Sie wurden bei Default campaign angenommen",
    });
    await call("POST /emails", WELCOME);
    expect((await preview("accepted&language=de")).body).toEqual({
      subject: "Ihr Link, Jane",
      text: leave("Er ist https://www.acme.example/?via=jane"),
      html: leave('<html lang="de" dir="ltr">'),
    });
    expect((await preview("accepted")).body).toMatchObject({ subject: "Your link, Jane" });
    await company(app, "PUT /account", { promoter_language: "de" });
    expect((await preview("accepted")).body).toMatchObject({ subject: "Ihr Link, Jane" });
    const draft = {
      subject: "{{amount}}",
      content: "{{first_name}}",
      trigger_on: "reward_created",
      language: "he",
    };
    expect(await call("POST /emails/preview", draft)).toEqual({
      status: 200,
      body: {
        subject: expect.stringMatching(/25\.00/) as string,
        text: leave("Jane"),
        html: leave('<html lang="he" dir="rtl">'),
      },
    });
    for (const request of [
      "GET /campaigns/1/email_preview?kind=accepted&language=xx",
      "GET /emails/triggers?language=xx",
      "POST /emails/1/send_test?language=xx",
    ])
      expect(await call(request)).toEqual(
        invalid({ language: ["is not one of en, de, fr, es, pt, ja, he"] }),
      );
  });

  it("names the built-in text that a translation begins with", async () => {
    const { body } = await call("GET /emails/triggers?language=de");
    expect((body as object[])[2]).toMatchObject({
      trigger_on: "reward_created",
      original: { subject: "Sie haben eine Provision verdient" },
    });
  });

  it("is sent to oneself in a language, or the main text", async () => {
    await app.close();
    app = await startApp("memory", { has_mail: true, smtpUrl: mail.server.url });
    await call("POST /emails", WELCOME);
    const asAlex = await callAs(app, await addUser(app, "manager", { email: "alex@acme.example" }));
    expect((await asAlex("POST /emails/1/send_test?language=de")).status).toBe(200);
    expect((await asAlex("POST /emails/1/send_test?language=de&is_main=true")).status).toBe(200);
    expect(mail.subjects()).toEqual(["Ihr Link, Jane", "Your link, Jane"]);
    app.services.mail?.mailer.close();
  });
});

it("an invitation names the language of the invited, whose e-mail and portal have it", async () => {
  await company(app, "POST /promoters/invite", { emails: ["jane@example.com"], language: "fr" });
  await mail.send();
  expect(mail.subjects()).toEqual(["Acme vous invite à Default campaign"]);
  expect((await app.records.get("promoter", 1))?.["language"]).toBe("fr");
  expect(await call("POST /promoters/invite", { emails: ["kim@example.com"], language: "xx" })).toEqual(
    invalid({ language: ["is not one of en, de, fr, es, pt, ja, he"] }),
  );
});
