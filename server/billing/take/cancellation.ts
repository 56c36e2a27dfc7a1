import { recordCancellation } from "../../domain/sale/cancellation.ts";
import type { CancellationTold } from "../told.ts";
import { identify } from "./payer.ts";
import { recordOnce, taken, type Source, type Taken } from "./taker.ts";

/** Records that a customer's subscription has ended. */
export async function takeCancellation(source: Source, told: CancellationTold): Promise<Taken> {
  const { subscriptionId, payer, at } = told;
  const owners = [subscriptionId, ...(payer.customerId === null ? [] : [payer.customerId])];
  const { lead } = await identify(source, payer, owners);
  if (lead === null) return taken("ignored", "Nobody referred this customer");
  return recordOnce(
    recordCancellation(source.context, source.account, {
      customer: { uid: lead.uid, email: lead.email, leadId: lead.id },
      eventId: subscriptionId,
      createdAt: at,
      show: async () => "cancellation" as const,
    }),
  );
}
