import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPost } from "../../../server/outgoing/post.ts";
import { appOutbox, workOff } from "../../support/outbox.ts";
import { startReceiver } from "../../support/receiver.ts";
import { CHROME, NOW, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { statsOf } from "../../support/stats.ts";

const DAY_BEFORE = "2026-03-03T05:06:07.890Z";
const TIDS = ["7f1b2c3d-1111-4222-8333-444455556666", "7f1b2c3d-1111-4222-8333-444455557777"];

describe.each(STORAGES)("a clock that is set back, on %s", (kind) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(kind);
    await app.v1("/promoters/create", { email: "jane@example.com", ref_id: "jane" });
  });
  afterEach(() => app.close());

  const signUp = (params: Record<string, string>) => app.v1("/track/signup", { ref_id: "jane", ...params });
  const idOf = ({ body }: { body: unknown }) => (body as { lead: { id: number } }).lead.id;
  const visit = (tid = TIDS[0]!, cookieTid = "") =>
    app.browser(
      "/t/click",
      { tid, ref_id: "jane", cookie_tid: cookieTid, url: "https://www.acme.example/?via=jane" },
      { "user-agent": CHROME },
    );

  it("gives ids that grow, and lists in their order", async () => {
    const ids: number[] = [];
    for (const [at, now] of [NOW, DAY_BEFORE, NOW, DAY_BEFORE].entries()) {
      app.setNow(now);
      const answer = await signUp({ email: `lead-${at}@example.com` });
      expect(answer.status).toBe(200);
      ids.push(idOf(answer));
    }
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    expect(new Set(ids).size).toBe(4);
    const listed = await app.records.all("lead");
    expect(listed.map(({ id }) => id)).toEqual(ids);
  });

  it("counts each fact on its day by the clock, and loses none", async () => {
    await visit();
    await signUp({ email: "first@example.com" });
    app.setNow(DAY_BEFORE);
    await visit(TIDS[1]);
    await signUp({ email: "second@example.com" });
    expect(await statsOf(app.context.store, app.account_id, 1)).toMatchObject({ clicks: 2, referrals: 2 });
  });

  it("still finds the visitor, the first sign-up and the suspicion, which now lie in the future", async () => {
    const from = { "x-forwarded-for": "203.0.113.9" };
    await visit();
    const first = await app.v1("/track/signup", { email: "lead@example.com", tid: TIDS[0]! }, from);
    expect(first.status).toBe(200);
    app.setNow(DAY_BEFORE);
    expect((await visit(TIDS[1], TIDS[0])).status).toBe(200);
    expect((await app.v1("/track/signup", { email: "lead@example.com", tid: TIDS[0]! }, from)).status).toBe(
      422,
    );
    const other = await signUp({ email: "other@example.com", ip: "203.0.113.9" });
    expect(other.status).toBe(200);
  });

  it("lets a lead become a customer and cancel before its own creation", async () => {
    const id = idOf(await signUp({ email: "lead@example.com" }));
    app.setNow(DAY_BEFORE);
    const update = (params: Record<string, string>) => app.v1("/leads/update", { id: String(id), ...params });
    expect((await update({ state: "active" })).body).toMatchObject({ customer_since: DAY_BEFORE });
    expect((await update({ state: "cancelled" })).body).toMatchObject({ cancelled_at: DAY_BEFORE });
    const counted = { referrals: 1, customers: 1, active_customers: 0, cancellations: 1 };
    expect(await statsOf(app.context.store, app.account_id, 1)).toMatchObject(counted);
    expect(app.bugs).toEqual([]);
  });

  it("counts a visitor once, whatever the clock says", async () => {
    await visit();
    app.setNow(DAY_BEFORE);
    expect((await visit()).status).toBe(200);
    app.setNow(NOW);
    await visit();
    expect(await statsOf(app.context.store, app.account_id, 1)).toMatchObject({ clicks: 1 });
  });

  it("sends the events of a record in the order in which they happened, at once", async () => {
    const receiver = await startReceiver();
    const { services } = app;
    services.post = newPost({ allowsPrivate: true });
    const outbox = appOutbox(app);
    const hook = { url: receiver.url, event_types: ["referral.created", "referral.updated"] };
    expect((await app.v2("POST", "/webhooks", hook)).status).toBe(201);
    const id = idOf(await signUp({ email: "first@example.com" }));
    app.setNow(DAY_BEFORE);
    await app.v1("/leads/update", { id: String(id), state: "active" });
    await signUp({ email: "second@example.com" });
    await workOff(outbox);
    const sent = receiver.received.map(({ body }) => [body["event_type"], body["entity_id"]]);
    expect(sent.filter(([, entity]) => String(entity) === String(id)).map(([type]) => type)).toEqual([
      "referral.created",
      "referral.updated",
    ]);
    expect(sent).toHaveLength(3);
    await receiver.close();
  });
});
