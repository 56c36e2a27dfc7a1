import { decodeKey } from "../../storage/keys.ts";
import type { Entry } from "../../storage/listing/snapshot.ts";
import { collectionNamed } from "../collections.ts";
import { FORMER_COLLECTIONS } from "./former-collections.ts";
import type { Item } from "../item.ts";

/** Abbreviations in keys of the most frequent kinds of record. */
const NAMES = new Map([
  ["t", "promoter"],
  ["tb", "commission"],
  ["tf", "visitor"],
  ["z", "lead"],
]);
/** Abbreviations in keys: of a promoterCampaign's days, and of its clicks on a day. */
const [DAILY, CLICKS] = ["u", "ta"];

/** Reads an entry of a store with layout 6. null: it is derived from records. */
export function itemOfLayout6([key, text]: Entry): Item | null {
  const [, second = "", third = ""] = key.split(":");
  const name = nameOf(second);
  if (name === "ids") {
    const { next } = JSON.parse(text) as { next: number };
    return { collection: "ids", text: JSON.stringify({ kind: nameOf(third), next }) };
  }
  const isRecord = collectionNamed(name) ?? FORMER_COLLECTIONS.find((former) => former.name === name);
  return isRecord ? { collection: name, text } : null;
}

/**
 * Reads an entry of a store with layout 5. null: it is derived from records.
 *
 * Layout 5 counted clicks by day, apart from visitors, and visitors expire. So each day's counter becomes a
 * record of past clicks. The upgrade then subtracts the clicks of visitors that still exist.
 */
export function itemOfLayout5(entry: Entry): Item | null {
  const [account = "", second, third = "", fourth = "", fifth] = entry[0].split(":");
  if (second !== DAILY || fifth !== CLICKS) return itemOfLayout6(entry);
  const [accountId, day, promoterCampaignId] = [account, third, fourth].map((part) =>
    Number(decodeKey(part)[0]),
  );
  const { sum: count } = JSON.parse(entry[1]) as { sum: number };
  const owner = { accountId, promoterCampaignId, promoterId: 0, campaignId: 0 };
  return { collection: "past-clicks", text: JSON.stringify({ ...owner, day: dayText(day ?? 0), count }) };
}

function nameOf(segment: string): string {
  return NAMES.get(segment) ?? String(decodeKey(segment)[0]);
}

function dayText(day: number): string {
  return String(day).replace(/(\d\d)(\d\d)$/, "-$1-$2");
}
