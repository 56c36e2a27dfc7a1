import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Failure } from "../../../server/failure.ts";
import { newJobs } from "../../../server/process/jobs.ts";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { v1 } from "../../support/calls.ts";
import { failCommits } from "../../support/edge.ts";
import { findFaults } from "../../support/consistency.ts";
import { statsOf } from "../../support/stats.ts";
import { addCampaign } from "../../support/v2.ts";

const TID = "7f1b2c3d-1111-4222-8333-444455556666";
const BEFORE_THE_END = "2026-05-03T05:06:07.889Z";
const THE_END = "2026-05-03T05:06:07.890Z";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
  await app.v1("/promoters/create", { email: "jane@example.com", ref_id: "jane" });
  await app.v1("/promoters/create", { email: "bob@example.com", ref_id: "bob" });
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  expect(await findFaults(app.stored.engine)).toEqual([]);
  await app.close();
});

const click = (tid: string, ref_id: string, params = {}) =>
  app.browser("/t/click", { tid, ref_id, ...params });
const clicksOf = async (id: number) => {
  return (await statsOf(app.services.store, app.account_id, id)).clicks;
};
const visitorCount = () => app.records.count("visitor");
const tidOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
const report = async () => {
  const asked = { start_date: "2026-03-01", end_date: "2026-03-31", group_by: "day" };
  return (await v1(app, "GET", "/reports/overview", { ...asked, "selected_fields[]": "clicks_count" })).body;
};

describe("a visitor whose cookie has expired", () => {
  it("is unknown to sign-ups and pages", async () => {
    await click(TID, "jane");
    app.setNow(BEFORE_THE_END);
    expect((await app.v1("/track/signup", { email: "a@example.com", tid: TID })).status).toBe(200);
    app.setNow(THE_END);
    const refused = await app.v1("/track/signup", { email: "b@example.com", tid: TID });
    expect({ status: refused.status, body: refused.body }).toEqual({
      status: 404,
      body: { message: "Visitor invalid or not found." },
    });
    const { body } = await app
      .request(`/t/details?cid=acme&tid=${TID}`)
      .then((answer) => answer.json().then((json: unknown) => ({ body: json })));
    expect(body).toEqual({ details: null });
  });

  it("becomes another visitor with the next click, which counts", async () => {
    await click(TID, "jane");
    app.setNow(BEFORE_THE_END);
    expect((await click(TID, "bob")).body).toMatchObject({ status: "known", ref_id: "jane", cookie_days: 1 });
    app.setNow(THE_END);
    const again = { status: "recorded", tid: TID, ref_id: "bob", cookie_days: 60 };
    expect((await click(TID, "bob")).body).toMatchObject(again);
    expect([await clicksOf(1), await clicksOf(2), await visitorCount()]).toEqual([1, 1, 1]);
  });

  it("keeps the lifetime of the cookie if the campaign's lifetime changes", async () => {
    await click(TID, "jane");
    await app.v2("PUT", "/campaigns/1", { visitor_cookie_life: 1 });
    app.setNow("2026-03-10T00:00:00.000Z");
    expect((await click(TID, "jane")).body).toMatchObject({ status: "known", cookie_days: 55 });
  });
});

describe("the sweep of visitors", () => {
  const elapsedMs = () => app.services.clock().getTime();

  it("removes expired visitors, and keeps the counts of their clicks", async () => {
    await addCampaign(app, { name: "Short", landing_url: "https://acme.example", visitor_cookie_life: 1 });
    await app.v1("/promoters/create", { email: "s@example.com", ref_id: "short", campaign_id: "2" });
    for (let number = 0; number < 130; number++) await click(tidOf(number), "short");
    await click(TID, "jane");
    app.setNow("2026-03-05T05:06:07.890Z");
    await click(tidOf(200), "short");
    const before = await report();
    expect(before).toContainEqual({ clicks_count: 131, period: "Mar 4, 2026" });
    await newJobs(app.services, elapsedMs).pass();
    expect([await visitorCount(), await clicksOf(1), await clicksOf(3)]).toEqual([2, 1, 131]);
    expect(await report()).toEqual(before);
    expect((await app.v1("/track/signup", { email: "a@example.com", tid: tidOf(1) })).status).toBe(404);
    expect((await app.v1("/track/signup", { email: "a@example.com", tid: tidOf(200) })).status).toBe(200);
    expect((await click(tidOf(1), "short")).body).toMatchObject({ status: "recorded" });
    expect(await clicksOf(3)).toBe(132);
  });

  it("is done by one process, and by another one if that has died", async () => {
    await click(TID, "jane");
    const [first, second] = [newJobs(app.services, elapsedMs), newJobs(app.services, elapsedMs)];
    await first.pass();
    app.setNow("2026-05-03T06:00:00.000Z");
    await second.pass();
    expect(await visitorCount()).toBe(1);
    app.setNow("2026-05-03T06:01:00.000Z");
    await second.pass();
    expect(await visitorCount()).toBe(0);
    await second.stop();
    await first.stop();
  });

  it("pauses for an hour between its rounds", async () => {
    const jobs = newJobs(app.services, elapsedMs);
    const wholeRound = async () => {
      await jobs.pass();
      await jobs.pass();
    };
    const at = (ms: number) => app.setNow(new Date(Date.parse(NOW) + ms).toISOString());
    await wholeRound();
    await click(TID, "jane");
    await app.records.change("visitor", TID, { expires_at: NOW });
    at(59 * 60_000);
    await wholeRound();
    expect(await visitorCount()).toBe(1);
    at(61 * 60_000);
    await wholeRound();
    expect(await visitorCount()).toBe(0);
  });

  it("starts over an hour after an outage of the store interrupted it", async () => {
    for (let number = 0; number < 3; number++) await click(tidOf(number), "jane");
    app.setNow(THE_END);
    const end = failCommits(app, new Failure("unavailable", "away"), (at) => at > 0);
    const jobs = newJobs(app.services, elapsedMs);
    await jobs.pass();
    expect(app.bugs.splice(0)).toEqual([expect.stringContaining('"msg":"away"')]);
    expect(await visitorCount()).toBe(3);
    end();
    app.setNow("2026-05-03T06:06:07.890Z");
    await jobs.pass();
    expect([await visitorCount(), await clicksOf(1)]).toEqual([0, 3]);
  });
});
