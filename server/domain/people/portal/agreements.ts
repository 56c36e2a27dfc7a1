import { Failure, type FieldErrors } from "../../../failure.ts";
import type { Transaction, View } from "../../../storage/store.ts";
import type { Context } from "../../context.ts";
import { campaigns, termsVersion, type Campaign } from "../../program/campaign/campaign.ts";
import {
  listOwnDocuments,
  signContracts,
  SIGNING_STATES,
  unsignedFaults,
  type DocumentParts,
} from "../contract/document.ts";
import { loadPromoterTotals } from "../daily.ts";
import { promoterCampaigns, type PromoterCampaign } from "../promoter-campaign/promoter-campaign.ts";
import { listPromoterCampaigns } from "../promoter-campaign/search.ts";
import { loadPromoter, type Promoter } from "../promoter/promoter.ts";

/** What a promoter is asked to accept: people who apply do so on the sign-up page, those who were invited on the portal. */
export interface Agreements {
  terms: OwnTerms[];
  documents: DocumentParts[];
  /**
   * Whether the portal opens without it. Only newcomers who have neither used the portal nor earned anything must accept
   * first, so that new terms keep no promoter from what they have earned.
   */
  mayWait: boolean;
}

/** A promoter's campaign and the version of its terms. */
export interface OwnTerms {
  promoterCampaign: PromoterCampaign;
  campaign: Campaign;
  version: string;
}

/**
 * The terms and contracts that wait for a promoter.
 *
 * @see docs/spec/v2.md "Contracts"
 */
export async function listAgreements(view: View, promoter: Promoter): Promise<Agreements> {
  const { account_id, id } = promoter;
  const documents = (await listOwnDocuments(view, promoter)).filter(({ document }) => document === null);
  const terms: OwnTerms[] = [];
  for (const promoterCampaign of await listPromoterCampaigns(view, account_id, id)) {
    if (!SIGNING_STATES.includes(promoterCampaign.state)) continue;
    const campaign = await view.get(campaigns, account_id, promoterCampaign.campaign_id);
    const version = campaign && termsVersion(campaign);
    if (campaign === null || version === null) continue;
    if (promoterCampaign.accepted_terms?.version === version) continue;
    terms.push({ promoterCampaign, campaign, version });
  }
  if (terms.length + documents.length === 0) return { terms, documents, mayWait: true };
  const { commissions } = await loadPromoterTotals(view, account_id, id);
  return { terms, documents, mayWait: promoter.visit !== undefined || commissions > 0 };
}

/** What a promoter accepts. */
interface Acceptance {
  /** The versions of the campaigns' terms that they have read. */
  terms: { campaign_id: number; version: string }[];
  /** The versions of the contracts that they sign. */
  contractVersionIds: number[];
  address: string | null;
}

/**
 * Accepts all that a promoter is asked to.
 *
 * @throws Failure `invalid` naming what is missing or has changed since it was read
 */
export async function acceptAgreements(
  tx: Transaction,
  context: Context,
  promoter: Promoter,
  given: Acceptance,
): Promise<void> {
  const present = await loadPromoter(tx, promoter.account_id, promoter.id);
  const { terms, documents } = await listAgreements(tx.view, present);
  refuseMissing({ terms, documents }, given);
  await signContracts(tx, context, { promoter: present, wanted: documents, address: given.address });
  for (const each of terms) await acceptTerms(tx, context, each);
}

/** Keeps which terms a promoter has accepted, and when. */
export async function acceptTerms(
  tx: Transaction,
  { now }: Pick<Context, "now">,
  { promoterCampaign, campaign }: Pick<OwnTerms, "promoterCampaign" | "campaign">,
): Promise<void> {
  const version = termsVersion(campaign);
  if (version === null) return;
  const acceptedTerms = { version, at: now.toISOString() };
  await tx.put(promoterCampaigns, { ...promoterCampaign, accepted_terms: acceptedTerms });
}

function refuseMissing({ terms, documents }: Omit<Agreements, "mayWait">, given: Acceptance): void {
  const faults: FieldErrors = {};
  const isAccepted = ({ campaign, version }: OwnTerms) =>
    given.terms.some((each) => each.campaign_id === campaign.id && each.version === version);
  const missing = terms.filter((each) => !isAccepted(each));
  if (missing.length > 0)
    faults["accepted_terms"] = missing.map(({ campaign }) => `must be accepted: ${campaign.name}`);
  const unsigned = unsignedFaults(documents, given.contractVersionIds);
  if (unsigned.length > 0) faults["signed_contract_version_ids"] = unsigned;
  if (Object.keys(faults).length === 0) return;
  throw new Failure(
    "invalid",
    "Some of it is not accepted, or has changed. Load the page again to read it.",
    faults,
  );
}
