import type { z } from "zod";
import { loadTotalsAndBalance } from "../../domain/ledger/commission/balance.ts";
import { listPromoterCampaigns } from "../../domain/people/promoter-campaign/search.ts";
import { findSelectedPayoutMethod, payoutMethods } from "../../domain/ledger/payout-method/payout-method.ts";
import { signInUrl } from "../../domain/people/portal/sign-in.ts";
import { promoters, type Promoter } from "../../domain/people/promoter/promoter.ts";
import { withCampaign } from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { showAll, type Show } from "../../domain/show.ts";
import type { Account } from "../../domain/program/account/account.ts";
import type { View } from "../../storage/store.ts";
import type { V2Request } from "../operation.ts";
import { seesPayoutDetails } from "../payout/masked-details.ts";
import { promoterJson, type PromoterParts, type promoterAnswer } from "./promoter-json.ts";

/** The parts of a promoter that a request may exclude. */
export interface Extras {
  withPayoutMethod: boolean;
  withParent: boolean;
}

/** The parts that are shown by default. */
const USUAL_EXTRAS: Extras = { withPayoutMethod: true, withParent: true };

/** Shows a promoter of the request's account with the default parts. */
export function showPromoterOf(request: SetupRequest): Show<Promoter, z.output<typeof promoterAnswer>> {
  return async (view, promoter) => {
    const parts = await readPromoterParts(view, request.account, { promoter, ...USUAL_EXTRAS });
    return promoterJson({ ...parts, setupUrl: await setupUrl(request, view, promoter) });
  };
}

type SetupRequest = Pick<V2Request, "account" | "caller" | "publicUrl" | "context">;

/**
 * Where a promoter sets their first password, or null if they have one or can't sign in. Promoters who signed up
 * themselves have chosen a password, and confirm their address by the link in their e-mail. The link opens the portal,
 * where payout methods are whole, so who may not see them gets none of a promoter who has any.
 */
export async function setupUrl(
  { account, caller, publicUrl, context: { now } }: SetupRequest,
  view: View,
  promoter: Promoter,
): Promise<string | null> {
  const { passwordHash, archivedAt, isUnconfirmed } = promoter;
  if (passwordHash !== undefined || archivedAt !== null || isUnconfirmed) return null;
  const hidesDetails = !seesPayoutDetails(caller);
  if (hidesDetails && (await view.count(payoutMethods, "promoter", promoter.accountId, [promoter.id])) > 0)
    return null;
  return signInUrl({ publicUrl, now }, { account, promoter }, "setup");
}

/** Reads the related records that V2 shows with a promoter. */
export async function readPromoterParts(
  view: View,
  account: Account,
  { promoter, withPayoutMethod, withParent }: Extras & { promoter: Promoter },
): Promise<Omit<PromoterParts, "setupUrl">> {
  const { accountId, id } = promoter;
  const [promoterCampaigns, { totals: stats, balance }, payoutMethod, parent] = await Promise.all([
    joinedCampaigns(view, promoter),
    loadTotalsAndBalance(view, accountId, id),
    withPayoutMethod ? findSelectedPayoutMethod(view, accountId, id) : undefined,
    withParent ? findParent(view, promoter) : undefined,
  ]);
  return { account, promoter, promoterCampaigns, stats, balance, payoutMethod, parent };
}

async function joinedCampaigns(view: View, { accountId, id }: Promoter) {
  return showAll(view, await listPromoterCampaigns(view, accountId, id), withCampaign);
}

async function findParent(view: View, { accountId, parentPromoterId }: Promoter): Promise<Promoter | null> {
  return parentPromoterId === null ? null : view.get(promoters, accountId, parentPromoterId);
}
