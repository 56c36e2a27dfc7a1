import { expect, it } from "vitest";
import { Failure, LOST_RACE } from "../../../server/failure.ts";
import { KEY, NOW, answerOf, startApp } from "../../support/app.ts";
import { failCommits } from "../../support/edge.ts";

const V2 = { authorization: `Bearer ${KEY}`, "account-id": "acme", "content-type": "application/json" };

it("answers 503, and reports no record as failed, if the store is briefly away during a batch", async () => {
  const app = await startApp();
  for (const name of ["jane", "ben"])
    await app.v1("/promoters/create", { email: `${name}@example.com`, first_name: name });
  failCommits(
    app,
    new Failure("unavailable", "The store could not be written to; try again"),
    (at) => at === 1,
  );
  const { status, headers, body } = await app.v2("POST", "/promoters/archive", { ids: [1, 2] });
  expect([status, headers.get("retry-after"), body]).toEqual([
    503,
    "1",
    { message: "The store could not be written to; try again", code: "unavailable" },
  ]);
  expect((await app.v2("POST", "/promoters/archive", { ids: [1, 2] })).body).toMatchObject({
    processed_count: 2,
  });
  await app.close();
});

it("says within a second that it is not ready if the store does not answer at all", async () => {
  const app = await startApp();
  const { edge } = app.stored;
  const { read } = edge;
  edge.read = () => new Promise(() => {});
  const { status, headers, body } = await answerOf(await app.request("/readyz"));
  expect([status, headers.get("retry-after"), body]).toEqual([
    503,
    "1",
    { status: "unavailable", reason: "The store does not answer in time" },
  ]);
  edge.read = read;
  expect((await answerOf(await app.request("/readyz"))).body).toEqual({ status: "ready" });
  await app.close();
});

it("answers 503 with Retry-After, and logs the reason every ten seconds, while the store can't be written to", async () => {
  const app = await startApp();
  const { v1, request, bugs, setNow, close } = app;
  await v1("/promoters/create", { email: "jane@example.com", ref_id: "jane" });
  const failure = new Failure("unavailable", "The store could not be written to; try again");
  failure.cause = new Error("No space left on device");
  failCommits(app, failure);

  const first = await v1("/track/signup", { email: "lead@example.com", ref_id: "jane" });
  expect(first.status).toBe(503);
  expect(first.headers.get("retry-after")).toBe("1");
  expect(first.body).toEqual({ error: "The store could not be written to; try again" });

  const body = JSON.stringify({ email: "lead@example.com", ref_id: "jane" });
  const second = await answerOf(await request("/api/v2/track/signup", { method: "POST", headers: V2, body }));
  expect(second.status).toBe(503);
  expect(second.headers.get("retry-after")).toBe("1");
  expect(second.body).toEqual({
    message: "The store could not be written to; try again",
    code: "unavailable",
  });

  expect(bugs).toHaveLength(1);
  const line = { level: 50, msg: "The store could not be written to; try again" };
  const cause = { message: "No space left on device" };
  expect(JSON.parse(bugs[0]!)).toMatchObject({ ...line, err: cause });
  for (const instant of [9_999, 10_000, 10_001]) {
    setNow(new Date(Date.parse(NOW) + instant).toISOString());
    expect((await v1("/track/signup", { email: "lead@example.com", ref_id: "jane" })).status).toBe(503);
  }
  expect(bugs).toHaveLength(2);
  expect(JSON.parse(bugs[1]!)).toMatchObject({ ...line, err: cause, unloggedCount: 2 });
  setNow("2026-03-03T00:00:00.000Z");
  await v1("/track/signup", { email: "lead@example.com", ref_id: "jane" });
  expect(bugs).toHaveLength(3);
  await close();
});

it("answers 503 to a race that was lost for too long, which is no error in the log and hides none", async () => {
  const app = await startApp();
  const { transact } = app.services.store;
  const fail = (cause: Error) => {
    const failure = new Failure("unavailable", "Other requests kept changing the same records; try again");
    failure.cause = cause;
    app.services.store = { ...app.services.store, transact: () => Promise.reject(failure) };
    return app.v1("/promoters/create", { email: "jane@example.com" });
  };
  expect((await fail(LOST_RACE)).status).toBe(503);
  expect(app.bugs).toEqual([]);
  expect((await fail(new Error("No space left on device"))).status).toBe(503);
  expect(app.bugs).toHaveLength(1);
  app.services.store = { ...app.services.store, transact };
  await app.close();
});

it.each(["sale", "refund", "cancellation", "signup"])(
  "answers 503 to a %s of V2 that lost too many races, because 409 says that it is recorded",
  async (name) => {
    const app = await startApp();
    const failure = new Failure("conflict", "Other requests kept changing the same records; try again");
    app.services.store = { ...app.services.store, transact: () => Promise.reject(failure) };
    const body = JSON.stringify({ email: "lead@example.com", ref_id: "jane", event_id: "in_1", amount: 100 });
    const answer = await app.request(`/api/v2/track/${name}`, { method: "POST", headers: V2, body });
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("1");
    expect(await answer.json()).toEqual({ message: failure.message, code: "unavailable" });
    await app.close();
  },
);
