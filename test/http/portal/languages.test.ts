import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EMAIL_TEXTS, writeEmail } from "../../../server/outbox/email-template.ts";
import { answerOf, startApp, type TestApp } from "../../support/app.ts";
import { useMail } from "../../support/mail.ts";
import { PASSWORD, portalBrowser, signedInBrowser, visitingPromoter } from "../../support/portal.ts";
import { company, invalid, reward } from "../../support/v2.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});
const mail = useMail(() => app);
const GERMAN = { "accept-language": "de-AT,de;q=0.9,en;q=0.5" };
const languageOf = async (id: number) => (await app.records.get("promoter", id))?.["language"];

async function join(headers: Record<string, string>) {
  const body = { email: "jane@example.com", password: PASSWORD, first_name: "Jane" };
  const init = { method: "POST", body: JSON.stringify(body) };
  const given = { "content-type": "application/json", ...headers };
  return (await app.request("/api/v2/join/1", { ...init, headers: given })).status;
}

describe("a page", () => {
  const open = async (path: string, headers = {}) => {
    const response = await app.request(path, { headers });
    const [html] = /<html[^>]*>/.exec(await response.text()) ?? [];
    return { html, vary: response.headers.get("vary") };
  };

  it.each(["/portal", "/join/1"])("%s is served in the browser's language", async (path) => {
    const vary = "accept-language";
    expect(await open(path)).toEqual({ html: '<html lang="en" dir="ltr" data-base="">', vary });
    expect(await open(path, GERMAN)).toEqual({ html: '<html lang="de" dir="ltr" data-base="">', vary });
    const hebrew = { "accept-language": "he" };
    expect(await open(path, hebrew)).toEqual({ html: '<html lang="he" dir="rtl" data-base="">', vary });
  });

  it("of the dashboard is in English", async () => {
    const english = { html: '<html lang="en" dir="ltr" data-base="">', vary: null };
    expect(await open("/admin", GERMAN)).toEqual(english);
  });
});

it("a promoter who joins in a German browser gets German e-mails", async () => {
  await company(app, "PUT /campaigns/1", { emails: { signup_accepted: true } });
  expect(await join(GERMAN)).toBe(201);
  expect(await languageOf(1)).toBe("de");
  await mail.send();
  expect(mail.subjects()).toEqual(["Bestätigen Sie Ihre Adresse für Default campaign"]);
  const [, token] = /\/portal\/welcome#(\S+)/.exec(mail.emails[0]?.text ?? "") ?? [];
  await portalBrowser(app).call("POST /session/link", { token, password: PASSWORD });
  await mail.send();
  expect(mail.subjects().at(-1)).toBe("Willkommen bei Default campaign");
  expect(mail.emails.at(-1)?.text).toContain(
    "Ein Klick zählt 60 Tage lang: Wer sich in dieser Zeit registriert, wird Ihnen zugerechnet.",
  );
});

it("a browser that asks for no language leaves the choice open", async () => {
  expect(await join({})).toBe(201);
  expect(await languageOf(1)).toBeUndefined();
  await mail.send();
  expect(mail.subjects()).toEqual(["Confirm your address for Default campaign"]);
});

describe("a promoter's language", () => {
  it("is that of the browser of their first sign-in", async () => {
    await app.v1("/promoters/create", { email: "jane@example.com", temp_password: "first secret" });
    const given = { email: "jane@example.com", password: "first secret" };
    const first = await portalBrowser(app, GERMAN).outcome("POST /session", given);
    expect(first.body).toMatchObject({ promoter: { language: "de" } });
    const second = await portalBrowser(app, { "accept-language": "ja" }).outcome("POST /session", given);
    expect(second.body).toMatchObject({ promoter: { language: "de" } });
  });

  it("is chosen in the portal", async () => {
    const jane = await visitingPromoter(app, "jane@example.com");
    expect(await jane.outcome("PUT /language", { language: "fr" })).toEqual({
      status: 200,
      body: { language: "fr" },
    });
    expect((await jane.outcome("GET /session")).body).toMatchObject({ promoter: { language: "fr" } });
    expect(await jane.outcome("PUT /language", { language: "xx" })).toEqual(
      invalid({ language: ["is not one of en, de, fr, es, pt, ja, he"] }),
    );
    expect(await languageOf(1)).toBe("fr");
  });
});

