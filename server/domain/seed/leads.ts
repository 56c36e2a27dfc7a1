import { leads, newLead, type Lead, type LeadState, type Suspicion } from "../lead/lead.ts";
import { promoters } from "../promoter/promoter.ts";
import type { Transaction } from "../../storage/store.ts";
import { nameKey, subKeyOf } from "../origin/origin.ts";
import { addPastClicks, visitors, type Visitor } from "../visitor/visitor.ts";
import type { Arrival } from "./arrivals.ts";
import { chunks, nextIds, putAll } from "./chunks.ts";
import type { Dice } from "./dice.ts";
import type { Member } from "./members.ts";
import { rollPerson } from "./people.ts";
import { busyInstants, DAY_MS, type SeedPlan } from "./plan.ts";

/** How long browsers keep the cookie of a visitor. */
const COOKIE_DAYS = 60;
/** The channels that links name, and one lead in so many comes by a channel. */
const CHANNELS = ["newsletter", "video", "blog"];
const PER_CHANNEL = 3;
/** The most clicks of a day that brought a single lead. */
const MOST_CLICKS = 14;

/** Makes leads, oldest first, and hands over each chunk of them. */
export async function* seedLeads(
  plan: SeedPlan,
  count: number,
  from: { members: Member[]; arrivals: Arrival[] },
): AsyncGenerator<Lead[]> {
  const { store } = plan.context;
  const instants = busyInstants(plan, count);
  const accepted = from.members.filter(({ promoterCampaign }) => promoterCampaign.state === "accepted");
  let joined = 1;
  for (const size of chunks(count)) {
    const ids = await nextIds(store, "lead", size);
    const eventIds = await nextIds(store, "event", size);
    const made: SeedLead[] = [];
    for (const [at, createdAt] of instants.splice(0, size).entries()) {
      while (joined < accepted.length && accepted[joined]!.promoter.createdAt < createdAt.toISOString())
        joined += 1;
      const place = { id: ids[at]!, eventId: eventIds[at]!, createdAt, arrivals: from.arrivals };
      made.push(newSeedLead(plan, { ...place, members: accepted, joinedCount: joined }));
    }
    await putAll(store, made, putLead);
    yield made.map(({ lead }) => lead);
  }
}

/** By the rules of real sign-ups, a suspicion also marks the promoter. */
async function putLead(tx: Transaction, { lead, visitor, clicksCount: count }: SeedLead): Promise<void> {
  const { accountId, promoterCampaignId, promoterId, campaignId, origin, createdAt, suspicion, subId } = lead;
  // Reports find the channel's name by its key.
  if (subId !== null) await subKeyOf(tx, { accountId, id: promoterCampaignId }, subId);
  await tx.put(leads, lead);
  if (visitor !== null) await tx.put(visitors, visitor);
  const day = createdAt.slice(0, 10);
  const owner = { accountId, promoterCampaignId, promoterId, campaignId };
  if (count > 0) await addPastClicks(tx, { ...owner, day, origin, count });
  const promoter = suspicion === "no_suspicion" ? null : await tx.get(promoters, accountId, promoterId);
  if (promoter === null || suspicion === "no_suspicion" || promoter.fraudSuspicions.includes(suspicion))
    return;
  await tx.put(promoters, { ...promoter, fraudSuspicions: [...promoter.fraudSuspicions, suspicion] });
}

/** A lead with the clicks of its day. */
interface SeedLead {
  lead: Lead;
  /** null: the cookie has expired. */
  visitor: Visitor | null;
  /** Clicks whose visitors are not known. */
  clicksCount: number;
}

/** The ids of a new lead, and those who may have brought it: so many of the first members. */
interface LeadPlace {
  id: number;
  eventId: number;
  createdAt: Date;
  members: Member[];
  joinedCount: number;
  arrivals: Arrival[];
}

/** Makes a believable lead. As in real programs, few promoters bring many, and most bring some. */
function newSeedLead(plan: SeedPlan, place: LeadPlace): SeedLead {
  const { dice, account, context } = plan;
  const { id, createdAt, members, arrivals } = place;
  const { promoterCampaign } = members[early(dice, place.joinedCount, dice.percent(30) ? 1 : 3)]!;
  const arrival = arrivals[early(dice, arrivals.length, 2)]!;
  const person = rollPerson(dice);
  const isRecent = context.now.getTime() - createdAt.getTime() < COOKIE_DAYS * DAY_MS;
  const tid = isRecent ? context.chance.uuid() : null;
  const subId = id % PER_CHANNEL === 0 ? CHANNELS[(id / PER_CHANNEL) % CHANNELS.length]! : null;
  const lead = newLead({
    accountId: account.id,
    id,
    promoterCampaignId: promoterCampaign.id,
    promoterId: promoterCampaign.promoterId,
    campaignId: promoterCampaign.campaignId,
    state: dice.percent(92) ? "signup" : dice.pick<LeadState>(["subscribed", "denied", "pending"]),
    email: `${person.handle}.${id}@example.com`,
    uid: `cus_${id}`,
    firstName: person.firstName,
    lastName: person.lastName,
    entrySource: "cookie",
    origin: { ...arrival.origin, ...(subId !== null && { subKey: nameKey(subId) }) },
    suspicion: suspicionOf(dice),
    tid,
    subId,
    signupEventId: place.eventId,
    skipEmailNotification: true,
    createdAt: createdAt.toISOString(),
  });
  return {
    lead,
    visitor: tid === null ? null : visitorOf(lead, { tid, arrival, refToken: promoterCampaign.refToken }),
    clicksCount: dice.number(MOST_CLICKS) + (isRecent ? 0 : 1),
  };
}

function visitorOf(
  { accountId, promoterCampaignId, promoterId, campaignId, origin, subId, createdAt }: Lead,
  { tid, arrival, refToken }: { tid: string; arrival: Arrival; refToken: string },
): Visitor {
  const url = new URL(arrival.url);
  url.searchParams.set("via", refToken);
  if (subId !== null) url.searchParams.set("sub_id", subId);
  const clickedAt = Date.parse(createdAt) - 10 * 60 * 1_000;
  return {
    accountId,
    tid,
    promoterCampaignId,
    promoterId,
    campaignId,
    origin,
    url: url.href,
    referrer: arrival.referrer,
    subId,
    isAdTraffic: false,
    addressHash: null,
    createdAt: new Date(clickedAt).toISOString(),
    expiresAt: new Date(clickedAt + COOKIE_DAYS * DAY_MS).toISOString(),
  };
}

function suspicionOf(dice: Dice): Suspicion {
  if (!dice.percent(4)) return "no_suspicion";
  return dice.pick(["same_ip_suspicion", "same_ip_suspicion", "ad_source", "same_promoter_email"]);
}

/** A number from 0 to below `count`, the smaller the more `rolls` there are. */
function early(dice: Dice, count: number, rolls: number): number {
  return Math.min(...Array.from({ length: rolls }, () => dice.number(count)));
}
