import { afterEach, beforeEach, expect, it } from "vitest";
import { LANGUAGES, textsOf, type Language } from "../../../server/languages/languages.ts";
import { startApp, type TestApp } from "../../support/app.ts";
import { useMail } from "../../support/mail.ts";
import { company, join } from "../../support/v2.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const mail = useMail(() => app);

async function open(path: string, language: string, init: { method?: string; cookie?: string } = {}) {
  const { method = "GET", cookie = "" } = init;
  const headers = { "accept-language": language, cookie, origin: "https://track.acme.example" };
  const response = await app.request(path, { method, headers });
  if (response.status !== 303) expect(response.headers.get("vary")).toBe("accept-language");
  const [set = ""] = response.headers.getSetCookie();
  return { answer: [response.status, await response.text()], cookie: set.split(";")[0] ?? "" };
}
const answerOf = async (...given: Parameters<typeof open>) => (await open(...given)).answer;
const post = { method: "POST" };

const page = (language: Language, title: string, content: string) => `<!doctype html>
<html lang="${language}" dir="${language === "he" ? "rtl" : "ltr"}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
  </head>
  <body>
    <main><h1>${title}</h1>${content}</main>
  </body>
</html>
`;

it.each(LANGUAGES)("the pages of links in e-mails ask in %s if the browser does", async (language) => {
  const say = textsOf(language);
  const ask = (question: string, action: string) =>
    `<form method="post"><p>${question}</p><button>${action}</button></form>`;
  expect(await answerOf("/unsubscribe", language)).toEqual([
    200,
    page(language, say("page.emails"), ask(say("page.emails.ask"), say("page.emails.stop"))),
  ]);
  expect(await answerOf("/not-me", language)).toEqual([
    200,
    page(language, say("page.method"), ask(say("page.method.ask"), say("page.method.not_me"))),
  ]);
});

it("a browser that asks for another language gets English", async () => {
  const [, text] = await answerOf("/unsubscribe", "sv, ko;q=0.5");
  expect(text).toContain('<html lang="en" dir="ltr">');
});

it("who stops e-mails is told so in their language, and a wrong link is refused in it", async () => {
  await company(app, "PUT /campaigns/1", { emails: { signup_accepted: true } });
  await join(app, "jane@example.com");
  await mail.send();
  const [, path = ""] =
    /<https:\/\/track\.acme\.example(.+)>/.exec(mail.emails[0]?.headers["list-unsubscribe"] ?? "") ?? [];
  expect(await answerOf(path.replace(/token=\w/, "token=-"), "he", post)).toEqual([
    404,
    page("he", "הודעות דואר", "<p>הקישור הזה אינו תקף.</p>"),
  ]);
  expect(await answerOf(path, "de-AT", post)).toEqual([
    200,
    page("de", "E-Mails", "<p>Sie erhalten diese E-Mails nicht mehr.</p>"),
  ]);
  expect(await answerOf("/not-me", "fr", post)).toEqual([
    404,
    page("fr", "Votre mode de paiement", "<p>Ce lien n’est pas valable.</p>"),
  ]);
});

it("a sign-in link asks, and says that it was used, in the browser's language", async () => {
  await app.close();
  app = await startApp("memory", { authTokens: 1, signIns: 4 });
  const entrance = async (email: string) => {
    const { body } = await app.v1("/promoters/create", { email });
    return `/portal?auth_token=${(body as { auth_token: string }).auth_token}`;
  };
  const [jane, kim] = [await entrance("jane@example.com"), await entrance("kim@example.com")];
  const { cookie } = await open(jane, "ja");
  expect(await answerOf(kim, "es", { cookie })).toEqual([
    200,
    page(
      "es",
      "Portal de promotores",
      '<form method="post"><p>Has iniciado sesión como jane@example.com.</p><p>¿Iniciar sesión como kim@example.com?</p>' +
        '<button>Iniciar sesión como kim@example.com</button></form><p><a href="?">Seguir como jane@example.com</a></p>',
    ),
  ]);
  expect(await answerOf(jane, "pt-BR")).toEqual([
    429,
    page(
      "pt",
      "Portal de promotores",
      '<p>Este link acabou de ser usado. Ele volta a funcionar em um minuto.</p><p><a href="?">Portal de promotores</a></p>',
    ),
  ]);
  await open(jane, "de");
  expect(await answerOf(jane, "de")).toEqual([
    429,
    page(
      "de",
      "Partnerportal",
      '<p>Es gab zu viele Anmeldeversuche. Versuchen Sie es in ein paar Minuten noch einmal.</p><p><a href="?">Partnerportal</a></p>',
    ),
  ]);
});
