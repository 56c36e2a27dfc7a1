import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import compile from "icu-minify/compile";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { de } from "../../client/languages/de.ts";
import { en } from "../../client/languages/en.ts";
import { es } from "../../client/languages/es.ts";
import { fr } from "../../client/languages/fr.ts";
import { he } from "../../client/languages/he.ts";
import { ja } from "../../client/languages/ja.ts";
import { pt } from "../../client/languages/pt.ts";
import {
  CATALOGUES,
  directionOf,
  LANGUAGES,
  preferredLanguage,
  textsOf,
} from "../../server/languages/languages.ts";

const PAGES = { en, de, fr, es, pt, ja, he };

describe.each(LANGUAGES)("the texts in %s", (language) => {
  it.each([
    ["pages", PAGES[language], en],
    ["server", CATALOGUES[language].texts, CATALOGUES.en.texts],
  ])("of the %s have the keys and placeholders of the English ones", (_, texts, english) => {
    expect(placeholdersOf(texts)).toEqual(placeholdersOf(english));
  });

  it("have the plural forms of the language", () => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
    const needed = neededForms(language);
    const all = { ...PAGES[language], ...CATALOGUES[language].texts };
    const wrong = Object.entries(all).flatMap(([key, text]) =>
      formsOf(text)
        .filter((forms) => !isSame(forms) && needed.some((form) => !forms.has(form)))
        .map(() => key),
    );
    const unknown = Object.entries(all).filter(([, text]) =>
      formsOf(text).some((forms) =>
        [...forms.keys()].some((form) => !(pluralCategories as string[]).includes(form)),
      ),
    );
    expect({ wrong, unknown }).toEqual({ wrong: [], unknown: [] });
  });

  it("of e-mails have the values of the English ones", () => {
    expect(valuesOf(CATALOGUES[language].mails)).toEqual(valuesOf(CATALOGUES.en.mails));
    expect(valuesOf({ frame: CATALOGUES[language].frame })).toEqual(valuesOf({ frame: CATALOGUES.en.frame }));
  });

  /** Voice control finds a button by what it shows. */
  it.each([
    ["receipt", "receipt.show"],
    ["links.remove", "links.remove.of"],
    ["links.qr", "links.qr.show"],
    ["codes.archive", "codes.archive.of"],
    ["leads.take_back", "leads.take_back.of"],
    ["assets.download", "assets.download.of"],
    ["join.apply", "campaigns.apply_to"],
    ["join.join", "campaigns.join"],
  ] as const)("show %s in %s, the name for screen readers", (shown, name) => {
    const texts = PAGES[language];
    expect(texts[name].toLowerCase()).toContain(texts[shown].toLowerCase());
  });

  it("are translated", () => {
    if (language === "en") return;
    const texts = { ...PAGES[language], ...CATALOGUES[language].texts };
    const english: Record<string, string> = { ...en, ...CATALOGUES.en.texts };
    const isSentence = (text: string) => !text.includes("plural") && /\p{L}{3} \p{L}{3}/u.test(text);
    const same = Object.entries(texts).filter(([key, text]) => english[key] === text && isSentence(text));
    expect(same).toEqual([]);
  });
});

