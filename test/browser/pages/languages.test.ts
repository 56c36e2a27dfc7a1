import { beforeAll, describe, expect, it } from "vitest";
import { acceptedEntrance } from "../../support/every-page.ts";
import { useMail } from "../../support/mail.ts";
import { faultsOf, newPages } from "../../support/pages.ts";
import { rounds } from "../../support/rounds.ts";
import { PASSWORD } from "../../support/portal.ts";
import { company, reward } from "../../support/v2.ts";

const pages = newPages({ promoters: 3, leads: 60, sales: 40 });
const mail = useMail(() => pages.app);

/** An address that signs the first promoter in. */
let entrance = "";
beforeAll(async () => {
  const { app } = pages;
  await company(app, "PUT /campaigns/1", {
    promoters_may_add_leads: true,
    promoters_may_make_promo_codes: true,
    rewards_for_promoters: [{ reward_id: await reward(app, {}) }],
    signup: { description: null, terms: "Be nice.", questions: [{ label: "Blog?", choices: ["A", "B"] }] },
  });
  entrance = await acceptedEntrance(app);
});

it("a German browser sees a German sign-up page and portal, and its owner gets a German e-mail", async () => {
  const page = await pages.open("/join/1", { locale: "de-DE" });
  await page.getByRole("heading", { name: "Partner von Acme werden" }).waitFor();
  await page.getByText(/^Sie verdienen 20\u00a0% jedes Verkaufs/).waitFor();
  await page.getByLabel("Vorname").fill("Jane");
  await page.getByLabel("E-Mail").fill("jane@nowhere");
  await page.getByLabel("Passwort").fill(PASSWORD);
  await page.getByRole("checkbox", { name: "Ich stimme den Bedingungen zu" }).check();
  await page.getByRole("button", { name: "Mitmachen" }).click();
  await page.getByText("Braucht eine Domain wie example.com.").waitFor();
  await page.getByLabel("E-Mail").fill("jane.german@example.com");
  await page.getByRole("button", { name: "Mitmachen" }).click();
  await page.getByRole("heading", { name: "Sehen Sie in Ihr Postfach" }).waitFor();
  await mail.send();
  const { text = "" } = mail.emails.at(-1) ?? {};
  expect(text).toMatch(/^Guten Tag,/);
  await page.goto(/https?:\S+\/portal\/welcome#\S+/.exec(text)?.[0] ?? "");
  await page.getByLabel("Ihr Passwort").fill(PASSWORD);
  await page.getByRole("button", { name: "Bestätigen und anmelden" }).click();
  await page.getByRole("heading", { name: "Ihr Link" }).waitFor();
  await page
    .getByText(/^0,00\s\$$/)
    .first()
    .waitFor();
  expect(await page.locator("html").getAttribute("lang")).toBe("de");
  expect(await faultsOf(page)).toEqual([]);
});

it("what a form refuses is said in the language of the page", async () => {
  const page = await pages.open(entrance, { locale: "de-DE" });
  await page.getByRole("heading", { name: "Ihr Link" }).waitFor();
  await page.goto(`${pages.url}/portal/links`);
  await page.getByRole("button", { name: "Link erstellen" }).first().click();
  await page.getByLabel("Name").fill("Preise");
  await page.getByRole("textbox", { name: "Seite" }).fill("https://elsewhere.example/");
  await page.getByRole("dialog").getByRole("button", { name: "Link erstellen" }).click();
  await page.getByText(/^Muss eine Seite von \S+ sein\.$/).waitFor();
});

it("countries are chosen by their names in the language of the page", async () => {
  const page = await pages.open(entrance, { locale: "de-DE" });
  await page.getByRole("heading", { name: "Ihr Link" }).waitFor();
  await page.goto(`${pages.url}/portal/settings#tab=invoice`);
  await page.getByLabel("Land", { exact: true }).selectOption("Österreich");
  await page.getByLabel("USt-IdNr.").fill("AT1");
  await page.getByRole("button", { name: "Rechnungsdaten speichern" }).click();
  await page.getByText("Ist keine USt-IdNr. aus Österreich, die mit AT beginnt.").waitFor();
  await page.getByLabel("USt-IdNr.").fill("");
  await page.getByRole("button", { name: "Rechnungsdaten speichern" }).click();
  await page.getByText("Ihre Rechnungsdaten sind gespeichert.").waitFor();
  expect(await pages.app.records.get("promoter", 1)).toMatchObject({ profile: { country: "AT" } });
});

it("a promoter chooses another language, which stays", async () => {
  const page = await pages.open(entrance, { locale: "de-DE" });
  await page.getByRole("heading", { name: "Ihr Link" }).waitFor();
  await page.goto(`${pages.url}/portal/settings#tab=language`);
  await page.getByRole("combobox", { name: "Sprache" }).selectOption("Français");
  await page.getByRole("button", { name: "Sprache speichern" }).click();
  await page.getByText("Votre langue est enregistrée.").waitFor();
  await page.getByRole("heading", { name: "Paramètres", level: 1 }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Paramètres", level: 1 }).waitFor();
  expect(await page.locator("html").getAttribute("lang")).toBe("fr");
});

/** Pages of the portal, and the tabs of the settings. */
const PATHS = [
  "links",
  "figures",
  "assets",
  "leads",
  "commissions",
  "payouts",
  "invoices",
  "campaigns",
  "contracts",
  "people",
  ...["profile", "payout", "invoice", "emails", "language", "password"].map((tab) => `settings#tab=${tab}`),
];

/** The first is from right to left. Long runs have all. */
const VIEWS = (
  [
    ["he", 360],
    ["de", 360],
    ["fr", 360],
    ["es", 360],
    ["pt", 360],
    ["ja", 360],
    ["he", 1280],
  ] as const
).slice(0, rounds(2, 7));

describe.each(VIEWS)("in %s, at %i pixels", (language, width) => {
  const isRightToLeft = language === "he";

  it("every page is without a fault, and none is too wide", async () => {
    await pages.app.records.change("promoter", 1, { language });
    const page = await pages.open("/join/1", { width, locale: language });
    const faults: Record<string, string[]> = { join: await faultsOf(page) };
    expect(await page.locator("html").getAttribute("dir")).toBe(isRightToLeft ? "rtl" : "ltr");
    await page.goto(pages.url + entrance);
    await page.locator("canvas").waitFor();
    faults["home"] = await faultsOf(page);
    for (const path of PATHS) {
      await page.goto(`${pages.url}/portal/${path}`);
      await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
      faults[path] = await faultsOf(page);
    }
    expect(Object.fromEntries(Object.entries(faults).filter(([, each]) => each.length > 0))).toEqual({});
  });
});

it.each([
  ["de", "ltr", "E-Mails", "Abbestellen"],
  ["he", "rtl", "הודעות דואר", "הסרה מרשימת התפוצה"],
])("a page without a script is in %s too, on a phone", async (locale, direction, title, action) => {
  const page = await pages.open("/unsubscribe?cid=acme&promoter=1&token=x", { width: 360, locale });
  await page.getByRole("heading", { name: title, level: 1 }).waitFor();
  await page.getByRole("button", { name: action }).waitFor();
  const html = page.locator("html");
  expect([await html.getAttribute("lang"), await html.getAttribute("dir")]).toEqual([locale, direction]);
  expect(await page.title()).toBe(title);
  expect(await faultsOf(page)).toEqual([]);
});

it("a page from right to left begins on the right", async () => {
  await pages.app.records.change("promoter", 1, { language: "he" });
  const page = await pages.open(entrance, { locale: "he-IL" });
  const [heading, navigation] = [page.locator("h1"), page.locator(".side")];
  await heading.waitFor();
  const [text, side] = [await heading.boundingBox(), await navigation.boundingBox()];
  expect(side!.x).toBeGreaterThan(text!.x);
  expect(text!.x + text!.width).toBeGreaterThan(640);
  // Addresses stay readable.
  const direction = await page
    .locator("code")
    .first()
    .evaluate((code) => getComputedStyle(code).direction);
  expect(direction).toBe("ltr");
});
