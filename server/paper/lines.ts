import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import newBidi from "bidi-js";
import LineBreaker from "linebreak";
import anyAscii from "any-ascii";
import { create } from "fontkit";
import type { Run } from "../markup.ts";

/** How text looks beside its weight. */
export interface Marks {
  isItalic: boolean;
  isUnderlined: boolean;
  isStruck: boolean;
}

export interface PrintedRun extends Run {
  /** Runs that look the same share one object. */
  marks?: Marks | undefined;
}

/** A part of a line in one font, from left to right. */
export interface Piece {
  text: string;
  font: FontName;
  marks?: Marks | undefined;
}

/** Measures a text in points. */
export type Measure = (piece: Piece) => number;

/** A character, or several that are never separated. */
interface Glyph extends Piece {
  /** Even: from left to right. Odd: from right to left. */
  level: number;
  /** Whether a line may end after it. */
  mayBreak: boolean;
}

const bidi = newBidi();
const clusters = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * Breaks runs of text into lines of a width, each in the order in which it is seen. A word that is wider than a line is
 * broken anywhere.
 *
 * @see UAX #9 for the order of Hebrew or Arabic and Latin text, UAX #14 for line breaks
 */
export function linesOf(runs: PrintedRun[], width: number, measure: Measure): Piece[][] {
  return paragraphsOf(runs).flatMap((paragraph) =>
    brokenUp(glyphsOf(paragraph), width, measure).map((glyphs) =>
      inOrder(glyphs).map(({ text, font, marks }) => ({ text, font, marks })),
    ),
  );
}

/** The width of a text that is not broken. */
export function widthOf(runs: PrintedRun[], measure: Measure): number {
  const widths = paragraphsOf(runs).map((paragraph) => sum(mergedWidths(glyphsOf(paragraph), measure)));
  return Math.max(0, ...widths);
}

/** Splits runs at line breaks. */
function paragraphsOf(runs: PrintedRun[]): PrintedRun[][] {
  const paragraphs: PrintedRun[][] = [[]];
  for (const run of runs) {
    run.text.split("\n").forEach((part, at) => {
      if (at > 0) paragraphs.push([]);
      if (part !== "") paragraphs.at(-1)!.push({ ...run, text: part });
    });
  }
  return paragraphs.map(trimmed);
}

/** Blanks at both ends are invisible in HTML, unless they are hard ones. */
function trimmed(runs: PrintedRun[]): PrintedRun[] {
  return runs
    .map((run, at) => (at === 0 ? { ...run, text: run.text.replace(/^ +/, "") } : run))
    .map((run, at) => (at === runs.length - 1 ? { ...run, text: withoutEndBlanks(run.text) } : run));
}

function glyphsOf(runs: PrintedRun[]): Glyph[] {
  const show = writerOf(runs.map(({ text }) => text).join(""));
  const parts = runs.flatMap(({ text, isBold, marks }) =>
    clustersOf(text).map((cluster) => ({ ...shownCluster(cluster, show), isBold, marks })),
  );
  const whole = parts.map(({ text }) => text).join("");
  const { levels } = bidi.getEmbeddingLevels(whole);
  const breaks = breaksIn(whole);
  let at = 0;
  return parts.map(({ text, font, isBold, marks }): Glyph => {
    const level = levels[at] ?? 0;
    at += text.length;
    const name: FontName = `${font} ${isBold ? "bold" : "regular"}`;
    return { text, font: name, marks, level, mayBreak: breaks.has(at) };
  });
}

/** A regular expression would look at all blanks of a text. */
function withoutEndBlanks(text: string): string {
  let end = text.length;
  while (text[end - 1] === " ") end--;
  return text.slice(0, end);
}

/** The time to segment a text grows with the square of its length. */
const SEGMENTED = 500;

/** The letters of a text, each with its accents. */
function clustersOf(text: string): string[] {
  const found: string[] = [];
  for (let from = 0; from < text.length;) {
    const part = [...clusters.segment(text.slice(from, from + SEGMENTED))];
    // The rest may continue the last one.
    if (from + SEGMENTED < text.length && part.length > 1) part.pop();
    for (const { segment } of part) found.push(segment);
    from += part.reduce((sum, { segment }) => sum + segment.length, 0);
  }
  return found;
}

/** A letter with its accents, in the font of the letter. */
function shownCluster(cluster: string, show: Writer): ShownCharacter {
  const shown = [...cluster.normalize("NFC")].map(show);
  const font = shown[0]?.font ?? 0;
  return { text: shown.map(({ text }) => text).join(""), font };
}

