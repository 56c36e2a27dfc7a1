import { createAccount } from "../../../server/domain/access/account-creation.ts";
import { systemChance, type Context } from "../../../server/domain/context.ts";
import { leads } from "../../../server/domain/people/lead/lead.ts";
import { payouts } from "../../../server/domain/ledger/payout/payout.ts";
import { promoterCampaigns } from "../../../server/domain/people/promoter-campaign/promoter-campaign.ts";
import { promoters } from "../../../server/domain/people/promoter/promoter.ts";
import { seed } from "../../../server/domain/seed/seed.ts";
import { openStore } from "../../../server/storage/open.ts";
import { TABLES } from "../../../server/tables.ts";
import { ACCOUNT, KEY } from "../server.ts";
import type { Spoiling } from "./spoil.ts";
import { TEST_SEAL } from "../memory-engine.ts";

/** The account that must stay unchanged. */
export interface OtherAccount {
  id: number;
  spoiling: Spoiling["other"];
}

/** Fills a store with two accounts: the one that is attacked, and another one. */
export async function fillStore(url: string): Promise<OtherAccount> {
  const store = await openStore(url, { tables: TABLES, seal: TEST_SEAL });
  const context: Context = { store, now: new Date(), chance: systemChance };
  const size = { promoters: 40, leads: 300, sales: 200 };
  const ours = await createAccount(context, account(ACCOUNT, KEY));
  const { account: theirs, key } = await createAccount(context, account("other", "key-of-other"));
  await seed(context, ours.account, size);
  await seed(context, theirs, size);
  const page = { limit: 15 };
  const records = [
    ...(await store.page(promoters, "id", theirs.id, [], page)),
    ...(await store.page(promoterCampaigns, "id", theirs.id, [], page)),
    ...(await store.page(leads, "id", theirs.id, [], page)),
    ...(await store.page(payouts, "id", theirs.id, [], page)),
  ];
  const values = records.flatMap((record) => [
    String(record.id),
    ...("email" in record && record.email !== null ? [record.email] : []),
    ...("ref_token" in record ? [record.ref_token] : []),
    ...("auth_token" in record ? [record.auth_token] : []),
  ]);
  values.push(String(theirs.default_campaign_id));
  await store.close();
  return { id: theirs.id, spoiling: { key, account: "other", values } };
}

function account(publicId: string, key: string) {
  return { name: publicId, public_id: publicId, key, landing_url: "https://www.acme.example/" };
}
