import { fingerprint } from "../../storage/digests.ts";
import type { Reader, Store, Transaction } from "../../storage/store.ts";
import { integer, table, text, type RowOf, type Table } from "../../storage/table.ts";
import type { PromoterCampaign } from "./promoter-campaign/promoter-campaign.ts";
import { DAY_MS } from "../span.ts";

/**
 * The parts of a visit's origin that have a report. `source`: the site with the link, otherwise `utm_source`. `page`: the
 * page that the visitor reached, without its query.
 */
export const ORIGIN_KINDS = ["source", "page"] as const;
export type OriginKind = (typeof ORIGIN_KINDS)[number];

/** The fields of records that came by a visit: the keys of its names. The names themselves can be forgotten. Null: no visit. */
export const originFields = {
  source_key: text().nullable(),
  page_key: text().nullable(),
  /** The channel in the promoter's link, within its promoter campaign. Null: none. */
  sub_key: text().nullable(),
};

/** The origin of a visitor. */
export type Origin = Omit<RowOf<typeof originFields>, "account_id">;

export const NO_ORIGIN: Origin = { source_key: null, page_key: null, sub_key: null };

/** The origin of a record, or of what has none. */
export function originIn({ source_key, page_key, sub_key }: Origin = NO_ORIGIN): Origin {
  return { source_key, page_key, sub_key };
}

/** The source and page of leads and sales without a visit. */
const DIRECT = "direct";
const UNKNOWN_PAGE = "unknown";
export const NO_VISIT = { source_key: nameKey(DIRECT), page_key: nameKey(UNKNOWN_PAGE) };

/** A name that strangers may have made up. */
interface SeenName {
  account_id: number;
  name: string;
  /** On how many days it was seen. */
  days: number;
  /** The last one (UTC). */
  last_day: string;
}

/** A source or a page that reports show. */
const originNameFields = {
  kind: text<OriginKind>(),
  name: text().personal(),
  /** On how many days it was seen. */
  days: integer(),
  /** The last one (UTC). */
  last_day: text(),
};

/** The names of sources and pages. Other records and the counters store only their keys. */
export const originNames = table("origin", originNameFields, {
  key: ["kind", "name_key"],
  derived: {
    name_key: ["text", ({ name }) => nameKey(name)],
  },
});

/** The name for all sources, pages and channels that have no record. */
export const OTHER = "other";

/** The visit of a click. */
interface Visited {
  url: string | null;
  referrer: string | null;
  /** Whether the page itself named the promoter. */
  isOwnPage: boolean;
  /** Whether the page is on one of the campaign's sites. Pages elsewhere are made up, or copies. */
  isOwnSite: (origin: string) => boolean;
}

/**
 * Pages that themselves name the promoter are counted together: their addresses may contain the promoter's
 * name, which an erasure could not remove from the counters.
 */
const OWN_PAGE = "own page of a promoter";

/** The origin of a visit on a day. @see docs/spec/tracking.md "Names of origins" */
export async function originOf(
  tx: Transaction,
  { account_id, day }: Pick<Seeing, "account_id" | "day">,
  { url, referrer, isOwnPage, isOwnSite }: Visited,
): Promise<Omit<Origin, "sub_key">> {
  const page = parsed(url);
  const ownPage = page === null ? UNKNOWN_PAGE : isOwnSite(page.origin) ? pageOf(page) : OTHER;
  const keyOf = (kind: OriginKind, name: string) =>
    FIXED_NAMES[kind].includes(name)
      ? nameKey(name)
      : keepName(
          tx,
          { account_id, day, name, most: MOST_NAMES },
          { table: originNames, owner: kind, fields: { kind } },
        );
  return {
    source_key: await keyOf("source", sourceOf(page, referrer)),
    page_key: await keyOf("page", isOwnPage ? OWN_PAGE : ownPage),
  };
}

/** The names that need no record. */
export const FIXED_NAMES: Record<OriginKind, string[]> = {
  source: [DIRECT, OTHER],
  page: [UNKNOWN_PAGE, OWN_PAGE, OTHER],
};

/** The keys of an origin's names, in the order of the kinds. Without a visit, those of its fixed names. */
export function originKeys(origin: Partial<Origin>): [kind: OriginKind, key: string][] {
  return ORIGIN_KINDS.map((kind) => [kind, origin[`${kind}_key`] ?? NO_VISIT[`${kind}_key`]]);
}

/** The name behind a key. A forgotten name counts as "other". */
export async function findOriginName(
  reader: Reader,
  accountId: number,
  { kind, key }: { kind: OriginKind; key: string },
): Promise<string> {
  const fixed = FIXED_NAMES[kind].find((name) => nameKey(name) === key);
  return fixed ?? (await reader.get(originNames, accountId, kind, key))?.name ?? OTHER;
}

/** The id of a source or a page in keys, because its name may be long. */
export function nameKey(name: string): string {
  return fingerprint([name]);
}

/** A channel of a promoter campaign, as named in links (`sub_id`). */
const subIdNameFields = {
  promoter_campaign_id: integer(),
  name: text().personal(),
  /** On how many days it was seen. */
  days: integer(),
  /** The last one (UTC). */
  last_day: text(),
};

