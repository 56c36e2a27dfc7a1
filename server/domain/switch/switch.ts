import { enqueueEmail } from "../people/mailing/mailing.ts";
import type { Reader, Store, Transaction, View } from "../../storage/store.ts";
import { integer, json, table, time, type RowOf } from "../../storage/table.ts";
import type { Account } from "../program/account/account.ts";
import { listConnections } from "../ledger/billing/connection.ts";
import { commissions } from "../ledger/commission/commission.ts";
import type { Context } from "../context.ts";
import { leads } from "../people/lead/lead.ts";
import { payoutMethods } from "../ledger/payout-method/payout-method.ts";
import { promoters, type Promoter } from "../people/promoter/promoter.ts";
import { sales, type Sale } from "../ledger/sale/sale.ts";
import { findSetup, findSightings } from "../people/sighting.ts";
import { webhooks } from "../events/webhook/webhook.ts";
import { campaigns, type Campaign } from "../program/campaign/campaign.ts";
import { isUnsubscribed } from "../events/email.ts";
import { isErased } from "../people/erased.ts";
import {
  linkTo,
  promoterCampaigns,
  refTokens,
  type PromoterCampaign,
} from "../people/promoter-campaign/promoter-campaign.ts";
import { listPromoterCampaigns } from "../people/promoter-campaign/search.ts";

/** The steps of a switch from another program, in order. */
export const SWITCH_STEPS = [
  "records",
  "payout_methods",
  "mail",
  "webhook",
  "billing",
  "server_call",
  "script",
  "old_link",
  "renewal",
  "old_script",
] as const;

export type SwitchStep = (typeof SWITCH_STEPS)[number];

const switchFields = {
  /** The steps that users have ticked. */
  ticked: json<SwitchStep[]>(),
  /** When promoters were last sent their new links, or null. */
  links_mailed_at: time().nullable(),
  /** The number of promoters who were sent them. */
  links_mailed_count: integer(),
};

/** The steps that users have done and that the server can't detect. */
export type Switch = RowOf<typeof switchFields>;

export const switches = table("switch", switchFields, {
  derived: {
    id: ["integer", () => 1],
  },
});

/** The account's switch, or one that has not begun. */
export async function findSwitch(reader: Reader, accountId: number): Promise<Switch> {
  const none: Switch = { account_id: accountId, ticked: [], links_mailed_at: null, links_mailed_count: 0 };
  return (await reader.get(switches, accountId, 1)) ?? none;
}

/** Stores the ticked steps. */
export async function tickSteps(tx: Transaction, accountId: number, steps: SwitchStep[]): Promise<void> {
  const ticked = SWITCH_STEPS.filter((step) => steps.includes(step));
  await tx.put(switches, { ...(await findSwitch(tx, accountId)), ticked });
}

/** The steps that the server can detect. It can't detect that the old script is gone. */
export type SeenSteps = Record<Exclude<SwitchStep, "script" | "old_script">, boolean>;

/** Detects the steps that a migrated program has done. Of each kind of records it reads the latest few. */
export async function findSeenSteps(store: Store, { id }: Account): Promise<SeenSteps> {
  const first = { limit: 1 };
  const [people, methods, hooks, connections, setup, events, calls, clicks, renewal] = await Promise.all([
    store.page(promoters, "id", id, [], first),
    store.page(payoutMethods, "id", id, [], first),
    store.page(webhooks, "id", id, [], first),
    listConnections(store, id),
    findSetup(store),
    findSightings(store, id, "billing-event"),
    findSightings(store, id, "server-call"),
    findSightings(store, id, "old-link"),
    hasRenewal(store, id),
  ]);
  return {
    records: people.length > 0,
    payout_methods: methods.length > 0,
    mail: setup?.has_mail ?? false,
    webhook: hooks.length > 0,
    billing: connections.some(({ provider }) => events.some(({ value }) => value === provider)),
    server_call: calls.length > 0,
    old_link: clicks.length > 0,
    renewal,
  };
}

/** The number of sales to check. Renewals come every day. */
const LOOKED_AT = 200;

/** Whether a customer who came from the other program has paid here since, and has earned their promoter something. */
async function hasRenewal(store: Store, accountId: number): Promise<boolean> {
  const latest = await store.page(sales, "id", accountId, [], { limit: LOOKED_AT, reverse: true });
  for (const sale of latest) {
    const lead = await store.get(leads, accountId, sale.lead_id);
    const isFromBefore =
      lead !== null &&
      lead.signup_event_id === null &&
      lead.customer_since !== null &&
      lead.customer_since < sale.created_at;
    if (isFromBefore && (await isEarnedHere(store, sale))) return true;
  }
  return false;
}

/** Whether a reward of ours paid for a sale. The commissions of an imported one name no reward. */
async function isEarnedHere(store: Store, { account_id, commission_ids }: Sale): Promise<boolean> {
  for (const id of commission_ids) {
    const commission = await store.get(commissions, account_id, id);
    if (commission !== null && commission.reward_id !== null) return true;
  }
  return false;
}

/** An old link and its replacement. */
export interface LinkPair {
  promoter: Promoter;
  promoterCampaign: PromoterCampaign;
  campaign: Campaign;
  ref_token: string;
  /** Null if the start of old links is unknown. */
  oldLink: string | null;
  newLink: string;
}

/**
 * All links of promoters, with their replacements. In other programs with a link domain of their own, a link
 * ends with the ref id.
 *
 * @param oldStart what the old links begin with, such as `https://acme.partnerlinks.io/`, or null if unknown
 */
