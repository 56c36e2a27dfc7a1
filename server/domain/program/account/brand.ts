import { Failure } from "../../../failure.ts";
import type { Transaction } from "../../../storage/store.ts";
import { SYSTEM } from "../../context.ts";
import { accounts, changeAccount, type Account, type Brand, type UploadedFile } from "./account.ts";

const NOT_SET: Brand = {
  name: null,
  color: null,
  logo: null,
  favicon: null,
  sender_name: null,
  reply_to: null,
};

/** The brand of a company, as far as it is set. */
export function brandOf({ brand }: Pick<Account, "brand">): Brand {
  return { ...NOT_SET, ...brand };
}

/** The company's name for promoters. */
export function shownName(account: Pick<Account, "name" | "brand">): string {
  return account.brand?.name ?? account.name;
}

/** Whether anybody has chosen the name that promoters see. */
export function isNamed({ brand, has_first_name = false }: Account): boolean {
  return (brand?.name ?? null) !== null || !has_first_name;
}

/** A brand as pages and e-mails show it. */
export interface ShownBrand {
  name: string;
  /** The address of its logo, or null. */
  logoUrl: string | null;
  /** The address of its icon, or null. */
  faviconUrl: string | null;
  /** Null for the usual colours. */
  colors: BrandColors | null;
}

/** A company's brand as promoters see it. */
export function shownBrand(account: Pick<Account, "name" | "brand">, publicUrl: string): ShownBrand {
  const { color, logo, favicon } = brandOf(account);
  const address = (file: UploadedFile | null) => file && `${publicUrl}/uploads/${file.name}`;
  return {
    name: shownName(account),
    logoUrl: address(logo),
    faviconUrl: address(favicon),
    colors: color === null ? null : brandColors(color),
  };
}

/** The sender of e-mails to promoters, as the company wishes. Null fields are the server's. */
export function promoterSender({ mail_sender, brand }: Pick<Account, "mail_sender" | "brand">) {
  const { name, sender_name, reply_to } = { ...NOT_SET, ...brand };
  // `Acme <partners@acme.example>` has a name of its own.
  const isOwnNamed = /[^\s<].*</.test(mail_sender ?? "");
  return { address: mail_sender, name: sender_name ?? (isOwnNamed ? null : name), reply_to };
}

/** A company's brand in e-mails, or null if it has none and they stay plain. */
export function emailBrand(account: Pick<Account, "name" | "brand">, publicUrl: string): ShownBrand | null {
  const { name, color, logo } = brandOf(account);
  return name === null && color === null && logo === null ? null : shownBrand(account, publicUrl);
}

/** Changes to a brand. Undefined fields stay unchanged. */
export type BrandChanges = { [K in keyof Brand]?: Brand[K] | undefined };

/** Changes a brand, and returns the account before and after. @throws Failure `not_found` */
export async function changeBrand(
  tx: Transaction,
  accountId: number,
  changes: BrandChanges,
): Promise<{ before: Account; after: Account }> {
  const before = await tx.get(accounts, SYSTEM, accountId);
  if (before === null) throw new Failure("not_found", "Account not found.");
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const brand: Brand = { ...brandOf(before), ...Object.fromEntries(given) };
  return { before, after: await changeAccount(tx, accountId, { brand }) };
}

/** A brand's colours for pages and e-mails. Each text on its background has a contrast of at least 4.5. */
export interface BrandColors {
  /** The background of buttons: the brand's colour itself. */
  button: string;
  buttonHover: string;
  /** The text on buttons: black or white. */
  onButton: string;
  /** For pages on light backgrounds. */
  light: SchemeColors;
  /** For pages on dark backgrounds. */
  dark: SchemeColors;
}

/** The colours of links and marks in one colour scheme. */
interface SchemeColors {
  link: string;
  linkHover: string;
  /** The background of the page that is open in the navigation. */
  soft: string;
}

/** Red, green and blue, from 0 to 255. */
type Rgb = readonly [number, number, number];

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];

/** @see WCAG 2.2, 1.4.3 */
const LEAST_CONTRAST = 4.5;

/** The backgrounds of our pages, of which `worst` has the least contrast, and their faintest text. @see tokens.css */
const SCHEMES = {
  light: { surface: parse("#ffffff"), worst: parse("#f0f2f2"), faintest: parse("#5f6e6c"), towards: BLACK },
  dark: { surface: parse("#151d1d"), worst: parse("#1c2626"), faintest: parse("#93a19f"), towards: WHITE },
};

/** The colours that follow from a brand's colour, as `#rrggbb`. Links are darkened or lightened until they can be read. */
export function brandColors(color: string): BrandColors {
  const given = parse(color);
  const isOnWhite = contrast(given, WHITE) >= contrast(given, BLACK);
  return {
    button: write(given),
    // Away from the text, so that it stays readable.
    buttonHover: write(mix(given, isOnWhite ? BLACK : WHITE, 0.2)),
    onButton: write(isOnWhite ? WHITE : BLACK),
    light: schemeColors(given, SCHEMES.light),
    dark: schemeColors(given, SCHEMES.dark),
  };
}

function schemeColors(
  given: Rgb,
  { surface, worst, faintest, towards }: (typeof SCHEMES)["light"],
): SchemeColors {
  const soft = firstReadable(12, 0, (percent) => mix(surface, given, percent / 100), [faintest]);
  const link = firstReadable(0, 100, (percent) => mix(given, towards, percent / 100), [surface, worst, soft]);
  return { link: write(link), linkHover: write(mix(link, towards, 0.25)), soft: write(soft) };
}

/** The first colour between two percentages that is readable with all others. The last one always is. */
function firstReadable(from: number, to: number, at: (percent: number) => Rgb, others: Rgb[]): Rgb {
  for (let percent = from; percent !== to; percent += Math.sign(to - from)) {
    const color = at(percent);
    if (others.every((other) => contrast(color, other) >= LEAST_CONTRAST)) return color;
  }
  return at(to);
}

/** The contrast of two colours, from 1 to 21. @see WCAG 2.2, "contrast ratio" */
function contrast(one: Rgb, other: Rgb): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance([red, green, blue]: Rgb): number {
  const linear = (value: number) =>
    value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** The share of `other` in the mixture is from 0 to 1. */
function mix(one: Rgb, other: Rgb, share: number): Rgb {
  const part = (index: 0 | 1 | 2) => Math.round(one[index] * (1 - share) + other[index] * share);
  return [part(0), part(1), part(2)];
}

function parse(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function write(color: Rgb): string {
  return `#${color.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}
