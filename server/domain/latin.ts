import transliterate from "@sindresorhus/transliterate";
import { toRomaji } from "wanakana";

/**
 * The alphabets whose letters have one reading, which their language settles. Kana are the readings that Japanese people give of their
 * names. Arabic and Hebrew leave out vowels, and the readings of Chinese characters, Hangul, Thai and Devanagari in a name are
 * their owner's choice, so that only the owner can write it.
 */
const READABLE =
  /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Inherited}\u{30fc}]$/u;
const LETTER = /[\p{L}\p{M}]/gu;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}\u{30fc}]+/gu;
/** Emoji, and what joins and colours them. */
const PICTURES =
  /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]|\u{200d}|\u{fe0f}|\u{20e3}/gu;

/** Where passports of a language differ from the library's letters: ICAO 9303, part 3, section 6. */
const CYRILLIC = cased({ щ: "shch" });
const BULGARIAN = cased({ щ: "sht", ъ: "a" });
const UKRAINIAN = cased({ щ: "shch", г: "h", ґ: "g", и: "y" });
const GREEK: [string, string][] = [...cased({ ου: "ou", ού: "ou" }), ["ΟΥ", "OU"], ["ΟΎ", "OU"]];

/**
 * A text in the Latin letters of ASCII, by the language of a country: `Müller` is `Mueller` in Germany and `Muller` in Turkey. Null: it has
 * letters that only its owner can write. Never a part of it.
 */
export function latinOf(text: string, country: string | null = null): string | null {
  const plain = text.normalize("NFKC").replace(PICTURES, " ");
  if (!(plain.match(LETTER) ?? []).every((letter) => READABLE.test(letter))) return null;
  const language = languageOf(country);
  const romanised = plain.replace(KANA, (kana) => capitalised(toRomaji(kana).replaceAll("'", "")));
  const latin = transliterate(romanised, {
    ...(language !== null && { locale: language === "no" ? "nb" : language }),
    customReplacements: [...GREEK, ...cyrillicOf(language)],
  });
  const written = latin.replace(/[’ʼ‘]/gu, "'").normalize("NFKD").replace(/\p{M}/gu, "");
  return /[^\P{L}A-Za-z]/u.test(written) ? null : written.replace(/\s+/gu, " ").trim();
}

/** Whether a name can be written in Latin letters without asking its owner. */
export function hasLatinForm(name: string, country: string | null = null): boolean {
  return /[A-Za-z]/.test(latinOf(name, country) ?? "");
}

/** The language that most people of a country write. */
function languageOf(country: string | null): string | null {
  if (country === null || !/^[A-Za-z]{2}$/.test(country)) return null;
  return new Intl.Locale(`und-${country}`).maximize().language ?? null;
}

function cyrillicOf(language: string | null): [string, string][] {
  if (language === "bg") return BULGARIAN;
  return language === "uk" ? UKRAINIAN : CYRILLIC;
}

/** The pairs, and the same in capitals: `Щ` is `Shch`. */
function cased(pairs: Record<string, string>): [string, string][] {
  return Object.entries(pairs).flatMap(([from, to]): [string, string][] => [
    [from, to],
    [capitalised(from), capitalised(to)],
  ]);
}

function capitalised(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
