import { csvForPeople, type Line } from "../../csv.ts";
import { promoterName } from "../../domain/people/promoter/promoter.ts";
import type { Account } from "../../domain/program/account/account.ts";
import { listLinkPairs, type LinkPair } from "../../domain/switch/switch.ts";
import type { Store } from "../../storage/store.ts";

const COLUMNS = ["promoter_email", "promoter_name", "campaign", "state", "ref_id", "old_link", "new_link"];

/** The links of all promoters as a CSV file: old links and their replacements. */
export async function* linksCsv(
  store: Store,
  account: Account,
  oldStart: string | null,
): AsyncGenerator<string> {
  yield csvForPeople([], { columns: COLUMNS, header: true });
  for await (const pairs of listLinkPairs(store, account, oldStart)) {
    if (pairs.length > 0) yield csvForPeople(pairs.map(lineOf), { columns: COLUMNS });
  }
}

function lineOf({ promoter, promoterCampaign, campaign, ref_token, oldLink, newLink }: LinkPair): Line {
  return {
    promoter_email: promoter.email,
    promoter_name: promoterName(promoter),
    campaign: campaign.name,
    state: promoterCampaign.state,
    ref_id: ref_token,
    old_link: oldLink,
    new_link: newLink,
  };
}
