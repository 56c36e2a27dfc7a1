import type { Reader, Transaction, View } from "../../../storage/store.ts";
import { integer, json, table, time, type RowOf } from "../../../storage/table.ts";
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

const plannedEmailFields = {
  id: integer(),
  company_email_id: integer(),
  promoter_id: integer(),
  promoter_campaign_id: integer(),
  /** Values that are known only now, such as an amount. */
  values: json<Record<string, string>>().personal({}),
  due_at: time(),
};

/** An e-mail that a trigger has caused and that is sent later. */
export type PlannedEmail = RowOf<typeof plannedEmailFields>;

export const plannedEmails = table("planned-email", plannedEmailFields, {
  indexes: { due: { on: ["due_at"] }, promoter: { on: ["promoter_id"] } },
});

/** Records that a promoter was sent an e-mail of the company, so that no kill and no repetition sends it again. */
const sentEmailFields = {
  company_email_id: integer(),
  promoter_id: integer(),
  /** The last time. */
  at: time(),
};

export const sentEmails = table("sent-email", sentEmailFields, {
  key: ["company_email_id", "promoter_id"],
  indexes: { promoter: { on: ["promoter_id"] } },
});

/** What an e-mail to a promoter about one of their campaigns is made from. */
export interface Addressee {
  account: Account;
  campaign: Campaign;
  promoter: Promoter;
  promoterCampaign: PromoterCampaign;
  public_url: string;
}

/** The values that every e-mail to a promoter about a campaign can use. */
export function addresseeValues({
  account,
  campaign,
  promoter,
  promoterCampaign,
  public_url,
}: Addressee): Record<string, string> {
  return {
    first_name: promoter.profile.first_name ?? promoterName(promoter),
    email: promoter.email,
    company_name: shownName(account),
    campaign_name: campaign.name,
    ref_token: promoterCampaign.ref_token,
    ref_link: refLink(promoterCampaign, campaign),
    portal_url: `${public_url}/portal`,
    unsubscribe_url: unsubscribeUrl(public_url, account, promoter.id),
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
  return enqueueEmail(tx, addressee, { ...rest, kind: "own", company_email_id: email.id });
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
  }: ToEnqueue & (Pick<Email, "kind"> | Pick<OwnEmail, "kind" | "company_email_id">),
): Promise<void> {
  const { account, promoter } = addressee;
  const delivery = newDelivery({
    id,
    owner_id: account.id,
    lane: `promoter/${promoter.id}`,
    email: {
      ...what,
      promoter_id: promoter.id,
      to: promoter.email,
      values: { ...addresseeValues(addressee), ...values },
    },
    created_at: now.toISOString(),
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
  if (promoter.archived_at !== null) return "is archived";
  if (promoter.is_unconfirmed) return "has not confirmed their address";
  if (await isUnsubscribed(reader, promoter.account_id, promoter.id)) return "has unsubscribed";
  return promoter.unwanted_emails?.includes(topic) ? "wants no e-mails of this kind" : null;
}

/** The campaign that an e-mail speaks of: the promoter's first one, if it is among the e-mail's and has accepted them. */
export async function findAddressed(
  view: View,
  { account_id, id, default_promoter_campaign_id }: Promoter,
  email: CompanyEmail,
): Promise<PromoterCampaign | null> {
  const all = await listPromoterCampaigns(view, account_id, id);
  const fitting = all.filter(
    ({ state, campaign_id }) => state === "accepted" && isForCampaign(email, campaign_id),
  );
  return fitting.find((each) => each.id === default_promoter_campaign_id) ?? fitting[0] ?? null;
}

/** Forgets which e-mails a promoter was sent, or is about to be sent. */
export async function forgetMailings(
  tx: Transaction,
  { account_id, id }: { account_id: number; id: number },
): Promise<void> {
  for (const planned of await tx.view.list(plannedEmails, "promoter", account_id, [id]))
    await tx.remove(plannedEmails, account_id, planned.id);
  for (const sent of await tx.view.list(sentEmails, "promoter", account_id, [id]))
    await tx.remove(sentEmails, account_id, sent.company_email_id, id);
}