it("the pages have the languages of the server, in the same directions", () => {
  const list = readFileSync("client/languages/languages.ts", "utf8");
  const lines = [...list.matchAll(/^ {2}(\w\w): \{ name: "[^"]+", load: .*?(, isRightToLeft: true)? \},$/gm)];
  const shown = lines.map(([, code, isRightToLeft]) => [code, isRightToLeft ? "rtl" : "ltr"]);
  expect(shown).toEqual(LANGUAGES.map((language) => [language, directionOf(language)]));
});

it("a text of the server that pages translate is one that the server says", () => {
  const server = [...ts.sys.readDirectory("server", [".ts"])]
    .filter((file) => !file.includes("/languages/"))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n")
    .replaceAll("${MIN_LENGTH}", "8");
  const unsaid = Object.keys(en)
    .filter((key) => key.startsWith("said: "))
    .filter(
      (key) =>
        !server.includes(key.slice("said: ".length).replace(/\{.*/, "")) && !/must have \d digits/.test(key),
    );
  expect(unsaid).toEqual([]);
});

describe("the language of a browser", () => {
  it.each([
    [null, null],
    ["", null],
    ["de-AT,de;q=0.9,en;q=0.5", "de"],
    ["sv,en;q=0.3,FR-ca;q=0.7", "fr"],
    ["pt-BR", "pt"],
    ["de;q=0,ja", "ja"],
    ["*", null],
    ["constructor", null],
    ["de;q=x,he;q=0.1", "he"],
  ])("that asks for %j is %j", (header, language) => {
    expect(preferredLanguage(header)).toBe(language);
  });
});

it("counts are in the plural of their language", () => {
  const said = LANGUAGES.map((language) =>
    [1, 2, 1_000].map((count) => textsOf(language)("unit.points", { count })),
  );
  expect(Object.fromEntries(LANGUAGES.map((language, at) => [language, said[at]]))).toEqual({
    en: ["1 point", "2 points", "1,000 points"],
    de: ["1 Punkt", "2 Punkte", "1.000 Punkte"],
    fr: ["1 point", "2 points", "1\u202f000 points"],
    es: ["1 punto", "2 puntos", "1000 puntos"],
    pt: ["1 ponto", "2 pontos", "1.000 pontos"],
    ja: ["1 ポイント", "2 ポイント", "1,000 ポイント"],
    he: ["נקודה אחת", "שתי נקודות", "1,000 נקודות"],
  });
});

/** Parts of the shared pages that only the dashboard shows, which is in English. */
const DASHBOARD_ONLY =
  /^client\/ui\/(table\/(choice|choice-boxes|columns|menu|filters)\.tsx?|form\/amount\.ts)$/;

it("no visible text of portal and sign-up page stands outside the catalogues", () => {
  const files = reachable(["client/portal/main.tsx", "client/join/main.tsx"]);
  expect(files).toContain("client/portal/home/home.tsx");
  const shown = files
    .filter((file) => !DASHBOARD_ONLY.test(file) && !file.startsWith("client/languages/"))
    .flatMap((file) => textsIn(file).map((text) => `${file}: ${text}`));
  expect(shown).toEqual([]);
});

type Node = string | number | [name: string, kind?: number, forms?: Record<string, unknown>];

/** The placeholders of each text. */
function placeholdersOf(texts: Record<string, string>) {
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [
      key,
      [...new Set(namesIn(compile(text) as Node | Node[]))].toSorted(),
    ]),
  );
}

function namesIn(message: unknown): string[] {
  if (!Array.isArray(message)) return [];
  return message.flatMap((node: Node) => {
    if (!Array.isArray(node)) return [];
    const [name, kind, forms] = node;
    const type = kind === undefined ? "" : " plural";
    return [`${name}${type}`, ...Object.values(forms ?? {}).flatMap(namesIn)];
  });
}

/** The forms of each plural in a text. */
function formsOf(text: string): Map<string, unknown>[] {
  const message: unknown = compile(text);
  if (!Array.isArray(message)) return [];
  return (message as Node[]).flatMap((node) =>
    Array.isArray(node) && node[2] !== undefined ? [new Map(Object.entries(node[2]))] : [],
  );
}

/** Whether a plural has one form for all numbers, such as `#%`. */
function isSame(forms: Map<string, unknown>): boolean {
  return forms.size === 1 && forms.has("other");
}

/** The forms of the numbers up to a thousand. Others are for millions or fractions. */
function neededForms(language: string): string[] {
  const rules = new Intl.PluralRules(language);
  return [...new Set(Array.from({ length: 1_000 }, (_, count) => rules.select(count)))];
}

/** The values in each e-mail, as a set: sentences may be built in another way. */
function valuesOf(mails: Record<string, unknown>) {
  return Object.fromEntries(
    Object.entries(mails).map(([kind, mail]) => [
      kind,
      [...new Set(JSON.stringify(mail).match(/\{\{\w+\}\}/g))].toSorted(),
    ]),
  );
}

/** The files that some files import. */
function reachable(entries: string[]): string[] {
  const found = new Set(entries);
  for (const file of found) {
    const text = readFileSync(file, "utf8");
    for (const { fileName } of ts.preProcessFile(text).importedFiles) {
      if (fileName.startsWith(".") && !fileName.endsWith("/types.ts"))
        found.add(join(dirname(file), fileName));
    }
  }
  return [...found];
}

/** Attributes and properties that are no text. */
const NO_TEXT = new Set(["class", "key", "href", "role", "rel", "d", "fill", "viewBox", "font"]);
/** Two words, or a word with a capital: `Save`, `no more`. Names of things are no text: `PayPal`. */
const TEXT = /\p{L}{2,}[,.]? \p{L}{2,}|^\p{Lu}\p{Ll}+[.:?!]?$/u;
const NAMES = new Set(["PayPal", "Wise", "Dots", "Tidemark", "Enter", "Escape", "Home", "End", "Blob"]);

/** What looks like a visible text in a file. */
function textsIn(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isJsxAttribute(node) && NO_TEXT.has(node.name.getText())) return;
    if (ts.isPropertyAssignment(node) && NO_TEXT.has(node.name.getText())) return;
    // Keys and selectors are no texts, and the console is for developers.
    if (
      ts.isCallExpression(node) &&
      /(^t|^said|^console\.\w+|\.(matches|closest|querySelector))$/.test(node.expression.getText())
    ) {
      node.arguments.slice(1).forEach(visit);
      return;
    }
    if (ts.isJsxText(node) && /\p{L}/u.test(node.text)) found.push(node.text.trim());
    if (
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddle(node) ||
      ts.isTemplateTail(node)
    ) {
      if (TEXT.test(node.text) && !NAMES.has(node.text) && !node.text.includes("<")) found.push(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
