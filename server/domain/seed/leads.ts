import type { Transaction } from "../../storage/store.ts";
import type { Campaign } from "../program/campaign/campaign.ts";
import type { Context } from "../context.ts";
import { leads, newLead, type Lead, type LeadState, type Suspicion } from "../people/lead/lead.ts";
import { nameKey, originIn, originOf, subKeyOf, type Origin } from "../people/origin.ts";
import { promoters } from "../people/promoter/promoter.ts";
import { addPastClicks, visitors, type Visitor } from "../people/visitor/visitor.ts";
import type { SeedPromoter } from "./promoters.ts";
import { busyInstants, chunks, nextIds, putAll, rollPerson, type Dice, type SeedPlan } from "./plan.ts";
import { DAY_MS } from "../span.ts";

/** A way in which visitors reach the site. */
interface Arrival {
  origin: Omit<Origin, "sub_key">;
  url: string;
  referrer: string | null;
}

/** A lead with the clicks of its day. */
interface SeedLead {
  lead: Lead;
  /** Null if the cookie has expired. */
  visitor: Visitor | null;
  /** Clicks of unknown visitors. */
  clicksCount: number;
}

/** Makes leads, oldest first, and yields each chunk of them. */
export async function* seedLeads(
  plan: SeedPlan,
  count: number,
  from: { seeded: SeedPromoter[]; arrivals: Arrival[] },
): AsyncGenerator<Lead[]> {
  const { store } = plan.context;
  const instants = busyInstants(plan, count);
  const accepted = from.seeded.filter(({ promoterCampaign }) => promoterCampaign.state === "accepted");
  let joined = 1;
  for (const size of chunks(count)) {
    const ids = await nextIds(store, "lead", size);
    const eventIds = await nextIds(store, "event", size);
    const made: SeedLead[] = [];
    for (const [at, createdAt] of instants.splice(0, size).entries()) {
      while (joined < accepted.length && accepted[joined]!.promoter.created_at < createdAt.toISOString())
        joined += 1;
      const place = { id: ids[at]!, event_id: eventIds[at]!, created_at: createdAt, arrivals: from.arrivals };
      made.push(newSeedLead(plan, { ...place, seeded: accepted, joinedCount: joined }));
    }
    await putAll(store, made, putLead);
    yield made.map(({ lead }) => lead);
  }
}

const PAGES = ["", "/pricing", "/features", "/blog/why-we-switched"];

/** The sites with links, the most common first. Null: the browser sends no referrer. */
const REFERRERS = [
  "https://www.youtube.com/",
  null,
  "https://www.google.com/",
  "https://www.linkedin.com/",
  "https://www.reddit.com/",
  "https://github.com/",
  "https://www.instagram.com/",
  "https://news.example/",
];
const QUERIES = ["", "?utm_source=newsletter", "?utm_source=podcast"];

/** Stores the origins of the program's visitors, the most common ones first. */
export function seedArrivals(
  { store, now }: Context,
  { account_id, landing_url }: Pick<Campaign, "account_id" | "landing_url">,
): Promise<Arrival[]> {
  const day = now.toISOString().slice(0, 10);
  const { origin: site } = new URL(landing_url);
  const pages = PAGES.map((path) => (path === "" ? landing_url : site + path));
  return store.transact(async (tx) => {
    const arrivals: Arrival[] = [];
    for (const referrer of REFERRERS) {
      for (const page of pages) {
        // A referrer names the source by itself. Without one, only the parameter can.
        for (const query of referrer === null ? QUERIES : [""]) {
          const url = page + query;
          const origin = await originOf(
            tx,
            { account_id, day },
            { url, referrer, isOwnPage: false, isOwnSite: () => true },
          );
          arrivals.push({ origin, url, referrer });
        }
      }
    }
    return arrivals;
  });
}

/** The ids of a new lead, and the possible promoters: so many of the first ones. */
interface LeadPlace {
  id: number;
  event_id: number;
  created_at: Date;
  seeded: SeedPromoter[];
  joinedCount: number;
  arrivals: Arrival[];
}

/** How long browsers keep the cookie of a visitor. */
const COOKIE_DAYS = 60;

const PER_CHANNEL = 3;

/** The channels that links name, and one lead in so many comes by a channel. */
const CHANNELS = ["newsletter", "video", "blog"];

/** The maximum of clicks on a day that brought a single lead. */
const MOST_CLICKS = 14;

