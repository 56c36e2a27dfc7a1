import { Failure } from "../../../failure.ts";
import { type Context, SYSTEM } from "../../context.ts";
import { accounts, changeAccount, type Account, type Brand, type UploadedFile } from "./account.ts";
import { brandColors, type BrandColors } from "./brand-colors.ts";

const NOT_SET: Brand = {
  name: null,
  color: null,
  logo: null,
  favicon: null,
  senderName: null,
  replyTo: null,
};

/** The brand of a company, as far as it is set. */
export function brandOf({ brand }: Pick<Account, "brand">): Brand {
  return { ...NOT_SET, ...brand };
}

/** The company's name for promoters. */
export function shownName(account: Pick<Account, "name" | "brand">): string {
  return account.brand?.name ?? account.name;
}

/** The name of first accounts of earlier releases. */
const FORMER_FIRST_NAME = "First account";

/** Whether anybody has chosen the name that promoters see. */
export function isNamed({ name, brand, hasFirstName = false }: Account): boolean {
  return (brand?.name ?? null) !== null || !(hasFirstName || name === FORMER_FIRST_NAME);
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
export function promoterSender({ mailSender, brand }: Pick<Account, "mailSender" | "brand">) {
  const { name, senderName, replyTo } = { ...NOT_SET, ...brand };
  // `Acme <partners@acme.example>` has a name of its own.
  const isOwnNamed = /[^\s<].*</.test(mailSender ?? "");
  return { address: mailSender, name: senderName ?? (isOwnNamed ? null : name), replyTo };
}

/** A company's brand in e-mails, or null if it has none and they stay plain. */
export function emailBrand(account: Pick<Account, "name" | "brand">, publicUrl: string): ShownBrand | null {
  const { name, color, logo } = brandOf(account);
  return name === null && color === null && logo === null ? null : shownBrand(account, publicUrl);
}

/** Changes to a brand. Undefined fields stay unchanged. */
export type BrandChanges = { [K in keyof Brand]?: Brand[K] | undefined };

/** Changes a brand, and returns the account before and after. @throws Failure `not_found` */
export function changeBrand(
  { store }: Pick<Context, "store">,
  accountId: number,
  changes: BrandChanges,
): Promise<{ before: Account; after: Account }> {
  return store.transact(async (tx) => {
    const before = await tx.get(accounts, SYSTEM, accountId);
    if (before === null) throw new Failure("not_found", "Account not found.");
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    const brand: Brand = { ...brandOf(before), ...Object.fromEntries(given) };
    return { before, after: await changeAccount(tx, accountId, { brand }) };
  });
}