function breaksIn(text: string): Set<number> {
  const breaker = new LineBreaker(text);
  const found = new Set<number>();
  for (let next = breaker.nextBreak(); next !== null; next = breaker.nextBreak()) found.add(next.position);
  return found;
}

function brokenUp(glyphs: Glyph[], width: number, measure: Measure): Glyph[][] {
  const widths = glyphs.map(measure);
  const lines: Glyph[][] = [];
  let from = 0;
  while (from < glyphs.length) {
    let end = from;
    let used = 0;
    let lastBreak = from;
    while (end < glyphs.length && (used + widths[end]! <= width || end === from)) {
      used += widths[end]!;
      end++;
      if (glyphs[end - 1]!.mayBreak) lastBreak = end;
    }
    // A blank at the end of a line may hang over.
    if (end < glyphs.length && glyphs[end]!.text === " ") lastBreak = end + 1;
    const to = end === glyphs.length || lastBreak === from ? end : lastBreak;
    lines.push(withoutBlankEnd(glyphs.slice(from, to)));
    from = to;
  }
  return lines.length === 0 ? [[]] : lines;
}

function withoutBlankEnd(line: Glyph[]): Glyph[] {
  const last = line.findLastIndex(({ text }) => text !== " ");
  return line.slice(0, last + 1);
}

/** The order in which a line is seen. @see UAX #9, rules L2 and L4 */
function inOrder(line: Glyph[]): Glyph[] {
  const ordered = joined(line);
  const levels = ordered.map(({ level }) => level);
  for (let level = Math.max(0, ...levels); level >= 1; level--) {
    for (let from = 0; from < ordered.length; from++) {
      let to = from;
      while (to < ordered.length && ordered[to]!.level >= level) to++;
      if (to > from) ordered.splice(from, to - from, ...ordered.slice(from, to).toReversed());
      from = Math.max(from, to - 1);
    }
  }
  return merged(ordered.map((glyph) => ({ ...glyph, text: mirrored(glyph) })));
}

function mirrored({ text, level }: Glyph): string {
  return level % 2 === 1 ? (bidi.getMirroredCharacter(text) ?? text) : text;
}

/**
 * Merges neighbours that look the same, so that letters are kerned. Text from right to left stays in single characters, because
 * fonts would turn it round once more.
 */
function merged(glyphs: Glyph[]): Glyph[] {
  return mergedIf(glyphs, (last, glyph) => last.level % 2 === 0 && glyph.level % 2 === 0);
}

/** Merges the letters of Arabic words, in the order in which they are read: their font joins them, and turns them round. */
function joined(glyphs: Glyph[]): Glyph[] {
  return mergedIf(glyphs, (last, { text, level }) => {
    return last.level === level && level % 2 === 1 && ARABIC.test(last.text) && ARABIC.test(text);
  });
}

const ARABIC = /^\p{Script=Arabic}/u;

function mergedIf(glyphs: Glyph[], fits: (last: Glyph, glyph: Glyph) => boolean): Glyph[] {
  const found: Glyph[] = [];
  for (const glyph of glyphs) {
    const last = found.at(-1);
    const looksTheSame = last?.font === glyph.font && last.marks === glyph.marks;
    if (last !== undefined && looksTheSame && fits(last, glyph))
      found.splice(-1, 1, { ...last, text: last.text + glyph.text });
    else found.push(glyph);
  }
  return found;
}

function mergedWidths(glyphs: Glyph[], measure: Measure): number[] {
  return merged(joined(glyphs)).map(measure);
}

function sum(widths: number[]): number {
  return widths.reduce((total, width) => total + width, 0);
}

const { resolve } = createRequire(import.meta.url);

interface Family {
  /** The characters that look for a glyph in it. */
  scripts: RegExp;
  regular: string;
  /** Absent: it has no bold letters, so they are drawn with thick outlines. */
  bold?: string;
}

/**
 * The fonts, in the order in which a character looks for one. Each is read when a text needs it, and a PDF file embeds only the
 * glyphs that it shows.
 */
