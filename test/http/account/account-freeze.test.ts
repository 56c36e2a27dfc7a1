import { afterEach, beforeEach, expect, it } from "vitest";
import { createApiKey } from "../../../server/domain/program/account/api-key.ts";
import { listRuns } from "../../../server/domain/ledger/payout-run/payout-run.ts";
import { putUser } from "../../../server/domain/access/user/user.ts";
import { newJobs } from "../../../server/process/jobs.ts";
import { freeze, unfreeze } from "../../../server/transfer/account.ts";
import { KEY, startApp, type TestApp } from "../../support/app.ts";
import { beforeCommit } from "../../support/edge.ts";
import { appOutbox, workOff } from "../../support/outbox.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { addAccount } from "../../support/operations.ts";

const OTHER_KEY = "key-of-other";
const MESSAGE = "The account is being moved to another store: try again later";

let app: TestApp;
let receiver: Receiver;
let otherId: number;
beforeEach(async () => {
  app = await startApp("memory", { allowsPrivateWebhooks: true });
  receiver = await startReceiver();
  const landingUrl = "https://www.other.example/";
  const other = { name: "Other", public_id: "other", landing_url: landingUrl, key: OTHER_KEY };
  otherId = (await addAccount(app, other)).account.id;
  for (const key of [KEY, OTHER_KEY]) {
    const added = { email: "jane@example.com", ref_id: key === KEY ? "jane" : "joan" };
    expect((await app.v1("/promoters/create", added, { "x-api-key": key })).status).toBe(200);
  }
});
afterEach(async () => {
  await receiver.close();
  await app.close();
});

const frozen = () => freeze(app.services.store, app.account_id, "frozen");
const signUpOther = (uid: string) =>
  app.v1("/track/signup", { uid, ref_id: "joan" }, { "x-api-key": OTHER_KEY });

it("answers each change of a frozen account with 503, a sentence and Retry-After, and goes on for others", async () => {
  await frozen();
  const signUp = await app.v1("/track/signup", { uid: "lead", ref_id: "jane" });
  expect([signUp.status, signUp.headers.get("retry-after"), signUp.body]).toEqual([
    503,
    "1",
    { error: MESSAGE },
  ]);
  const update = await app.v2("PUT", "/campaigns/1", { campaign: { name: "New" } });
  expect([update.status, update.headers.get("retry-after"), update.body]).toEqual([
    503,
    "1",
    { message: MESSAGE, code: "unavailable" },
  ]);
  const click = await app.browser("/t/click", {
    tid: "1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b",
    ref_id: "jane",
    url: "https://www.acme.example/",
  });
  expect([click.status, click.headers.get("retry-after"), click.body]).toEqual([
    503,
    "1",
    { error: MESSAGE },
  ]);
  expect((await app.v2("GET", "/promoters")).status).toBe(200);
  expect((await signUpOther("lead")).status).toBe(200);
  await unfreeze(app.services.store, app.account_id);
  expect((await app.v1("/track/signup", { uid: "lead", ref_id: "jane" })).status).toBe(200);
});

it("refuses a change that began before the freeze and ends after it", async () => {
  beforeCommit(app, frozen);
  const change = app.records.put("sighting", { account_id: app.account_id, kind: "script", seen: [] });
  await expect(change).rejects.toMatchObject({ kind: "unavailable", message: MESSAGE });
  expect(await app.records.get("sighting", "script")).toBe(null);
});

it("refuses new keys, users and sessions of a frozen account", async () => {
  await frozen();
  const refused = { kind: "unavailable", message: MESSAGE };
  await expect(createApiKey(app.context, app.account_id, "second")).rejects.toMatchObject(refused);
  const user = { id: 1, owner_id: app.account_id, email: "jo@acme.example", name: null } as const;
  const put = app.context.store.transact((tx) =>
    putUser(tx, app.context.now, { ...user, role: "owner", password_hash: null }),
  );
  await expect(put).rejects.toMatchObject(refused);
});

it("makes the payouts of the other accounts", async () => {
  await frozen();
  app.setNow("2026-04-01T00:00:00.000Z");
  const jobs = newJobs(app.services, () => 0);
  for (let passes = 0; passes < 3; passes++) await jobs.pass();
  expect(await listRuns(app.services.store, app.account_id)).toEqual([]);
  expect(await listRuns(app.services.store, otherId)).toHaveLength(1);
  expect(app.bugs).toEqual([]);
});

it("keeps the events of a frozen account for later, and sends those of others", async () => {
  const webhook = { url: receiver.url, event_types: ["referral.created"] };
  const asOther = { authorization: `Bearer ${OTHER_KEY}`, "account-id": "other" };
  await app.v2("POST", "/webhooks", webhook);
  await app.v2("POST", "/webhooks", webhook, asOther);
  const outbox = appOutbox(app);
  // Six facts, because one round takes five.
  for (let at = 0; at < 6; at++) await app.v1("/track/signup", { uid: `before-${at}`, ref_id: "jane" });
  await outbox.pass();
  await outbox.settle();
  const sentBefore = receiver.received.length;
  await frozen();
  await signUpOther("lead");
  await workOff(outbox);
  await workOff(outbox);
  expect(receiver.received).toHaveLength(sentBefore + 1);
  await unfreeze(app.services.store, app.account_id);
  await workOff(outbox);
  expect(receiver.received).toHaveLength(7);
  expect(app.bugs).toEqual([]);
});
