import { setImmediate as othersTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { emailsOf } from "../../../server/domain/program/campaign/campaign.ts";
import { announce } from "../../../server/domain/events/event.ts";
import { leads } from "../../../server/domain/people/lead/lead.ts";
import { createWebhook, loadWebhook, updateWebhook } from "../../../server/domain/events/webhook/webhook.ts";
import type { Dispatcher } from "../../../server/outbox/dispatcher.ts";
import { newContext } from "../../../server/request/services.ts";
import { NOW, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { findFaults } from "../../support/consistency.ts";
import { newDice, type Dice } from "../../support/fuzz/dice.ts";
import { appOutbox, workOff } from "../../support/outbox.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { send } from "../../support/v1.ts";
import { eraseLead, erasePromoter, addAccount } from "../../support/operations.ts";

/** The types of events that a webhook may subscribe to. */
const WANTED = [["created"], ["created", "deleted"], ["updated"], ["created", "updated", "deleted"]].map(
  (names) => names.map((name) => `referral.${name}`),
);
/** Longer than a lease lasts. */
const LEASE_OVER_MS = 10_001;
const LEADS = 12;

/** An event that a receiver should get about a lead. */
interface Told {
  type: string;
  uid: string;
  changes: unknown;
}
/** A lead as the test knows it, with all its events. */
interface Known {
  account_id: number;
  id: number;
  /** A word in every field that names the lead. */
  mark: string;
  uid: string;
  history: Told[];
  isErased: boolean;
}
/** A webhook with its types of events. */
interface Hook {
  id: number;
  path: string;
  types: string[];
}
interface Program {
  account_id: number;
  key: string;
  /** The marks of the promoters. The first one is erased at some point. */
  marks: [erased: string, kept: string];
  /** One webhook is always on, the other is switched on and off. */
  steady: Hook;
  fitful: Hook;
}

describe.each(STORAGES)("two processes that take turns under random changes, on %s", (kind) => {
  let app: TestApp;
  let receiver: Receiver;
  let dice: Dice;
  let now: number;
  let outboxes: [Dispatcher, Dispatcher];
  let known: Known[];
  /** Called when no delivery is under way. */
  let atQuiet: (() => void)[];
  /** Words that must not be sent any more, counted from a number of postings on. */
  let erased: { word: string; from: number }[];
  let over: AbortController;

  beforeEach(async () => {
    dice = newDice(0);
    app = await startApp(kind, { allowsPrivateWebhooks: true });
    app.stored.edge.begin = () => others(3);
    receiver = await startReceiver();
    now = Date.parse(NOW);
    outboxes = [appOutbox(app, { holder: "one" }), appOutbox(app, { holder: "other" })];
    over = new AbortController();
    [known, erased, atQuiet] = [[], [], []];
  });
  afterEach(async () => {
    await receiver.close();
    await app.close();
  });

  /** Lets other work go first, for a random number of turns. */
  async function others(most: number): Promise<void> {
    for (let turns = dice.below(most + 1); turns > 0; turns--) await othersTurn();
  }

  async function startProgram(name: string): Promise<Program> {
    const landingUrl = "https://www.example.com/";
    const key = `key-of-${name}`;
    const made = await addAccount(app, { name, public_id: name, landing_url: landingUrl, key });
    const accountId = made.account.id;
    const marks: Program["marks"] = [`zqp-${name}-x`, `zqp-${name}-y`];
    for (const mark of marks) {
      const params = { email: `${mark}@example.com`, ref_id: mark, first_name: mark };
      expect(await app.v1("/promoters/create", params, { "x-api-key": key })).toMatchObject({ status: 200 });
    }
    const subscribe = async (path: string): Promise<Hook> => {
      const eventTypes = dice.pick(WANTED);
      const { id } = await app.context.store.transact((tx) =>
        createWebhook(tx, app.context, accountId, {
          url: receiver.url + path,
          event_types: eventTypes,
          emailsOf,
        }),
      );
      return { path: `/hook${path}`, types: eventTypes, id };
    };
    const [steady, fitful] = [await subscribe(`/${name}/steady`), await subscribe(`/${name}/fitful`)];
    return { account_id: accountId, key, marks, steady, fitful };
  }

  async function live(program: Program, number: number): Promise<void> {
    const { account_id, key, marks } = program;
    const mark = `zql-${account_id}-${number}-x`;
    const headers = { "x-api-key": key };
    await others(60);
    const made = { email: `${mark}@example.com`, uid: `${mark}-0`, ref_id: dice.pick(marks) };
    const { status, body } = await app.v1("/track/signup", { ...made, sub_id: made.ref_id }, headers);
    if (status === 404) return; // the promoter has been erased
    expect(status).toBe(200);
    const { id } = (body as { lead: { id: number } }).lead;
    const lead = know({ account_id, id, mark });
    for (let change = dice.below(5); change > 0; change--) {
      await others(40);
      const uid = `${mark}-${change}`;
      if (dice.percent(25)) await changeTwice(lead, [`${uid}-before`, uid]);
      else {
        const params = { id: String(id), new_uid: uid };
        expect(await send(app, "PUT /leads/update", params, { headers })).toMatchObject({ status: 200 });
        tell(lead, uid);
      }
    }
    await others(40);
    await flip(program);
    const end = dice.below(4);
    if (end === 0) {
      const answer = await send(app, "DELETE /leads/delete", { id: String(id) }, { headers });
      expect(answer.status).toBe(200);
      tell(lead, null);
    } else if (end === 1) {
      lead.isErased = true;
      await eraseLead({ context: newContext(app.services), account_id }, String(id));
      await forget(mark);
    } else if (end === 2) {
      const like = `zql-${account_id}-${number}-y`;
      const another = know({ account_id, id: await app.services.store.nextId("lead"), mark: like });
      await changeTwice(another, [`${like}-1`, `${like}-2`], lead);
    }
  }

  /** Notes a new lead. */
  function know(made: Pick<Known, "account_id" | "id" | "mark">): Known {
    const uid = `${made.mark}-0`;
    const history = [{ type: "referral.created", uid, changes: {} }];
    const lead: Known = { ...made, uid, history, isErased: false };
    known.push(lead);
    return lead;
  }

  /** Notes that a lead was changed or, with null, deleted. */
  function tell(lead: Known, uid: string | null): void {
    const type = uid === null ? "referral.deleted" : "referral.updated";
    const changes = uid === null ? {} : { uid: [lead.uid, uid] };
    lead.uid = uid ?? lead.uid;
    lead.history.push({ type, uid: lead.uid, changes });
  }

  /** Changes a lead twice in one commit, and may first create it as a copy of another lead. */
  async function changeTwice(lead: Known, [first, last]: [string, string], model?: Known): Promise<void> {
    const { account_id, id, mark } = lead;
    const context = newContext(app.services);
    await context.store.transact(async (tx) => {
      if (model !== undefined) {
        const like = (await tx.get(leads, account_id, model.id))!;
        const made = { ...like, id, sub_id: null, email: `${mark}@example.com`, uid: `${mark}-0` };
        await tx.insert(leads, made);
        await announce(tx, context, { entity: "referral", before: null, after: made });
      }
      for (const uid of [first, last]) {
        const before = (await tx.get(leads, account_id, id))!;
        const after = { ...before, uid };
        await tx.put(leads, after);
        await announce(tx, context, { entity: "referral", before, after });
      }
    });
    tell(lead, first);
    tell(lead, last);
  }

  /** Forbids a word as soon as the deliveries under way at the erasure are done. */
  async function forget(word: string): Promise<void> {
    await new Promise<void>((resolve) => void atQuiet.push(resolve));
    erased.push({ word, from: receiver.received.length });
  }

  async function loseReferrer({ account_id, marks: [mark] }: Program): Promise<void> {
    await others(150);
    await erasePromoter({ context: newContext(app.services), account_id }, `${mark}@example.com`);
    await forget(mark);
  }

  /**
   * Switches the fitful webhook on or off. Each life does so once: every change that announces an event conflicts with
   * a switch. A loop that switches as fast as the disk commits would make such changes fail with 503.
   */
  async function flip({ account_id, fitful: { id } }: Program): Promise<void> {
    const { is_active } = await loadWebhook(app.services.store, account_id, id);
    await set(account_id, { id, changes: { is_active: !is_active } });
  }

  async function switchOn({ account_id, fitful: { id } }: Program): Promise<void> {
    await set(account_id, { id, changes: { is_active: true } });
  }

  async function set(accountId: number, change: { id: number; changes: { is_active: boolean } }) {
    const context = newContext(app.services);
    await context.store.transact((tx) => updateWebhook(tx, context, accountId, { ...change, emailsOf }));
  }

  /** One of the two processes works after it has taken the lease over. */
  async function turn(outbox: Dispatcher): Promise<void> {
    for (let passes = 2 + dice.below(3); passes > 0; passes--) {
      await outbox.pass().catch((error: unknown) => expect(error).toMatchObject({ kind: "conflict" }));
      if (dice.percent(40)) app.setNow(new Date((now += LEASE_OVER_MS)).toISOString());
    }
  }

  async function dispatch(): Promise<void> {
    while (!over.signal.aborted) {
      const both = dice.percent(50) ? outboxes : outboxes.toReversed();
      await Promise.all(both.slice(0, dice.percent(40) ? 2 : 1).map(turn));
      if (atQuiet.length > 0) await Promise.all(outboxes.map((outbox) => outbox.settle()));
      for (const resolve of atQuiet.splice(0)) resolve();
      await others(5);
    }
    await Promise.all(outboxes.map((outbox) => outbox.settle()));
  }

  /** The first process takes over for good and sends the rest. */
  async function finishWork(): Promise<void> {
    await workOff(outboxes[0]);
    app.setNow(new Date((now += LEASE_OVER_MS)).toISOString());
    await workOff(outboxes[0]);
  }

  /** The events of a lead that a webhook got, without repetitions. */
  function receivedOf({ path }: Hook, id: number): Told[] {
    const came = receiver.received.filter((each) => each.path === path && each.body["entity_id"] === id);
    const ids = came.map(({ headers }) => headers["webhook-id"]);
    const first = came.filter((_, at) => ids.indexOf(ids[at]) === at);
    return first.map(({ body }) => {
      const { uid } = body["data"] as { uid: string };
      return { type: String(body["event_type"]), uid, changes: body["changes"] };
    });
  }

  /** The steady webhook got all its events and the fitful one some of them, both in order. */
  function expectTold({ steady, fitful }: Program, { id, history, isErased }: Known): void {
    const wanted = ({ types }: Hook) => history.filter(({ type }) => types.includes(type));
    const came = receivedOf(steady, id);
    if (isErased) return expectForgotten(steady, came, wanted(steady));
    expect(came).toEqual(wanted(steady));
    const due = wanted(fitful).map((each) => JSON.stringify(each));
    let at = 0;
    for (const each of receivedOf(fitful, id)) {
      at = due.indexOf(JSON.stringify(each), at) + 1;
      expect(at, `${JSON.stringify(each)} of ${due.join()}`).toBeGreaterThan(0);
    }
  }

  /** An erased lead's events are not sent after the erasure, except for the deletion. */
  function expectForgotten({ types }: Hook, came: Told[], due: Told[]): void {
    const end = types.includes("referral.deleted") ? ["referral.deleted"] : [];
    const before = came.slice(0, came.length - end.length);
    const known = due.slice(0, before.length).map(({ type }) => type);
    expect(came.map(({ type }) => type)).toEqual([...known, ...end]);
  }

  it.each([1, 2, 3])("send every event in order, and nothing about erased people, %d", async (seed) => {
    dice = newDice(seed);
    const programs = [await startProgram("one"), await startProgram("other")];
    const lives = programs.flatMap((program) => [
      loseReferrer(program),
      ...Array.from({ length: LEADS }, (_, number) => live(program, number)),
    ]);
    const dispatching = dispatch();
    await Promise.all(lives);
    over.abort();
    await dispatching;
    for (const program of programs) await switchOn(program);
    await finishWork();
    for (const program of programs) {
      const own = known.filter(({ account_id }) => account_id === program.account_id);
      for (const lead of own) expectTold(program, lead);
    }
    expect(receiver.received.length).toBeGreaterThan(0);
    for (const { word, from } of erased) {
      expect(receiver.received.slice(from).filter(({ text }) => text.includes(word))).toEqual([]);
      expect(await app.stored.placesOf(word)).toEqual([]);
    }
    expect(await app.records.all("fact")).toEqual([]);
    expect(await findFaults(app.stored.engine)).toEqual([]);
    expect(app.bugs).toEqual([]);
  });
});
