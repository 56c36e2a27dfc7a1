import type { Lead } from "../lead/record.ts";
import type { Transaction } from "../../storage/store.ts";
import { isProposed } from "../lead/lead-facts.ts";
import { leads } from "../lead/lead.ts";
import { promoterAddresses } from "../lead/suspicion.ts";
import { removeVisitor, visitors } from "../visitor/visitor.ts";
import { withErasedEmail } from "./values.ts";

/** A lead's record without anything personal. */
export function erasedLead(tx: Transaction, lead: Lead): Promise<Lead> {
  const { isProposal: _proposal, ...kept } = lead;
  return withErasedEmail<Lead>(tx, leads, {
    ...kept,
    // Nobody is left to approve, and the promoter must not describe the person again.
    state: isProposed(lead) ? "denied" : lead.state,
    uid: null,
    username: null,
    firstName: null,
    lastName: null,
    website: null,
    comment: undefined,
    customFields: null,
    tid: null,
    subId: null,
    subscriptionId: null,
    skipEmailNotification: true,
  });
}

/** Removes the visitor that a lead was, and the network address that they were seen at. */
export async function forgetVisitor(tx: Transaction, { accountId, tid, promoterId }: Lead): Promise<void> {
  const visitor = tid === null ? null : await tx.get(visitors, accountId, tid);
  if (visitor === null) return;
  await removeVisitor(tx, visitor);
  if (!visitor.addressHash) return;
  const seen = await tx.get(promoterAddresses, accountId, promoterId, visitor.addressHash);
  if (seen?.isOwn === false) await tx.remove(promoterAddresses, accountId, promoterId, visitor.addressHash);
}
