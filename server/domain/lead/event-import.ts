import { Failure } from "../../failure.ts";
import type { BatchProcess } from "../batch/record.ts";
import type { Context } from "../context.ts";
import { loadLead, type LeadSelector } from "./lead.ts";

/**
 * Fetches a lead's earlier sales from the billing provider.
 *
 * @throws Failure `not_found`, `refused` while no billing provider is connected
 */
export async function importEvents(
  { store }: Context,
  accountId: number,
  selector: LeadSelector,
): Promise<BatchProcess> {
  await loadLead(store, accountId, selector);
  throw new Failure("refused", "No billing provider is connected");
}