it("sentences of the API are in the language that a request asks for", async () => {
  const id = await reward(app, { duration: "repeating", duration_in_months: 12 });
  await company(app, "PUT /campaigns/1", { rewards_for_promoters: [{ reward_id: id }] });
  const offerIn = async (language: string) => {
    const headers = { "accept-language": language };
    const { body } = await answerOf(await app.request("/api/v2/join/1", { headers }));
    return (body as { offer: string[] }).offer.slice(0, 2);
  };
  expect(await offerIn("de")).toEqual([
    "Sie verdienen 20\u00a0% jedes Verkaufs, 12 Monate lang ab dem ersten Verkauf an den Kunden.",
    "Provisionen werden sofort freigegeben.",
  ]);
  expect(await offerIn("ja")).toEqual([
    "各売上の 20% が報酬になります（顧客の最初の売上から 12 か月間）。",
    "報酬はすぐに承認されます。",
  ]);
});

describe("a company's own texts", () => {
  const TRANSLATIONS = [
    { language: "de", description: "Verdienen Sie mit.", terms: null },
    { language: "ja", description: null, terms: "規約です。" },
  ];
  const signup = { description: "Earn with us.", terms: "Be nice.", translations: TRANSLATIONS };
  const shownIn = async (language: string) => {
    const headers = { "accept-language": language };
    const { body } = await answerOf(await app.request("/api/v2/join/1", { headers }));
    const { description, terms } = body as Record<string, string | null>;
    return [description, terms];
  };

  it("are shown in the language of their reader, where there is one", async () => {
    const saved = await company(app, "PUT /campaigns/1", { signup });
    expect(saved.body).toMatchObject({ signup: { ...signup, questions: [] } });
    expect(await shownIn("en")).toEqual(["Earn with us.", "Be nice."]);
    expect(await shownIn("de")).toEqual(["Verdienen Sie mit.", "Be nice."]);
    expect(await shownIn("ja")).toEqual(["Earn with us.", "規約です。"]);
    const { body } = await app.v1("/promoters/create", { email: "jane@example.com" });
    const { auth_token } = body as { auth_token: string };
    const german = await signedInBrowser(app, auth_token, GERMAN);
    const campaigns = (await german.outcome("GET /campaigns")).body;
    expect(campaigns).toMatchObject([{ description: "Verdienen Sie mit." }]);
    const joined = (await german.outcome("GET /promoter_campaigns")).body;
    expect(joined).toMatchObject([{ campaign: { description: "Verdienen Sie mit." } }]);
  });

  it("are refused twice in one language, and in an unknown one", async () => {
    const [german] = TRANSLATIONS;
    const outcome = async (translations: unknown) => {
      const { status, body } = await company(app, "PUT /campaigns/1", { signup: { translations } });
      return { status, body };
    };
    expect(await outcome([german, german])).toEqual(
      invalid({ "signup[translations]": ["have a language twice"] }),
    );
    expect(await outcome([{ language: "xx" }])).toEqual(
      invalid({ "signup[translations][language]": ["is not one of en, de, fr, es, pt, ja, he"] }),
    );
  });
});

it("an operator's own text is for all languages", () => {
  const subject = "Hi";
  const templates = { ...EMAIL_TEXTS, accepted: { ...EMAIL_TEXTS.accepted, subject } };
  const values = { campaign_name: "Partners", company_name: "Acme" };
  expect(writeEmail(templates, { kind: "accepted", language: "de", values }).subject).toBe("Hi");
  const german = writeEmail(templates, { kind: "rejected", language: "de", values });
  expect(german.subject).toBe("Ihre Bewerbung für Partners");
  const { html } = writeEmail(templates, { kind: "rejected", language: "he", values });
  expect(html).toContain('<html lang="he" dir="rtl"><head>');
});
