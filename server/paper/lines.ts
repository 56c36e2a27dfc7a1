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
 * @see UAX #9 for the order of Hebrew and Latin text, UAX #14 for line breaks
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
  const parts = runs.flatMap(({ text, isBold, marks }) =>
    clustersOf(text).map((cluster) => ({ ...shownCluster(cluster), isBold, marks })),
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
function shownCluster(cluster: string): { text: string; font: number } {
  const shown = [...cluster.normalize("NFC")].map(shownCharacter);
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
  const ordered = [...line];
  const levels = line.map(({ level }) => level);
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
 * Joins neighbours that look the same, so that letters are kerned. Text from right to left stays in single characters, because
 * fonts would turn it round once more.
 */
function merged(glyphs: Glyph[]): Glyph[] {
  const joined: Glyph[] = [];
  for (const glyph of glyphs) {
    const last = joined.at(-1);
    const looksTheSame = last?.font === glyph.font && last.marks === glyph.marks;
    const fits = last !== undefined && looksTheSame && last.level % 2 === 0 && glyph.level % 2 === 0;
    if (fits) joined.splice(-1, 1, { ...last, text: last.text + glyph.text });
    else joined.push(glyph);
  }
  return joined;
}

function mergedWidths(glyphs: Glyph[], measure: Measure): number[] {
  return merged(glyphs).map(measure);
}

function sum(widths: number[]): number {
  return widths.reduce((total, width) => total + width, 0);
}

const { resolve } = createRequire(import.meta.url);

/**
 * The fonts, in the order in which a character looks for one: Latin, Greek, Cyrillic and Hebrew first, then Japanese. A
 * PDF file embeds only the glyphs that it shows.
 */
const FAMILIES = [
  {
    regular: "@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf",
    bold: "@expo-google-fonts/arimo/700Bold/Arimo_700Bold.ttf",
  },
  {
    regular: "@expo-google-fonts/biz-udpgothic/400Regular/BIZUDPGothic_400Regular.ttf",
    bold: "@expo-google-fonts/biz-udpgothic/700Bold/BIZUDPGothic_700Bold.ttf",
  },
];

/** A font's number in `FAMILIES`, and its weight. It is also the font's name in a PDF file. */
export type FontName = `${number} ${"regular" | "bold"}`;

/** A character as a font shows it. */
export interface ShownCharacter {
  text: string;
  font: number;
}

const read = new Map<string, Buffer>();
const coverage = new Map<number, (point: number) => boolean>();

/** The file of a font. It is read once. */
export function fontBytes(name: FontName): Buffer {
  const [number, weight] = name.split(" ") as [string, "regular" | "bold"];
  const file = FAMILIES[Number(number)]![weight];
  const bytes = read.get(file) ?? readFileSync(resolve(file));
  read.set(file, bytes);
  return bytes;
}

/** A character in the first font that has it. Without one, it is written in Latin letters: `한국` as `HanGug`. */
function shownCharacter(character: string): ShownCharacter {
  const font = fontOf(character);
  if (font !== null) return { text: character, font };
  const latin = [...anyAscii(character)].filter((each) => fontOf(each) === 0).join("");
  return { text: latin, font: 0 };
}

function fontOf(character: string): number | null {
  const point = character.codePointAt(0) ?? 0;
  const found = FAMILIES.findIndex((_, number) => hasGlyph(number, point));
  return found < 0 ? null : found;
}

function hasGlyph(number: number, point: number): boolean {
  let covers = coverage.get(number);
  if (covers === undefined) {
    const font = create(fontBytes(`${number} regular`));
    covers = (each) => font.hasGlyphForCodePoint(each);
    coverage.set(number, covers);
  }
  return covers(point);
}