/** The channels of promoter campaigns. Other records and the counters store only their keys. */
export const subIdNames = table("sub-id", subIdNameFields, {
  key: ["promoter_campaign_id", "name_key"],
  derived: {
    name_key: ["text", ({ name }) => nameKey(name)],
  },
});

const LONGEST_NAME = 100;

/** The limit stops made-up channels in links. No promoter has more, and a few more do no harm. */
const MOST_SUB_IDS = 200;

/** The key of a visit's channel. @see docs/spec/tracking.md "Names of origins" */
export function subKeyOf(
  tx: Transaction,
  { account_id, id }: Pick<PromoterCampaign, "account_id" | "id">,
  { sub_id, day }: { sub_id: string; day: string },
): Promise<string> {
  const seeing = { account_id, day, name: sub_id.slice(0, LONGEST_NAME), most: MOST_SUB_IDS };
  return keepName(tx, seeing, { table: subIdNames, owner: id, fields: { promoter_campaign_id: id } });
}

/** Forgets the names of the channels of promoter campaigns. Reports count them together from now on. */
export async function forgetSubIds(
  store: Store,
  accountId: number,
  promoterCampaignIds: Iterable<number>,
): Promise<void> {
  for (const id of promoterCampaignIds) {
    for await (const chunk of store.scan(subIdNames, "id", accountId, [id])) {
      await store.transact(async (tx) => {
        for (const { name } of chunk) await tx.remove(subIdNames, accountId, id, nameKey(name));
      });
    }
  }
}

/**
 * Null if it is not a web address. A click may contain any text, and parsing it once is cheaper than checking
 * first.
 */
function parsed(address: string | null): URL | null {
  if (address === null) return null;
  try {
    const url = new URL(address);
    return url.protocol === "https:" || url.protocol === "http:" ? url : null;
  } catch {
    return null; // a page without an address counts as unknown
  }
}

const LONGEST_SOURCE = 100;

/** A referrer on the page's own site does not reveal where the visitor came from. */
function sourceOf(page: URL | null, referrer: string | null): string {
  const from = siteOf(parsed(referrer));
  if (from !== null && from !== siteOf(page)) return from.slice(0, LONGEST_SOURCE);
  const named = page?.searchParams.get("utm_source")?.trim().toLowerCase().slice(0, LONGEST_SOURCE);
  return named || DIRECT;
}

function siteOf(address: URL | null): string | null {
  return address === null ? null : address.hostname.replace(/^www\./, "");
}

const LONGEST_PAGE = 200;

function pageOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`.slice(0, LONGEST_PAGE);
}

/** The limit stops visits from made-up sites to made-up pages. Longer reports are useless. */
const MOST_NAMES = 1_000;

/** A name that was seen on a day, and how many such names are kept. */
interface Seeing {
  account_id: number;
  /** UTC. */
  day: string;
  name: string;
  most: number;
}

/** Where names are kept: those of one owner in a table. */
interface Names<R extends SeenName> {
  table: Table<R>;
  owner: string | number;
  fields: Omit<R, keyof SeenName>;
}

/**
 * The key of a name that a visit has shown. A name is kept by the days on which it was seen. A new one that finds no room
 * replaces a rare one, or counts as "other".
 *
 * @see docs/spec/tracking.md "Names of origins"
 */
async function keepName<R extends SeenName>(
  tx: Transaction,
  { account_id, day, name, most }: Seeing,
  { table, owner, fields }: Names<R>,
): Promise<string> {
  const key = nameKey(name);
  const known = await tx.get(table, account_id, owner, key);
  if (known !== null) {
    if (known.last_day < day) await tx.put(table, { ...known, days: known.days + 1, last_day: day });
    return key;
  }
  if ((await tx.view.count(table, "id", account_id, [owner])) >= most) {
    const rare = await findRare(tx, { account_id, day, key }, { table, owner });
    if (rare === null) return nameKey(OTHER);
    await tx.remove(table, account_id, owner, nameKey(rare.name));
  }
  await tx.insert(table, { ...fields, account_id, name, days: 1, last_day: day } as R);
  return key;
}

/** How many names a new one is compared with. Keys are hashes, so these are a sample. Reading all would slow each click down. */
const COMPARED = 50;
/** Keys are hexadecimal. */
const AFTER_ALL_KEYS = "g";
const FORGOTTEN_AFTER_DAYS = 90;

/** A name that a new one replaces, or null: of those seen on one day only, or not for long, the one seen least. */
async function findRare<R extends SeenName>(
  tx: Transaction,
  { account_id, day, key }: { account_id: number; day: string; key: string },
  { table, owner }: Pick<Names<R>, "table" | "owner">,
): Promise<R | null> {
  const page = { limit: COMPARED };
  const after = await tx.view.page(table, "id", account_id, [owner], {
    ...page,
    between: { from: key, before: AFTER_ALL_KEYS },
  });
  const sample =
    after.length === COMPARED ? after : await tx.view.page(table, "id", account_id, [owner], page);
  const longAgo = new Date(Date.parse(day) - FORGOTTEN_AFTER_DAYS * DAY_MS).toISOString().slice(0, 10);
  const rare = sample.filter((each) => each.days === 1 || each.last_day < longAgo);
  const [rarest] = rare.toSorted(
    (one, other) => one.days - other.days || one.last_day.localeCompare(other.last_day),
  );
  return rarest ?? null;
}