export async function* listLinkPairs(
  store: Store,
  { id: accountId }: Account,
  oldStart: string | null,
): AsyncGenerator<LinkPair[]> {
  for await (const chunk of store.scan(refTokens, "id", accountId, [])) {
    const found = await Promise.all(
      chunk.map(async ({ token, promoter_campaign_id }): Promise<LinkPair | null> => {
        if (promoter_campaign_id === null) return null;
        const promoterCampaign = await store.get(promoterCampaigns, accountId, promoter_campaign_id);
        if (promoterCampaign === null) return null;
        const campaign = await store.get(campaigns, accountId, promoterCampaign.campaign_id);
        const promoter = await store.get(promoters, accountId, promoterCampaign.promoter_id);
        if (campaign === null || promoter === null || isErased(promoter)) return null;
        const page = promoterCampaign.landing_url ?? campaign.landing_url;
        return {
          promoter,
          promoterCampaign,
          campaign,
          ref_token: token,
          oldLink: oldStart === null ? null : `${oldStart}${token}`,
          newLink: linkTo(page, { ...promoterCampaign, ref_token: token }, campaign),
        };
      }),
    );
    yield found.filter((pair) => pair !== null);
  }
}

/** A promoter who was sent their new link. */
const mailedLinkFields = {
  promoter_id: integer(),
  at: time(),
};

export const mailedLinks = table("mailed-link", mailedLinkFields, {
  key: ["promoter_id"],
});

/** How many promoters get the e-mail, and why others do not. */
export interface MailedCounts {
  /** Those who are sent it now, or would be. */
  mailed: number;
  /** Those who were sent it before. */
  mailedBefore: number;
  unsubscribed: number;
  /** Those who are archived, erased, not confirmed, or accepted in no campaign. */
  withoutLink: number;
}

/** The number of promoters in one commit. */
const TOGETHER = 100;

/**
 * Sends each promoter an e-mail with their new link, unless they have got it already. A mark is written with
 * each e-mail, so that no promoter gets a second one, even after a kill or a repeated call. Imported
 * promoters get it as well.
 *
 * @see docs/spec/events.md "E-mails"
 */
export async function mailNewLinks(
  context: Context,
  account: Account,
  { public_url, is_dry_run }: { public_url: string; is_dry_run: boolean },
): Promise<MailedCounts> {
  const { store, now } = context;
  const counts: MailedCounts = { mailed: 0, mailedBefore: 0, unsubscribed: 0, withoutLink: 0 };
  for await (const chunk of store.scan(promoters, "id", account.id, [])) {
    for (let at = 0; at < chunk.length; at += TOGETHER) {
      const some = chunk.slice(at, at + TOGETHER);
      const judged = await Promise.all(some.map((promoter) => judge(store, promoter)));
      for (const verdict of judged) counts[verdict]++;
      const chosen = some.filter((_, index) => judged[index] === "mailed");
      if (is_dry_run || chosen.length === 0) continue;
      const ids = await Promise.all(chosen.map(() => store.nextId("delivery")));
      const mailedCount = await store.transact((tx) =>
        mailSome(tx, { account, public_url, now, promoters: chosen, ids }),
      );
      counts.mailed -= chosen.length - mailedCount;
      counts.mailedBefore += chosen.length - mailedCount;
    }
  }
  return counts;
}

async function judge(store: Store, promoter: Promoter): Promise<keyof MailedCounts> {
  const { account_id, id } = promoter;
  if ((await store.get(mailedLinks, account_id, id)) !== null) return "mailedBefore";
  if (await isUnsubscribed(store, account_id, id)) return "unsubscribed";
  if (promoter.archived_at !== null || promoter.is_unconfirmed || isErased(promoter)) return "withoutLink";
  return (await findAccepted(store, promoter)) === null ? "withoutLink" : "mailed";
}

/** The campaign whose link is sent: the promoter's first one, if it has accepted them. */
async function findAccepted(
  view: View,
  { account_id, id, default_promoter_campaign_id }: Promoter,
): Promise<PromoterCampaign | null> {
  const all = await listPromoterCampaigns(view, account_id, id);
  const accepted = all.filter(({ state }) => state === "accepted");
  return accepted.find((each) => each.id === default_promoter_campaign_id) ?? accepted[0] ?? null;
}

async function mailSome(
  tx: Transaction,
  {
    account,
    public_url,
    now,
    promoters: chosen,
    ids,
  }: { account: Account; public_url: string; now: Date; promoters: Promoter[]; ids: number[] },
): Promise<number> {
  let count = 0;
  const at = now.toISOString();
  for (const [index, promoter] of chosen.entries()) {
    // A concurrent request may have sent it meanwhile.
    if ((await tx.get(mailedLinks, account.id, promoter.id)) !== null) continue;
    const promoterCampaign = await findAccepted(tx.view, promoter);
    const campaign = promoterCampaign && (await tx.get(campaigns, account.id, promoterCampaign.campaign_id));
    if (promoterCampaign === null || campaign === null) continue;
    await tx.insert(mailedLinks, { account_id: account.id, promoter_id: promoter.id, at });
    const addressee = { account, campaign, promoter, promoterCampaign, public_url };
    await enqueueEmail(tx, addressee, { kind: "new_links", id: ids[index]!, now });
    count += 1;
  }
  if (count > 0) {
    const before = await findSwitch(tx, account.id);
    await tx.put(switches, {
      ...before,
      links_mailed_at: at,
      links_mailed_count: before.links_mailed_count + count,
    });
  }
  return count;
}
