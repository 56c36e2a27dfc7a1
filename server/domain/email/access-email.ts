import type { Account } from "../account/account.ts";
import type { Context } from "../context.ts";
import { promoterName } from "../promoter/promoter.ts";
import type { Promoter } from "../promoter/record.ts";
import { enqueue, newDelivery } from "../webhook/delivery.ts";
import type { Transaction } from "../../storage/store.ts";
import type { AccessEmailKind } from "./email.ts";

/** An e-mail with a link into the portal. */
export interface AccessEmail {
  /** An id of the kind `delivery`. */
  id: number;
  kind: AccessEmailKind;
  account: Account;
  promoter: Promoter;
  /** Absent: the e-mail is about no campaign. */
  campaignName?: string;
}

/**
 * Writes an e-mail with a link into the portal. The link itself is made when the e-mail is sent, so that no store, copy
 * or export holds one.
 */
export async function enqueueAccessEmail(
  tx: Transaction,
  { now }: Pick<Context, "now">,
  { id, kind, account, promoter, campaignName = "" }: AccessEmail,
): Promise<void> {
  const email = {
    kind,
    promoterId: promoter.id,
    to: promoter.email,
    values: {
      // Somebody may have joined with a stranger's address. Nothing that they wrote may reach the stranger.
      first_name: promoter.isUnconfirmed ? promoter.email : firstNameOf(promoter),
      email: promoter.email,
      company_name: account.name,
      campaign_name: campaignName,
    },
  };
  const lane = `promoter/${promoter.id}`;
  await enqueue(tx, newDelivery({ id, ownerId: account.id, lane, email, createdAt: now.toISOString() }), now);
}

function firstNameOf(promoter: Promoter): string {
  return promoter.profile.firstName ?? promoterName(promoter);
}
