import anyAscii from "any-ascii";
import type { Store, Transaction } from "../../storage/store.ts";
import type { Account } from "../program/account/account.ts";
import type { Campaign } from "../program/campaign/campaign.ts";
import type { Context } from "../context.ts";
import { DAY_MS } from "../span.ts";

/** The tools for every part of a seeded program. */
export interface SeedPlan {
  context: Context;
  account: Account;
  campaigns: Campaign[];
  dice: Dice;
}

/** How far back the seeded history goes. */
const HISTORY_DAYS = 365;

/**
 * Instants of the last year up to now, oldest first: more of them in later months, and fewer at weekends and
 * at night, so that charts look like those of a growing program.
 */
export function busyInstants({ context: { now }, dice }: Pick<SeedPlan, "context" | "dice">, count: number) {
  const today = Date.parse(now.toISOString().slice(0, 10));
  const sinceMidnightMs = now.getTime() - today;
  const instants: Date[] = [];
  while (instants.length < count) {
    const daysAgo = dice.number(HISTORY_DAYS);
    const dayMs = today - daysAgo * DAY_MS;
    const partOfDay = (dice.number(1_000) + dice.number(1_000)) / 2_000;
    if (!dice.percent(busyness(daysAgo, new Date(dayMs)))) continue;
    const lengthMs = daysAgo === 0 ? sinceMidnightMs : DAY_MS;
    instants.push(new Date(dayMs + Math.floor(partOfDay * lengthMs)));
  }
  return instants.toSorted((one, other) => one.getTime() - other.getTime());
}

/** Believable values that are the same in every run. */
export interface Dice {
  /** A number from 0 to below `count`. */
  number(count: number): number;
  pick<T>(from: readonly T[]): T;
  /** True in `chance` of a hundred cases. */
  percent(chance: number): boolean;
}

/** Dice that give the same values for the same seed (Mulberry32). */
export function newDice(seed: number): Dice {
  let state = seed >>> 0;
  const roll = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const number = (count: number) => Math.floor(roll() * count);
  return {
    number,
    pick: (from) => from[number(from.length)] as (typeof from)[number],
    percent: (chance) => roll() * 100 < chance,
  };
}

/** A made-up person. */
export interface Person {
  first_name: string;
  last_name: string;
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
  return {
    first_name: firstName,
    last_name: lastName,
    country,
    handle: `${asciiName(firstName)}.${asciiName(lastName)}`,
  };
}

/** A name in lower-case ASCII letters. */
export function asciiName(name: string): string {
  return anyAscii(name)
    .toLowerCase()
    .replace(/[^a-z]+/g, "");
}

/** Records in one commit: enough to share its cost, few enough to let other requests in. */
const CHUNK = 250;

/** The sizes of the commits for a number of records. */
export function* chunks(count: number): Generator<number> {
  for (let done = 0; done < count; done += CHUNK) yield Math.min(CHUNK, count - done);
}

/** Reserves a number of new ids. */
export async function nextIds(store: Store, kind: string, count: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count) ids.push(await store.nextId(kind));
  return ids;
}

/** Writes records in one commit. */
export function putAll<R>(
  store: Store,
  records: R[],
  put: (tx: Transaction, record: R) => Promise<void>,
): Promise<void> {
  return store.transact(async (tx) => {
    for (const record of records) await put(tx, record);
  });
}

/** The activity on a day, in percent of the busiest one. */
function busyness(daysAgo: number, day: Date): number {
  const growth = 100 - (80 * daysAgo) / HISTORY_DAYS;
  const isWeekend = day.getUTCDay() === 0 || day.getUTCDay() === 6;
  return isWeekend ? growth * 0.45 : growth;
}

function names(country: string, firstNames: string, lastNames: string) {
  return { country, firstNames: firstNames.split(" "), lastNames: lastNames.split(" ") };
}
