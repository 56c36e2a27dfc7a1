import { table } from "../../storage/table.ts";
import type { Store, Transaction } from "../../storage/store.ts";
import type { PromoterCampaign } from "../promoter-campaign/record.ts";
import { nameKey } from "./name-key.ts";
import { OTHER } from "./origin.ts";
import type { SubIdName } from "./record.ts";

/** Choice: anybody can write made-up channels into a link, and nobody has more. A few more do no harm. */
const MOST_NAMES = 200;
const LONGEST_NAME = 100;

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
  if (count >= MOST_NAMES) return nameKey(OTHER);
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
