import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../support/event-types.ts";
import { STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { findFaults } from "../../support/consistency.ts";
import { beforeCommit } from "../../support/edge.ts";
import { appOutbox, workOff } from "../../support/outbox.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { company, join, reward } from "../../support/v2.ts";
import { eraseLead, erasePromoter } from "../../support/operations.ts";

/** A word that appears only in the person's own data. */
const MARK = "zqxjkvzq";
const PROMOTER = `${MARK}@example.com`;

describe.each(STORAGES)("an erasure while the outbox works, on %s", (kind) => {
  let app: TestApp;
  let receiver: Receiver;
  beforeEach(async () => {
    app = await startApp(kind, { allowsPrivateWebhooks: true });
    receiver = await startReceiver();
    // Some receivers answer with what they got.
    receiver.answer((response, { text }) => response.end(text));
    await company(app, "POST /webhooks", { url: receiver.url, event_types: EVENT_TYPES });
    await company(app, "PUT /campaigns/1", { emails: { signup_accepted: true, new_referral: true } });
    await join(app, PROMOTER, { ref_id: `${MARK}-jane`, cust_id: MARK, first_name: MARK });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await receiver.close();
    await app.close();
  });

  const placesOf = (text: string) => app.stored.placesOf(text);
  const expectNothingOf = async (text: string) => {
    expect(await placesOf(text)).toEqual([]);
    expect(await findFaults(app.stored.engine)).toEqual([]);
    await workOff(appOutbox(app));
    expect(await placesOf(text)).toEqual([]);
    expect(await findFaults(app.stored.engine)).toEqual([]);
  };
  const signUp = (email: string) => app.v1("/track/signup", { email, ref_id: `${MARK}-jane` });
  const erase = () => erasePromoter(app, PROMOTER);
  /** Runs work once, between the decision on a commit of deliveries and its writing. */
  const amid = (isIt: (delivery: string) => boolean, then: () => Promise<unknown>) =>
    beforeCommit(app, then, (changes) =>
      changes.some(({ table, doc }) => table === "delivery" && doc !== null && isIt(doc)),
    );

  it("leaves no name of a promoter in events that were being rendered", async () => {
    await workOff(appOutbox(app));
    await signUp("lead@example.com");
    let isErased = false;
    amid(
      (text) => text.includes(MARK),
      async () => {
        await erase();
        isErased = true;
      },
    );
    await workOff(appOutbox(app));
    expect(isErased).toBe(true);
    await expectNothingOf(MARK);
    // The event of the lead is sent all the same.
    const told = receiver.received.filter(({ body }) => body["entity_type"] === "referral");
    expect(told.map(({ body }) => body["data"])).toMatchObject([
      { promoter_campaign: { promoter: { email: "erased-1@erased.invalid", cust_id: null } } },
    ]);
  });

  it("leaves no name of a lead in events that were being rendered", async () => {
    await workOff(appOutbox(app));
    await app.v1("/track/signup", { email: "lead@example.com", uid: `${MARK}-uid`, ref_id: `${MARK}-jane` });
    amid(
      (text) => text.includes(`${MARK}-uid`),
      () => eraseLead(app, "1"),
    );
    await workOff(appOutbox(app));
    await expectNothingOf(`${MARK}-uid`);
  });

  it("leaves no name in the answer to a delivery that was under way", async () => {
    await workOff(appOutbox(app));
    receiver.answer((response, { text }) => {
      receiver.answer((other) => other.end());
      void erase().then(() => response.end(text));
    });
    await signUp("lead@example.com");
    await workOff(appOutbox(app));
    expect(receiver.received.some(({ text }) => text.includes(MARK))).toBe(true);
    await expectNothingOf(MARK);
  });

  it("tells of a lead's deletion only after the event that was under way has ended", async () => {
    await workOff(appOutbox(app));
    const outbox = appOutbox(app);
    let answer = () => {};
    receiver.answer((response) => void (answer = () => response.end()));
    const count = receiver.received.length;
    const told = () => receiver.received.slice(count).map(({ body }) => body["event_type"]);
    await app.v1("/track/signup", { email: "lead@example.com", ref_id: `${MARK}-jane` });
    await outbox.pass();
    await receiver.has(count + 1);
    receiver.answer((response) => response.end());
    await eraseLead(app, "1");
    // The first pass turns the deletion into a delivery, which is one piece of work. Sending it would be another one.
    const begun = [await outbox.pass(), await outbox.pass()];
    answer();
    await outbox.settle();
    await workOff(outbox);
    expect(begun).toEqual([1, 0]);
    expect(told()).toEqual(["referral.created", "referral.deleted"]);
  });

  it.each([200, 500])("leaves no name in an answer of %d that was being stored", async (status) => {
    await workOff(appOutbox(app));
    receiver.answer((response, { text }) => response.writeHead(status).end(text));
    await signUp("lead@example.com");
    amid((text) => (JSON.parse(text) as { response_body: unknown }).response_body !== null, erase);
    await workOff(appOutbox(app));
    receiver.answer((response) => response.end());
    await expectNothingOf(MARK);
  });

  it("leaves no name in the events of a code that went to someone else", async () => {
    const rewardId = await reward(app);
    await join(app, "other@example.com", { ref_id: "other" });
    const code = { code: "SPRING", reward_id: rewardId, promoter_campaign_id: 1 };
    await company(app, "POST /promo_codes", code);
    await workOff(appOutbox(app));
    await company(app, "PUT /promo_codes/1", { promoter_campaign_id: 2 });
    await workOff(appOutbox(app));
    expect(receiver.received.at(-1)!.text).toContain(MARK);
    await erase();
    await expectNothingOf(MARK);
  });

  it.each<[string, (id: number) => Promise<{ id: number }>, (count: number) => Promise<unknown>]>([
    [
      "lead",
      () => eraseLead(app, "1"),
      (count) => app.v1("/leads/update", { id: "1", plan_name: `plan ${count}` }),
    ],
    [
      "promoter",
      () => erasePromoter(app, "1"),
      (count) => company(app, "PUT /promoters/1", { note: `note ${count}` }),
    ],
  ])(
    "of a %s comes through although a change arrives before each of its transactions",
    async (_, run, change) => {
      await signUp(`${MARK}-lead@example.com`);
      const { edge } = app.stored;
      const { begin } = edge;
      let count = 0;
      const arrive = async () => {
        edge.begin = begin;
        await change(count++);
        edge.begin = arrive;
      };
      edge.begin = arrive;
      expect(await run(1)).toMatchObject({ id: 1 });
      edge.begin = begin;
      expect(count).toBeGreaterThan(0);
      await workOff(appOutbox(app));
      expect(await findFaults(app.stored.engine)).toEqual([]);
    },
  );

  it.each([1, 2, 3, 4, 5, 6, 7, 8])("leaves no name in random orders of steps, %d", async (seed) => {
    const chance = chanceOf(seed);
    for (let count = 0; count < 4; count++) await signUp(`lead-${count}@example.com`);
    await app.v1("/track/signup", { email: `${MARK}-lead@example.com`, ref_id: `${MARK}-jane` });
    for (let passes = Math.floor(chance() * 4); passes > 0; passes--) await appOutbox(app).pass();
    app.stored.edge.begin = async () => {
      if (chance() >= 0.5) await turns(chance() * 4);
    };
    const headers = { "x-api-key": "key-of-acme" };
    const change = async (id: number) => {
      await turns(chance() * 20);
      await app.request(`/api/v1/leads/update?id=${id}&new_uid=u-${id}`, { method: "PUT", headers });
    };
    await Promise.all([
      workOff(appOutbox(app)),
      turns(chance() * 20).then(erase),
      turns(chance() * 20).then(() => eraseLead(app, "5")),
      ...[1, 2, 3, 4].map(change),
    ]);
    await expectNothingOf(MARK);
  });
});

/** Lets others go on for so many turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}

/** Pseudo-random numbers from 0 to 1 that repeat in every run. */
function chanceOf(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
