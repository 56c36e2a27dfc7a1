import { fingerprint } from "../../storage/digests.ts";
import type { Reader, Store, Transaction } from "../../storage/store.ts";
import { table, type Column } from "../../storage/table.ts";
import type { PromoterCampaign } from "./promoter-campaign/promoter-campaign.ts";

/**
 * What a visit tells that reports show. `source`: the site with the link, otherwise `utm_source`. `page`: the page that
 * the visitor reached, without its query.
 */
export const ORIGIN_KINDS = ["source", "page"] as const;
export type OriginKind = (typeof ORIGIN_KINDS)[number];

/** How a visitor came, by the keys of names. The names themselves can be forgotten. */
export interface Origin extends Record<`${OriginKind}Key`, string> {
  /** The channel that the promoter's link named, among those of its promoter campaign. Absent: none. */
  subKey?: string;
}

/** The source and the page of leads and sales without a visit. */
const DIRECT = "direct";
const UNKNOWN_PAGE = "unknown";
export const NO_VISIT: Origin = { sourceKey: nameKey(DIRECT), pageKey: nameKey(UNKNOWN_PAGE) };

/** A source or a page that reports show. */
interface OriginName {
  accountId: number;
  kind: OriginKind;
  name: string;
}

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

/** The name for all sources and pages beyond the first thousand. */
export const OTHER = "other";

/** A visit, as a click tells it. */
interface Visited {
  url: string | null;
  referrer: string | null;
  /** Whether the page itself named the promoter. */
  isOwnPage: boolean;
}

/**
 * Choice: pages that themselves name the promoter are counted together. Their addresses may hold the promoter's
 * name, which an erasure could not take out of the counters.
 */
const OWN_PAGE = "own page of a promoter";

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

/** The names that need no record. */
export const FIXED_NAMES: Record<OriginKind, string[]> = {
  source: [DIRECT, OTHER],
  page: [UNKNOWN_PAGE, OWN_PAGE, OTHER],
};

/** The keys of an origin's names, in the order of the kinds. */
export function originKeys(origin: Origin): [kind: OriginKind, key: string][] {
  return ORIGIN_KINDS.map((kind) => [kind, origin[`${kind}Key`]]);
}

/** The name behind a key. A name that was forgotten counts as another. */
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

/** A channel of a promoter campaign, as links name it (`sub_id`). */
interface SubIdName {
  accountId: number;
  promoterCampaignId: number;
  name: string;
}

/** The channels of promoter campaigns. Other records and the counters hold only their keys. */
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

/** Choice: anybody can write made-up channels into a link, and nobody has more. A few more do no harm. */
const MOST_SUB_IDS = 200;

/** The key of the channel that a visit names. A name that is new is kept, until there are too many. */
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

const LONGEST_SOURCE = 100;

/** Choice: a referrer on the page's own site says nothing about where the visitor came from. */
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

/** Choice: anybody can send visits from made-up sites to made-up pages, and nobody reads a longer report. A few more do no harm. */
const MOST_NAMES = 1_000;

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
