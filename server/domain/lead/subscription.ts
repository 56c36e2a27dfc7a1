import { Failure } from "../../failure.ts";
import type { Account } from "../account/account.ts";
import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import type { Promoter } from "../promoter/record.ts";
import { promoters } from "../promoter/promoter.ts";
import type { Show } from "../show.ts";
import type { Transaction } from "../../storage/store.ts";
import { findKnownLead, leads } from "./lead.ts";
import { addLead } from "./new-lead.ts";
import type { Lead } from "./record.ts";
import { findReferrer } from "./referrer.ts";
import type { Signup } from "./signup.ts";

/** A person who subscribed to news, for example to a newsletter. */
export type Subscriber = Pick<
  Signup,
  "details" | "tid" | "refToken" | "promoterEmail" | "address" | "createdAt" | "skipEmailNotification"
>;

/** A subscriber's lead, its promoter and the id of the event. */
export interface RecordedSubscription {
  eventId: number;
  lead: Lead;
  promoter: Promoter;
}

/**
 * Records that a person subscribed. A sign-up may still follow. null: nobody referred the person.
 *
 * Choice: a lead that has signed up or bought something keeps its state, because it is further than a subscriber.
 *
 * @throws Failure `not_found` if the tid or the ref id leads to nobody, `already_registered` for a subscriber
 */
export async function recordSubscription<T>(
  context: Context,
  account: Account,
  { show, ...subscriber }: Subscriber & { show: Show<RecordedSubscription, T> },
): Promise<T | null> {
  const { store } = context;
  const ids = { leadId: await store.nextId("lead"), eventId: await store.nextId("event") };
  return store.transact(async (tx) => {
    const known = await findKnownLead(tx, account.id, subscriber.details);
    const recorded =
      known === null
        ? await addSubscriber(tx, context, { account, subscriber, leadId: ids.leadId })
        : await subscribeKnown(tx, context, known);
    return recorded && show(tx.view, { ...recorded, eventId: ids.eventId });
  });
}

type Recorded = Omit<RecordedSubscription, "eventId">;

async function addSubscriber(
  tx: Transaction,
  context: Context,
  { account, subscriber, leadId }: { account: Account; subscriber: Subscriber; leadId: number },
): Promise<Recorded | null> {
  const { tid, refToken, promoterEmail } = subscriber;
  if (tid === null && refToken === null && promoterEmail === null) return null;
  const referrer = await findReferrer(tx, account.id, { tid, refToken, promoterEmail, now: context.now });
  if (referrer === null) throw new Failure("not_found", "Visitor invalid or not found.");
  return addLead(tx, context, {
    account,
    signup: subscriber,
    referrer,
    state: "subscribed",
    entrySource: referrer.visitor === null ? "api" : "cookie",
    ids: { leadId, eventId: null },
  });
}

async function subscribeKnown(tx: Transaction, context: Context, known: Lead): Promise<Recorded | null> {
  if (known.state === "subscribed") {
    throw new Failure("already_registered", "there is already a subscriber event registered on this lead");
  }
  const promoter = await tx.get(promoters, known.accountId, known.promoterId);
  if (promoter === null) return null;
  const isNew = known.state === "signup" && known.signupEventId === null;
  if (!isNew) return { lead: known, promoter };
  const lead: Lead = { ...known, state: "subscribed" };
  await tx.put(leads, lead);
  await announce(tx, context, { entity: "referral", before: known, after: lead });
  return { lead, promoter };
}
