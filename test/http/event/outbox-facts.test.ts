import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newRound } from "../../../server/outbox/fan-out.ts";
import { STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { beforeCommit, type Change } from "../../support/edge.ts";
import { appOutbox, workOff } from "../../support/outbox.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { company, join } from "../../support/v2.ts";
import type { RecordOf } from "../../support/records.ts";
import { addAccount } from "../../support/operations.ts";

describe.each(STORAGES)("facts that wait in the outbox, on %s", (kind) => {
  let app: TestApp;
  let receiver: Receiver;
  beforeEach(async () => {
    app = await startApp(kind, { allowsPrivateWebhooks: true });
    receiver = await startReceiver();
    await join(app, "jane@example.com", { ref_id: "jane" });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await receiver.close();
    await app.close();
  });

  const subscribe = (...names: string[]) =>
    company(app, "POST /webhooks", {
      url: receiver.url,
      event_types: names.map((name) => `referral.${name}`),
    });
  const signUp = (email: string) => app.v1("/track/signup", { email, ref_id: "jane", first_name: "Lee" });
  const ask = (method: string, path: string) =>
    app.request(`/api/v1/leads/${path}`, { method, headers: { "x-api-key": "key-of-acme" } });
  const change = (id: number, uid: string) => ask("PUT", `update?id=${id}&new_uid=${uid}`);
  const note = (entity: RecordOf<"fact">["entity"], ids: number[]) => {
    const at = app.services.clock().toISOString();
    const fact = {
      account_id: 0,
      owner_id: 1,
      entity,
      number: 1,
      at,
      before: null,
      after: null,
    } as const;
    return app.records.put("fact", ...ids.map((entityId) => ({ ...fact, entity_id: entityId })));
  };
  const waiting = () => app.records.all("fact");
  const told = () =>
    receiver.received.map(({ body }) => {
      const {
        event_type: type,
        changes,
        data,
      } = body as { event_type: string; changes: unknown; data: Lead };
      return { type, changes, uid: data.uid, first_name: data.first_name };
    });
  interface Lead {
    uid: string | null;
    first_name: string | null;
  }

  it("of creations are small, because the record has the rest", async () => {
    await subscribe("created");
    await signUp("lead@example.com");
    const [fact] = await waiting();
    expect(fact).toEqual({
      account_id: 0,
      owner_id: app.account_id,
      entity: "referral",
      entity_id: 1,
      number: 1,
      at: "2026-03-04T05:06:07.890Z",
      before: null,
      after: null,
    });
  });

  it.each([[["created"]], [["created", "updated", "deleted"]]])(
    "of creations show the record as it was then, whatever happened since: %j",
    async (names) => {
      await subscribe(...names);
      await signUp("lead@example.com");
      await change(1, "u-1");
      await change(1, "u-2");
      await ask("DELETE", "delete?id=1");
      await workOff(appOutbox(app));
      const all = [
        { type: "referral.created", changes: {}, uid: null, first_name: "Lee" },
        { type: "referral.updated", changes: { uid: [null, "u-1"] }, uid: "u-1", first_name: "Lee" },
        { type: "referral.updated", changes: { uid: ["u-1", "u-2"] }, uid: "u-2", first_name: "Lee" },
        { type: "referral.deleted", changes: {}, uid: "u-2", first_name: "Lee" },
      ];
      expect(told()).toEqual(all.filter(({ type }) => names.includes(type.slice("referral.".length))));
      expect(await waiting()).toEqual([]);
    },
  );

  it("of creations show it as it was then even if it changes while they are rendered", async () => {
    await subscribe("created", "updated");
    await signUp("lead@example.com");
    beforeCommit(
      app,
      () => change(1, "u-1"),
      (changes) => changes.some(({ table, doc }) => table === "fact" && doc === null),
    );
    await workOff(appOutbox(app));
    expect(told()).toEqual([
      { type: "referral.created", changes: {}, uid: null, first_name: "Lee" },
      { type: "referral.updated", changes: { uid: [null, "u-1"] }, uid: "u-1", first_name: "Lee" },
    ]);
  });

  it("of a record that disappeared without an event are dropped", async () => {
    await subscribe("created");
    await signUp("lead@example.com");
    await app.records.remove("lead", 1);
    await workOff(appOutbox(app));
    expect([told(), await waiting()]).toEqual([[], []]);
  });

  it("keep the order of each record if one is written between two readings", async () => {
    await subscribe("created", "updated");
    // As many facts as one reading takes. The last record's next fact comes with the next reading.
    await note(
      "promoter",
      Array.from({ length: 999 }, (_, at) => 1_000 + at),
    );
    const { id: last } = (await signUp("lead@example.com")).body as { id: number };
    const isLast = ({ table, key, doc }: Change) => table === "fact" && doc === null && key.includes(last);
    beforeCommit(
      app,
      () => change(last, "u-1"),
      (changes) => changes.some(isLast),
    );
    await workOff(appOutbox(app));
    expect(told()).toMatchObject([{ type: "referral.created" }, { type: "referral.updated" }]);
  });

  it("are each sent in turn, however many are added meanwhile", async () => {
    await subscribe("created", "updated");
    const next = newRound(app.services);
    const ids = async (limit: number, isLeftAlone: (fact: RecordOf<"fact">) => boolean = () => false) =>
      (await next(limit, isLeftAlone)).map(({ entity_id }) => entity_id);
    expect(await ids(2)).toEqual([]);
    for (let count = 1; count <= 5; count++) await signUp(`lead-${count}@example.com`);
    expect(await ids(2)).toEqual([1, 2]);
    await signUp("lead-6@example.com");
    expect(await ids(2)).toEqual([3, 4]);
    expect(await ids(2)).toEqual([5]);
    expect(await ids(3, ({ entity_id }) => entity_id < 3)).toEqual([3, 4, 5]);
    expect(await ids(9)).toEqual([6]);
    expect(await ids(9, () => true)).toEqual([]);
    expect(await ids(9)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("of one account do not keep those of another waiting", async () => {
    const key = "key-of-beta";
    await addAccount(app, {
      name: "Beta",
      public_id: "beta",
      landing_url: "https://beta.example/",
      key,
    });
    await subscribe("created");
    const beta = { authorization: `Bearer ${key}`, "account-id": "beta", "content-type": "application/json" };
    const hook = { url: `${receiver.url}/beta`, event_types: ["promoter.created"] };
    await app.request("/api/v2/company/webhooks", {
      method: "POST",
      headers: beta,
      body: JSON.stringify(hook),
    });
    for (let count = 1; count <= 40; count++) await signUp(`lead-${count}@example.com`);
    for (const email of ["bea@example.com", "ben@example.com"])
      await app.v1("/promoters/create", { email }, { "x-api-key": key });
    const outbox = appOutbox(app);
    // Each round prepares five facts, and sends what it has prepared.
    for (let round = 0; round < 3; round++) await outbox.pass();
    await outbox.settle();
    expect(receiver.received.filter(({ path }) => path.endsWith("/beta"))).toHaveLength(2);
    expect((await waiting()).length).toBeGreaterThan(20);
  });

  it("are sent in turn although new ones arrive faster than they are sent", async () => {
    const next = newRound(app.services);
    // Last in the order of ids, but older than all except the first.
    await note("referral", [1]);
    const taken: RecordOf<"fact">[] = [];
    for (let second = 10; second < 13; second++) {
      app.setNow(`2026-04-01T00:00:${second}.000Z`);
      // As many facts as one reading takes.
      await note(
        "promoter",
        Array.from({ length: 1_000 }, (_, at) => second * 1_000 + at),
      );
      taken.push(...(await next(1_000, () => false)));
      for (const { owner_id, entity, entity_id, number } of taken)
        await app.records.remove("fact", owner_id, entity, entity_id, number);
    }
    expect(taken.map(({ entity }) => entity)).toContain("referral");
  });

  it("of a clock that is ahead do not wait until this clock reaches them", async () => {
    await subscribe("created");
    app.setNow("2026-05-01T00:00:00.000Z");
    await signUp("lead@example.com");
    app.setNow("2026-04-01T00:00:00.000Z");
    await workOff(appOutbox(app));
    expect(told()).toMatchObject([{ type: "referral.created" }]);
  });
});
