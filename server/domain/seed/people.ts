import anyAscii from "any-ascii";
import type { Dice } from "./dice.ts";

/** A made-up person. */
export interface Person {
  firstName: string;
  lastName: string;
  country: string;
  /** The name in ASCII, as in e-mail addresses: `clara.weber`. */
  handle: string;
}

/** Names of several scripts, the most common countries first. */
const REGIONS = [
  names("DE", "Clara Jonas Käthe Uwe Mina", "Weber Fischer Müller Strauß Haas"),
  names("US", "Maya Tyler Rosa Ben Grace", "Carter Nguyen Lopez Brooks Reed"),
  names("FR", "Léa Hugo Zoé Noël Inès", "Dubois Lefèvre Garnier Petit Moreau"),
  names("GB", "Ada Oliver Samir Poppy Hugh", "Hughes Bennett Shah Okafor Clarke"),
  names("ES", "Begoña Luis Inés Íñigo Pau", "García Núñez Vargas López Ibáñez"),
  names("BR", "João Beatriz Thaís Caio Davi", "Silva Conceição Araújo Rocha Lima"),
  names("PL", "Zofia Paweł Łukasz Wanda Ola", "Nowak Wójcik Kamiński Zając Mazur"),
  names("SE", "Åsa Björn Elin Nils Saga", "Lindström Öberg Ek Sjögren Holm"),
  names("JP", "美咲 陽翔 結衣 蓮 さくら", "田中 佐藤 鈴木 上田 高橋"),
  names("IN", "अनन्या रोहन मीरा अर्जुन कविता", "शर्मा पटेल गुप्ता वर्मा राव"),
  names("UA", "Олена Тарас Юлія Богдан Оксана", "Шевченко Коваль Мельник Бондар Лисенко"),
  names("GR", "Ελένη Νίκος Μαρία Γιώργος Άννα", "Παππάς Νικολάου Βλάχος Ιωάννου Λάμπρου"),
  names("EG", "ليلى فريد يوسف مريم نور", "حسن منصور خليل السيد عمر"),
  names("IL", "נועה דוד יעל איתן תמר", "כהן לוי מזרחי פרץ שלום"),
  names("KR", "민준 서연 지우 하은 도윤", "김 이 박 최 정"),
] as const;

/** Rolls a person. */
export function rollPerson(dice: Dice): Person {
  const { country, firstNames, lastNames } = REGIONS[
    Math.min(dice.number(REGIONS.length), dice.number(REGIONS.length))
  ] as (typeof REGIONS)[number];
  const firstName = dice.pick(firstNames);
  const lastName = dice.pick(lastNames);
  return { firstName, lastName, country, handle: `${asciiName(firstName)}.${asciiName(lastName)}` };
}

/** A name in lower-case ASCII letters. */
export function asciiName(name: string): string {
  return anyAscii(name)
    .toLowerCase()
    .replace(/[^a-z]+/g, "");
}

function names(country: string, firstNames: string, lastNames: string) {
  return { country, firstNames: firstNames.split(" "), lastNames: lastNames.split(" ") };
}
