import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import anyAscii from "any-ascii";
import { create } from "fontkit";

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
export function shownCharacter(character: string): ShownCharacter {
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