const FAMILIES: Family[] = [
  {
    scripts: /./su,
    regular: "@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf",
    bold: "@expo-google-fonts/arimo/700Bold/Arimo_700Bold.ttf",
  },
  {
    scripts: /\p{Script_Extensions=Arabic}/u,
    regular: "@expo-google-fonts/noto-naskh-arabic/400Regular/NotoNaskhArabic_400Regular.ttf",
    bold: "@expo-google-fonts/noto-naskh-arabic/700Bold/NotoNaskhArabic_700Bold.ttf",
  },
  {
    scripts: /\p{Script_Extensions=Devanagari}/u,
    regular: "@expo-google-fonts/tiro-devanagari-hindi/400Regular/TiroDevanagariHindi_400Regular.ttf",
  },
  {
    scripts: /\p{Script_Extensions=Thai}/u,
    regular: "@expo-google-fonts/noto-sans-thai/400Regular/NotoSansThai_400Regular.ttf",
    bold: "@expo-google-fonts/noto-sans-thai/700Bold/NotoSansThai_700Bold.ttf",
  },
  {
    scripts: /\p{Script_Extensions=Hangul}/u,
    regular: "@expo-google-fonts/gowun-dodum/400Regular/GowunDodum_400Regular.ttf",
  },
  {
    scripts: /[\p{Script_Extensions=Katakana}\p{Script_Extensions=Han}\p{Script=Common}]/u,
    regular: "@expo-google-fonts/kosugi/Kosugi_400Regular.ttf",
  },
  {
    scripts: /[\p{Script_Extensions=Katakana}\p{Script_Extensions=Han}]/u,
    regular: "@expo-google-fonts/chocolate-classical-sans/400Regular/ChocolateClassicalSans_400Regular.ttf",
  },
];
const JAPANESE = FAMILIES.length - 2;

/** A font's number in `FAMILIES`, and its weight. It is also the font's name in a PDF file. */
export type FontName = `${number} ${"regular" | "bold"}`;

/** A character as a font shows it. */
interface ShownCharacter {
  text: string;
  font: number;
}

type Writer = (character: string) => ShownCharacter;

const read = new Map<string, Buffer>();
const coverage = new Map<number, (point: number) => boolean>();

/** The file of a font. It is read once. */
export function fontBytes(name: FontName): Buffer {
  const { family, isBold } = readName(name);
  const file = (isBold ? family.bold : undefined) ?? family.regular;
  const bytes = read.get(file) ?? readFileSync(resolve(file));
  read.set(file, bytes);
  return bytes;
}

/** Whether bold letters of a font are drawn with thick outlines. */
export function isOutlined(name: FontName): boolean {
  const { family, isBold } = readName(name);
  return isBold && family.bold === undefined;
}

function readName(name: FontName): { family: Family; isBold: boolean } {
  const [number, weight] = name.split(" ");
  return { family: FAMILIES[Number(number)]!, isBold: weight === "bold" };
}

const HAN = /\p{Script=Han}/u;
const LETTER = /[\p{L}\p{M}]/u;
/** Letters and their marks that are not Latin. */
const FOREIGN = /(?=[\p{L}\p{M}])[^\p{Script=Latin}\p{Script=Inherited}]/u;
const PICTURE = /[\p{Emoji}\p{Emoji_Component}]/u;

/**
 * How the characters of a line are shown: if no font has one of its letters, all of them are Latin, because half a name is
 * another name. A line with a character that is not Japanese is Chinese as a whole. Pictures that no font has are left out.
 *
 * @see docs/spec/money.md "Invoices", 9
 */
function writerOf(line: string): Writer {
  const characters = [...line.normalize("NFC")];
  const isChinese = characters.some((each) => HAN.test(each) && !hasGlyph(JAPANESE, each));
  const isKnown = characters.every((each) => !LETTER.test(each) || fontOf(each, isChinese) !== null);
  return (character) => {
    const font = fontOf(character, isChinese);
    if (font !== null && (isKnown || !FOREIGN.test(character))) return { text: character, font };
    const latin = PICTURE.test(character) ? "" : anyAscii(character);
    return { text: [...latin].filter((each) => hasGlyph(0, each)).join(""), font: 0 };
  };
}

function fontOf(character: string, isChinese: boolean): number | null {
  const found = FAMILIES.findIndex(({ scripts }, number) => {
    const isOther = isChinese && number === JAPANESE && HAN.test(character);
    return !isOther && scripts.test(character) && hasGlyph(number, character);
  });
  return found < 0 ? null : found;
}

function hasGlyph(number: number, character: string): boolean {
  let covers = coverage.get(number);
  if (covers === undefined) {
    const font = create(fontBytes(`${number} regular`));
    covers = (point) => font.hasGlyphForCodePoint(point);
    coverage.set(number, covers);
  }
  return covers(character.codePointAt(0) ?? 0);
}
