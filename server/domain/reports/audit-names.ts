import { SYSTEM } from "../context.ts";
import { findMany } from "../../storage/query.ts";
import type { View } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";
import { campaigns } from "../program/campaign/campaign.ts";
import { contracts } from "../people/contract/contract.ts";
import { customStatuses } from "../people/lead/custom-status.ts";
import { leads } from "../people/lead/lead.ts";
import { products } from "../program/product.ts";
import { promoCodes } from "../people/promo-code/promo-code.ts";
import { promoterName, promoters } from "../people/promoter/promoter.ts";
import { rewards } from "../program/reward/reward.ts";
import { savedViews } from "../access/saved-view.ts";
import { users } from "../access/user/user.ts";
import { webhooks } from "../events/webhook/webhook.ts";
import type { AuditEntry } from "../access/audit/audit.ts";

/** How the names of some entries' records are found. The records of one kind are read together. */
interface Naming {
  idOf(entry: AuditEntry): number;
  names(view: View, accountId: number, ids: number[]): Promise<Map<number, string | null>>;
}

function naming<R extends { id: number }>(
  from: Table<R>,
  nameOf: (record: R) => string | null,
  idOf: Naming["idOf"] = ({ entity_id }) => Number.parseInt(entity_id, 10) || 0,
): Naming {
  const names: Naming["names"] = async (view, accountId, ids) => {
    const known = await findMany(view, from, accountId, ids);
    return new Map([...known].map(([id, record]) => [id, nameOf(record)]));
  };
  return { idOf, names };
}

const OF_USERS = naming(users, ({ email }) => email);

const NAMINGS: Partial<Record<AuditEntry["entity"], Naming>> = {
  campaign: naming(campaigns, ({ name }) => name),
  reward: naming(rewards, ({ name }) => name),
  contract: naming(contracts, ({ name }) => name),
  custom_referral_status: naming(customStatuses, ({ name }) => name),
  saved_view: naming(savedViews, ({ name }) => name),
  product: naming(products, ({ name }) => name),
  promo_code: naming(promoCodes, ({ code }) => code),
  webhook: naming(webhooks, ({ url }) => url),
  user: { ...OF_USERS, names: (view, _, ids) => OF_USERS.names(view, SYSTEM, ids) },
  referral: naming(
    leads,
    ({ email, uid }) => email ?? uid,
    ({ lead_id, entity_id }) => lead_id ?? (Number.parseInt(entity_id, 10) || 0),
  ),
};
/** All other records have the name of the promoter whom they are about. */
const OF_PROMOTERS = naming(promoters, promoterName, ({ promoter_id }) => promoter_id ?? 0);

function namingOf({ entity }: AuditEntry): Naming {
  return NAMINGS[entity] ?? OF_PROMOTERS;
}

/**
 * The names of the entries' records: their own, or those of their people. They are read anew, so that the data of an
 * erased person does not come back. Null if a record has no name, or is gone.
 */
export async function entryNames(view: View, entries: AuditEntry[]): Promise<{ name: string | null }[]> {
  const found = new Map<AuditEntry, string | null>();
  for (const naming of new Set(entries.map(namingOf))) {
    const some = entries.filter((entry) => namingOf(entry) === naming);
    const known = await naming.names(view, some[0]!.account_id, some.map(naming.idOf));
    for (const entry of some) found.set(entry, known.get(naming.idOf(entry)) ?? null);
  }
  return entries.map((entry) => ({
    name:
      entry.entity === "api_key" ? (nameIn(entry.after) ?? nameIn(entry.before)) : (found.get(entry) ?? null),
  }));
}

function nameIn(fields: AuditEntry["after"]): string | null {
  const name = fields?.["name"];
  return typeof name === "string" ? name : null;
}
