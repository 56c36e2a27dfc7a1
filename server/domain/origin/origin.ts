import { table, type Column } from "../../storage/table.ts";
import type { Reader, Transaction } from "../../storage/store.ts";
import { nameKey } from "./name-key.ts";
import { DIRECT, UNKNOWN_PAGE, type Origin, type OriginKind, type OriginName } from "./record.ts";

/** The names of sources and pages. Other records and the counters hold only their keys. */
export const originNames = table<OriginName>()({
  name: "origin",
  key: ["kind", "name_key"],
  columns: {
    kind: "text",
    name_key: ["text", ({ name }) => nameKey(name)],
    name: "text",
  },
});

/** The columns of records that came by a visit. */
export const ORIGIN_COLUMNS = {
  source_key: ["text", ({ origin }: { origin: Origin | null }) => origin?.sourceKey],
  page_key: ["text", ({ origin }: { origin: Origin | null }) => origin?.pageKey],
  sub_key: ["text", ({ origin }: { origin: Origin | null }) => origin?.subKey],
} satisfies Record<string, Column<{ origin: Origin | null }>>;

/**
 * Choice: pages that themselves name the promoter are counted together. Their addresses may hold the promoter's
 * name, which an erasure could not take out of the counters.
 */
const OWN_PAGE = "own page of a promoter";
/** The name for all sources and pages beyond the first thousand. */
export const OTHER = "other";

/** Choice: anybody can send visits from made-up sites to made-up pages, and nobody reads a longer report. A few more do no harm. */
const MOST_NAMES = 1_000;
const LONGEST_SOURCE = 100;
const LONGEST_PAGE = 200;

/** A visit, as a click tells it. */
interface Visited {
  url: string | null;
  referrer: string | null;
  /** Whether the page itself named the promoter. */
  isOwnPage: boolean;
}

/** The origin of a visit. Names that are new to the account are kept, until there are too many. */
export async function originOf(
  tx: Transaction,
  accountId: number,
  { url, referrer, isOwnPage }: Visited,
): Promise<Origin> {
  const page = parsed(url);
  const source = sourceOf(page, referrer);
  const reached = isOwnPage ? OWN_PAGE : pageOf(page);
  return {
    sourceKey: await known(tx, { accountId, kind: "source", name: source }),
    pageKey: await known(tx, { accountId, kind: "page", name: reached }),
  };
}

/** The key of a name that the account keeps. */
async function known(tx: Transaction, origin: OriginName): Promise<string> {
  const { accountId, kind, name } = origin;
  const key = nameKey(name);
  if (FIXED_NAMES[kind].includes(name)) return key;
  if ((await tx.get(originNames, accountId, kind, key)) !== null) return key;
  if ((await tx.view.count(originNames, "id", accountId, [kind])) >= MOST_NAMES) return nameKey(OTHER);
  await tx.insert(originNames, origin);
  return key;
}

/** The names that need no record. */
export const FIXED_NAMES: Record<OriginKind, string[]> = {
  source: [DIRECT, OTHER],
  page: [UNKNOWN_PAGE, OWN_PAGE, OTHER],
};

/** The name behind a key. A name that was forgotten counts as another. */
export async function findOriginName(
  reader: Reader,
  accountId: number,
  { kind, key = nameKey(OTHER) }: { kind: OriginKind; key: string | undefined },
): Promise<string> {
  const fixed = FIXED_NAMES[kind].find((name) => nameKey(name) === key);
  return fixed ?? (await reader.get(originNames, accountId, kind, key))?.name ?? OTHER;
}

/** Choice: a referrer on the page's own site says nothing about where the visitor came from. */
function sourceOf(page: URL | null, referrer: string | null): string {
  const from = siteOf(parsed(referrer));
  if (from !== null && from !== siteOf(page)) return from.slice(0, LONGEST_SOURCE);
  const named = page?.searchParams.get("utm_source")?.trim().toLowerCase().slice(0, LONGEST_SOURCE);
  return named || DIRECT;
}

function pageOf(page: URL | null): string {
  return page === null ? UNKNOWN_PAGE : `${page.origin}${page.pathname}`.slice(0, LONGEST_PAGE);
}

function siteOf(address: URL | null): string | null {
  return address === null ? null : address.hostname.replace(/^www\./, "");
}

/** null: not an address of a website. A click may hold any text, and parsing it once is cheaper than asking first. */
function parsed(address: string | null): URL | null {
  if (address === null) return null;
  try {
    const url = new URL(address);
    return url.protocol === "https:" || url.protocol === "http:" ? url : null;
  } catch {
    return null; // a page without an address counts as unknown
  }
}