/** Makes a believable lead. As in real programs, few promoters bring many, and most bring some. */
function newSeedLead(plan: SeedPlan, place: LeadPlace): SeedLead {
  const { dice, account, context } = plan;
  const { id, created_at, seeded, arrivals } = place;
  const { promoterCampaign } = seeded[early(dice, place.joinedCount, dice.percent(30) ? 1 : 3)]!;
  const arrival = arrivals[early(dice, arrivals.length, 2)]!;
  const person = rollPerson(dice);
  const isRecent = context.now.getTime() - created_at.getTime() < COOKIE_DAYS * DAY_MS;
  const tid = isRecent ? context.chance.uuid() : null;
  const subId = id % PER_CHANNEL === 0 ? CHANNELS[(id / PER_CHANNEL) % CHANNELS.length]! : null;
  const lead = newLead({
    account_id: account.id,
    id,
    promoter_campaign_id: promoterCampaign.id,
    promoter_id: promoterCampaign.promoter_id,
    campaign_id: promoterCampaign.campaign_id,
    state: dice.percent(92) ? "signup" : dice.pick<LeadState>(["subscribed", "denied", "pending"]),
    email: `${person.handle}.${id}@example.com`,
    uid: `cus_${id}`,
    first_name: person.first_name,
    last_name: person.last_name,
    entry_source: "cookie",
    ...arrival.origin,
    sub_key: subId === null ? null : nameKey(subId),
    fraud_check: suspicionOf(dice),
    tid,
    sub_id: subId,
    signup_event_id: place.event_id,
    skip_email_notification: true,
    created_at: created_at.toISOString(),
  });
  return {
    lead,
    visitor: tid === null ? null : visitorOf(lead, { tid, arrival, ref_token: promoterCampaign.ref_token }),
    clicksCount: dice.number(MOST_CLICKS) + (isRecent ? 0 : 1),
  };
}

/** A number from 0 to below `count`. More `rolls` make smaller numbers more likely. */
function early(dice: Dice, count: number, rolls: number): number {
  return Math.min(...Array.from({ length: rolls }, () => dice.number(count)));
}

function suspicionOf(dice: Dice): Suspicion {
  if (!dice.percent(4)) return "no_suspicion";
  return dice.pick(["same_ip_suspicion", "unseen_visitor", "ad_source", "same_promoter_email"]);
}

function visitorOf(
  lead: Lead,
  { tid, arrival, ref_token }: { tid: string; arrival: Arrival; ref_token: string },
): Visitor {
  const { account_id, promoter_campaign_id, promoter_id, campaign_id, sub_id, created_at } = lead;
  const url = new URL(arrival.url);
  url.searchParams.set("via", ref_token);
  if (sub_id !== null) url.searchParams.set("sub_id", sub_id);
  const clickedAt = Date.parse(created_at) - 10 * 60 * 1_000;
  return {
    account_id,
    tid,
    promoter_campaign_id,
    promoter_id,
    campaign_id,
    ...originIn(lead),
    url: url.href,
    referrer: arrival.referrer,
    sub_id,
    is_ad_traffic: false,
    address_hash: null,
    created_at: new Date(clickedAt).toISOString(),
    expires_at: new Date(clickedAt + COOKIE_DAYS * DAY_MS).toISOString(),
  };
}

/** As with real sign-ups, a suspicion also marks the promoter. */
async function putLead(tx: Transaction, { lead, visitor, clicksCount: count }: SeedLead): Promise<void> {
  const { account_id, promoter_campaign_id, promoter_id, campaign_id, created_at, fraud_check, sub_id } =
    lead;
  const day = created_at.slice(0, 10);
  // Reports find the channel's name by its key.
  if (sub_id !== null) await subKeyOf(tx, { account_id, id: promoter_campaign_id }, { sub_id, day });
  await tx.put(leads, lead);
  if (visitor !== null) await tx.put(visitors, visitor);
  const owner = { account_id, promoter_campaign_id, promoter_id, campaign_id };
  if (count > 0) await addPastClicks(tx, { ...owner, ...originIn(lead), day, count });
  if (fraud_check === "no_suspicion" || fraud_check === "unseen_visitor") return;
  const promoter = await tx.get(promoters, account_id, promoter_id);
  if (promoter === null || promoter.fraud_suspicions.includes(fraud_check)) return;
  await tx.put(promoters, { ...promoter, fraud_suspicions: [...promoter.fraud_suspicions, fraud_check] });
}
