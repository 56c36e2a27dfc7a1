import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { Failure } from "../failure.ts";
import { email } from "../input/fields.ts";
import { parseUrl } from "../url.ts";

/**
 * Makes a parser for whole numbers, optionally from `least` to `most`.
 *
 * @throws Error that names the option
 */
export function wholeNumber(option: string, [least, most]: [number, number] = [0, Infinity]) {
  const range = most === Infinity ? "" : ` from ${least} to ${most}`;
  return (value: string): number => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : -1;
    if (number >= least && number <= most) return number;
    throw new Error(`${option} must be a whole number${range}`);
  };
}

/** The same for arguments with several whole numbers. */
export function wholeNumbers(argument: string) {
  const read = wholeNumber(argument);
  return (value: string, before: number[] = []): number[] => [...before, read(value)];
}

/** Makes a parser for calendar days. @throws Error that names the option */
export function calendarDay(option: string) {
  return (value: string): string => {
    const day = new Date(`${value}T00:00:00.000Z`);
    if (/^\d{4}-\d\d-\d\d$/.test(value) && day.toJSON()?.startsWith(value)) return value;
    throw new Error(`${option} ${value} is not a day such as 2026-01-31`);
  };
}

/** Reads a campaign's id. @throws Error if it is not a number */
export function campaignIdOf(value: string): number {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new Error(`${value} is not a campaign id`);
}

/** Reads a web address. @throws Error if it is not an http(s) address */
export function webAddress(value: string): string {
  if (/^https?:\/\//i.test(value) && parseUrl(value) !== null) return value;
  throw new Error(`${value} is not an http(s) address`);
}

/** Parses an e-mail address. @throws Failure `invalid` naming it */
export function emailOf(value: string): string {
  const parsed = z.safeParse(email, value);
  if (parsed.success) return parsed.data;
  throw new Failure("invalid", `${JSON.stringify(value)} is not an e-mail address`);
}

/** Refuses a file that isn't there, and a folder. @throws Error in one sentence */
export function requireFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new Error(`There is no file ${file}`);
  if (found.isDirectory()) throw new Error(`${file} is a folder, and not a file`);
}

/** Reads a text file. @throws Error in one sentence if there is none */
export function readGivenFile(file: string): Promise<string> {
  requireFile(file);
  return readFile(file, "utf8");
}
