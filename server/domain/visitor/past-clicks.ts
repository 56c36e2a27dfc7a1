import type { Origin } from "../origin/record.ts";
import type { PastClicks } from "./record.ts";
import { table } from "../../storage/table.ts";
import { fingerprint } from "../../storage/digests.ts";
import { keyOf } from "../../storage/sql.ts";
import type { Transaction } from "../../storage/store.ts";
import { ORIGIN_COLUMNS } from "../origin/origin.ts";
import { dailySums } from "../report/daily.ts";

/** The clicks of expired visitors. Visitors are deleted, but their clicks keep counting here. */
export const pastClicks = table<PastClicks>()({
  name: "past-clicks",
  key: ["day", "promoter_campaign_id", "campaign_id", "origin_key"],
  columns: {
    day: "text",
    promoter_campaign_id: "integer",
    campaign_id: "integer",
    origin_key: ["text", ({ origin }) => originKey(origin)],
    promoter_id: "integer",
    ...ORIGIN_COLUMNS,
    clicks: ["integer", ({ count }) => count],
  },
  sums: dailySums(({ day: at, count: amount }) => [{ metric: "clicks", at, amount }]),
});

/** Clicks that an earlier release counted have no origin. */
function originKey(origin: Origin | null): string {
  if (!origin) return "";
  const { sourceKey, pageKey, subKey } = origin;
  return fingerprint([sourceKey, pageKey, ...(subKey === undefined ? [] : [subKey])]);
}

/** Adds clicks to those of their day. */
export async function addPastClicks(tx: Transaction, added: PastClicks): Promise<void> {
  const known = await tx.get(pastClicks, added.accountId, ...keyOf(pastClicks, added));
  await tx.put(pastClicks, { ...added, count: added.count + (known?.count ?? 0) });
}
