import type { View } from "../../storage/store.ts";
import { campaigns } from "../program/campaign/campaign.ts";
import { contracts } from "../people/contract/contract.ts";
import { customStatuses } from "../people/lead/custom-status.ts";
import { leads } from "../people/lead/lead.ts";
import { products } from "../program/product.ts";
import { promoCodes } from "../people/promo-code/promo-code.ts";
import { promoterName, promoters } from "../people/promoter/promoter.ts";
import { rewards } from "../program/reward/reward.ts";
import { savedViews } from "../access/saved-view.ts";
import { findUser } from "../access/user/user.ts";
import { webhooks } from "../events/webhook/webhook.ts";
import type { AuditEntry } from "../access/audit/audit.ts";

/**
 * The name of an entry's record: its own, or that of its person. It is read anew, so that the data of an
 * erased person does not come back. Null if the record has no name, or is gone.
 */
export async function findEntryName(view: View, entry: AuditEntry): Promise<string | null> {
  const { account_id, entity, entity_id, promoter_id, lead_id } = entry;
  const id = Number.parseInt(entity_id, 10) || 0;
  switch (entity) {
    case "campaign":
      return (await view.get(campaigns, account_id, id))?.name ?? null;
    case "reward":
      return (await view.get(rewards, account_id, id))?.name ?? null;
    case "contract":
      return (await view.get(contracts, account_id, id))?.name ?? null;
    case "custom_referral_status":
      return (await view.get(customStatuses, account_id, id))?.name ?? null;
    case "saved_view":
      return (await view.get(savedViews, account_id, id))?.name ?? null;
    case "product":
      return (await view.get(products, account_id, id))?.name ?? null;
    case "promo_code":
      return (await view.get(promoCodes, account_id, id))?.code ?? null;
    case "webhook":
      return (await view.get(webhooks, account_id, id))?.url ?? null;
    case "user":
      return (await findUser(view, id))?.email ?? null;
    case "api_key":
      return nameIn(entry.after) ?? nameIn(entry.before);
    case "referral": {
      const lead = await view.get(leads, account_id, lead_id ?? id);
      return lead && (lead.email ?? lead.uid);
    }
    default: {
      const promoter = promoter_id === null ? null : await view.get(promoters, account_id, promoter_id);
      return promoter && promoterName(promoter);
    }
  }
}

function nameIn(fields: AuditEntry["after"]): string | null {
  const name = fields?.["name"];
  return typeof name === "string" ? name : null;
}
