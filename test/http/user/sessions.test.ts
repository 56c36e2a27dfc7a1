import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  endSession,
  endSessions,
  findSession,
  isOfCredential,
  listSessions,
  noteUse,
  openSession,
  sweepSessions,
  type Holder,
} from "../../../server/domain/access/session.ts";
import { newContext } from "../../../server/request/services.ts";
import { NOW, startApp, type TestApp } from "../../support/app.ts";

const USER: Holder = { kind: "user", account_id: 1, id: 7 };
const PROMOTER: Holder = { kind: "promoter", account_id: 1, id: 7 };
const DAY_MS = 24 * 60 * 60 * 1_000;

let app: TestApp;
beforeEach(async () => void (app = await startApp()));
afterEach(() => app.close());

const context = () => newContext(app.services);
const later = (ms: number) => app.setNow(new Date(Date.parse(NOW) + ms).toISOString());

function open(holder: Holder, endsAt?: Date) {
  const input = { holder, credential: "hash", device: "Firefox", ...(endsAt && { ends_at: endsAt }) };
  return app.services.store.transact((tx) => openSession(tx, context(), input));
}

describe("a session", () => {
  it("is found by its token alone, and only as the kind that it is", async () => {
    const { session, token } = await open(USER);
    expect(await findSession(context(), "user", token)).toEqual(session);
    expect(await findSession(context(), "promoter", token)).toBeNull();
    expect(await findSession(context(), "user", session.hash)).toBeNull();
    expect(JSON.stringify(session)).not.toContain(token);
  });

  it("belongs to the credential that opened it", async () => {
    const { session } = await open(USER);
    expect(isOfCredential(session, "hash")).toBe(true);
    expect(isOfCredential(session, "another")).toBe(false);
    expect(isOfCredential(session, null)).toBe(false);
  });

  it("ends when it was not used for 14 days, and lives on when it was", async () => {
    const { session, token } = await open(USER);
    later(13 * DAY_MS);
    await noteUse(context(), session);
    later(26 * DAY_MS);
    expect(await findSession(context(), "user", token)).toMatchObject({ hash: session.hash });
    later(28 * DAY_MS);
    expect(await findSession(context(), "user", token)).toBeNull();
  });

  it("ends at its end although it is used", async () => {
    const { session, token } = await open(PROMOTER, new Date(Date.parse(NOW) + DAY_MS));
    later(DAY_MS - 1);
    await noteUse(context(), session);
    expect(await findSession(context(), "promoter", token)).not.toBeNull();
    later(DAY_MS);
    expect(await findSession(context(), "promoter", token)).toBeNull();
  });

  it("stays ended when a request that it began is still under way", async () => {
    const { session, token } = await open(USER);
    later(DAY_MS);
    await app.services.store.transact((tx) => endSession(tx, session));
    await noteUse(context(), session);
    expect(await findSession(context(), "user", token)).toBeNull();
  });
});

describe("the sessions of someone", () => {
  it("are listed without those of others and without those that ended", async () => {
    const { session: old } = await open(USER);
    await open(PROMOTER);
    later(10 * DAY_MS);
    const { session: recent } = await open(USER);
    expect(await listSessions(app.services.store, USER, context().now)).toEqual([recent, old]);
    later(20 * DAY_MS);
    expect(await listSessions(app.services.store, USER, context().now)).toEqual([recent]);
  });

  it("end together, or all but one", async () => {
    const { session: kept } = await open(USER);
    await open(USER);
    const { token } = await open(PROMOTER);
    await app.services.store.transact((tx) => endSessions(tx, USER, { except: kept.hash }));
    expect(await listSessions(app.services.store, USER, context().now)).toEqual([kept]);
    await app.services.store.transact((tx) => endSessions(tx, USER));
    expect(await listSessions(app.services.store, USER, context().now)).toEqual([]);
    expect(await findSession(context(), "promoter", token)).not.toBeNull();
  });

  it("are removed by the sweep once they have ended", async () => {
    await open(USER);
    later(10 * DAY_MS);
    const { session: recent } = await open(USER);
    later(20 * DAY_MS);
    const { store, clock } = app.services;
    for await (const _ of sweepSessions({ store, clock, guard: async () => {} }));
    expect(await listSessions(store, USER, new Date(NOW))).toEqual([recent]);
  });
});
