import type { Reader, Transaction, View } from "../../../storage/store.ts";
import { table } from "../../../storage/table.ts";
import { isUnsubscribed, unsubscribeUrl, type Email, type OwnEmail } from "../../events/email.ts";
import { enqueue, newDelivery } from "../../events/webhook/delivery.ts";
import type { Account } from "../../program/account/account.ts";
import { shownName } from "../../program/account/brand.ts";
import type { Campaign } from "../../program/campaign/campaign.ts";
import {
  isForCampaign,
  type CompanyEmail,
  type EmailTrigger,
} from "../../program/company-email/company-email.ts";
import { isErased } from "../erased.ts";
import { refLink, type PromoterCampaign } from "../promoter-campaign/promoter-campaign.ts";
import { listPromoterCampaigns } from "../promoter-campaign/search.ts";
import { promoterName, type EmailTopic, type Promoter } from "../promoter/promoter.ts";

/** An e-mail that a trigger has caused and that is sent later. */
export interface PlannedEmail {
  accountId: number;
  id: number;
  companyEmailId: number;
  promoterId: number;
  promoterCampaignId: number;
  /** Values that are known only now, such as an amount. */
  values: Record<string, string>;
  dueAt: string;
}

export const plannedEmails = table<PlannedEmail>()({
  name: "planned-email",
  columns: { id: "integer", promoter_id: "integer", due_at: "text" },
  indexes: { due: { on: ["due_at"] }, promoter: { on: ["promoter_id"] } },
});

/** Records that a promoter was sent an e-mail of the company, so that no kill and no repetition sends it again. */
interface SentEmail {
  accountId: number;
  companyEmailId: number;
  promoterId: number;
  /** The last time. */
  at: string;
}

export const sentEmails = table<SentEmail>()({
  name: "sent-email",
  key: ["company_email_id", "promoter_id"],
  columns: { company_email_id: "integer", promoter_id: "integer", at: "text" },
  indexes: { promoter: { on: ["promoter_id"] } },
});

/** What an e-mail to a promoter about one of their campaigns is made from. */
export interface Addressee {
  account: Account;
  campaign: Campaign;
  promoter: Promoter;
  promoterCampaign: PromoterCampaign;
  publicUrl: string;
}

/** The values that every e-mail to a promoter about a campaign can use. */
export function addresseeValues({
  account,
  campaign,
  promoter,
  promoterCampaign,
  publicUrl,
}: Addressee): Record<string, string> {
  return {
    first_name: promoter.profile.firstName ?? promoterName(promoter),
    email: promoter.email,
    company_name: shownName(account),
    campaign_name: campaign.name,
    ref_token: promoterCampaign.refToken,
    ref_link: refLink(promoterCampaign, campaign),
    portal_url: `${publicUrl}/portal`,
    unsubscribe_url: unsubscribeUrl(publicUrl, account, promoter.id),
  };
}

/** An e-mail to put into the outbox. */
interface ToEnqueue {
  /** The id of its delivery. */
  id: number;
  now: Date;
  /** Values beside those of the addressee. */
  values?: Record<string, string>;
}

/** Puts an e-mail of the company into the outbox. */
export function enqueueOwnEmail(
  tx: Transaction,
  addressee: Addressee,
  { email, ...rest }: ToEnqueue & { email: CompanyEmail },
): Promise<void> {
  return enqueueEmail(tx, addressee, { ...rest, kind: "own", companyEmailId: email.id });
}

/** Puts an e-mail to a promoter about one of their campaigns into the outbox. */
export async function enqueueEmail(
  tx: Transaction,
  addressee: Addressee,
  {
    id,
    now,
    values = {},
    ...what
  }: ToEnqueue & (Pick<Email, "kind"> | Pick<OwnEmail, "kind" | "companyEmailId">),
): Promise<void> {
  const { account, promoter } = addressee;
  const delivery = newDelivery({
    id,
    ownerId: account.id,
    lane: `promoter/${promoter.id}`,
    email: {
      ...what,
      promoterId: promoter.id,
      to: promoter.email,
      values: { ...addresseeValues(addressee), ...values },
    },
    createdAt: now.toISOString(),
  });
  await enqueue(tx, delivery, now);
}

/** The topic of e-mails that do not take the place of a built-in one. */
export function topicOf(trigger: EmailTrigger): EmailTopic {
  return trigger === "broadcast" || trigger === "recurring" ? "marketing" : "drip";
}

/** Why a promoter gets no e-mail about a topic, or null if they get it. */
export async function reasonAgainst(
  reader: Reader,
  promoter: Promoter | null,
  topic: EmailTopic,
): Promise<string | null> {
  if (promoter === null || isErased(promoter)) return "was deleted";
  if (promoter.archivedAt !== null) return "is archived";
  if (promoter.isUnconfirmed) return "has not confirmed their address";
  if (await isUnsubscribed(reader, promoter.accountId, promoter.id)) return "has unsubscribed";
  return promoter.unwantedEmails?.includes(topic) ? "wants no e-mails of this kind" : null;
}

/** The campaign that an e-mail speaks of: the promoter's first one, if it is among the e-mail's and has accepted them. */
export async function findAddressed(
  view: View,
  { accountId, id, defaultPromoterCampaignId }: Promoter,
  email: CompanyEmail,
): Promise<PromoterCampaign | null> {
  const all = await listPromoterCampaigns(view, accountId, id);
  const fitting = all.filter(
    ({ state, campaignId }) => state === "accepted" && isForCampaign(email, campaignId),
  );
  return fitting.find((each) => each.id === defaultPromoterCampaignId) ?? fitting[0] ?? null;
}

/** Forgets which e-mails a promoter was sent, or is about to be sent. */
export async function forgetMailings(
  tx: Transaction,
  { accountId, id }: { accountId: number; id: number },
): Promise<void> {
  for (const planned of await tx.view.list(plannedEmails, "promoter", accountId, [id]))
    await tx.remove(plannedEmails, accountId, planned.id);
  for (const sent of await tx.view.list(sentEmails, "promoter", accountId, [id]))
    await tx.remove(sentEmails, accountId, sent.companyEmailId, id);
}
