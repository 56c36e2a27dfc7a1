import { fingerprint } from "../../storage/digests.ts";
import type { Reader, Store, Transaction } from "../../storage/store.ts";
import { table, type Column } from "../../storage/table.ts";
import type { PromoterCampaign } from "./promoter-campaign/promoter-campaign.ts";

/**
 * The parts of a visit's origin that have a report. `source`: the site with the link, otherwise `utm_source`. `page`: the
 * page that the visitor reached, without its query.
 */
export const ORIGIN_KINDS = ["source", "page"] as const;
export type OriginKind = (typeof ORIGIN_KINDS)[number];

/** The origin of a visitor, by the keys of names. The names themselves can be forgotten. */
export interface Origin extends Record<`${OriginKind}Key`, string> {
  /** The channel in the promoter's link, within its promoter campaign. Absent: none. */
  subKey?: string;
}

/** The source and page of leads and sales without a visit. */
const DIRECT = "direct";
const UNKNOWN_PAGE = "unknown";
export const NO_VISIT: Origin = { sourceKey: nameKey(DIRECT), pageKey: nameKey(UNKNOWN_PAGE) };

/** A source or a page that reports show. */
interface OriginName {
  accountId: number;
  kind: OriginKind;
  name: string;
}

/** The names of sources and pages. Other records and the counters store only their keys. */
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

/** The name for all sources and pages beyond the first thousand. */
export const OTHER = "other";

/** The visit of a click. */
interface Visited {
  url: string | null;
  referrer: string | null;
  /** Whether the page itself named the promoter. */
  isOwnPage: boolean;
}

/**
 * Pages that themselves name the promoter are counted together: their addresses may contain the promoter's
 * name, which an erasure could not remove from the counters.
 */
const OWN_PAGE = "own page of a promoter";

/** The origin of a visit. New names are stored until the account has too many. */
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

/** The names that need no record. */
export const FIXED_NAMES: Record<OriginKind, string[]> = {
  source: [DIRECT, OTHER],
  page: [UNKNOWN_PAGE, OWN_PAGE, OTHER],
};

/** The keys of an origin's names, in the order of the kinds. */
export function originKeys(origin: Origin): [kind: OriginKind, key: string][] {
  return ORIGIN_KINDS.map((kind) => [kind, origin[`${kind}Key`]]);
}

/** The name behind a key. A forgotten name counts as "other". */
export async function findOriginName(
  reader: Reader,
  accountId: number,
  { kind, key = nameKey(OTHER) }: { kind: OriginKind; key: string | undefined },
): Promise<string> {
  const fixed = FIXED_NAMES[kind].find((name) => nameKey(name) === key);
  return fixed ?? (await reader.get(originNames, accountId, kind, key))?.name ?? OTHER;
}

/** The id of a source or a page in keys, because its name may be long. */
export function nameKey(name: string): string {
  return fingerprint([name]);
}

/** A channel of a promoter campaign, as named in links (`sub_id`). */
interface SubIdName {
  accountId: number;
  promoterCampaignId: number;
  name: string;
}

/** The channels of promoter campaigns. Other records and the counters store only their keys. */
export const subIdNames = table<SubIdName>()({
  name: "sub-id",
  key: ["promoter_campaign_id", "name_key"],
  columns: {
    promoter_campaign_id: "integer",
    name_key: ["text", ({ name }) => nameKey(name)],
    name: "text",
  },
});

const LONGEST_NAME = 100;

/** The limit stops made-up channels in links. No promoter has more, and a few more do no harm. */
const MOST_SUB_IDS = 200;

/** The key of a visit's channel. A new name is stored until there are too many. */
export async function subKeyOf(
  tx: Transaction,
  { accountId, id: promoterCampaignId }: Pick<PromoterCampaign, "accountId" | "id">,
  subId: string,
): Promise<string> {
  const name = subId.slice(0, LONGEST_NAME);
  const key = nameKey(name);
  if ((await tx.get(subIdNames, accountId, promoterCampaignId, key)) !== null) return key;
  const count = await tx.view.count(subIdNames, "id", accountId, [promoterCampaignId]);
  if (count >= MOST_SUB_IDS) return nameKey(OTHER);
  await tx.insert(subIdNames, { accountId, promoterCampaignId, name });
  return key;
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

function pageOf(page: URL | null): string {
  return page === null ? UNKNOWN_PAGE : `${page.origin}${page.pathname}`.slice(0, LONGEST_PAGE);
}

/**
 * The limit stops visits from made-up sites to made-up pages. Longer reports are useless, and a few more
 * names do no harm.
 */
const MOST_NAMES = 1_000;

/** The key of a stored name. */
async function known(tx: Transaction, origin: OriginName): Promise<string> {
  const { accountId, kind, name } = origin;
  const key = nameKey(name);
  if (FIXED_NAMES[kind].includes(name)) return key;
  if ((await tx.get(originNames, accountId, kind, key)) !== null) return key;
  if ((await tx.view.count(originNames, "id", accountId, [kind])) >= MOST_NAMES) return nameKey(OTHER);
  await tx.insert(originNames, origin);
  return key;
}
