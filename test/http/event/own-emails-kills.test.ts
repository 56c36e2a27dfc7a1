import { expect, it } from "vitest";
import { newJobs } from "../../../server/process/jobs.ts";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { findFaults } from "../../support/consistency.ts";
import { storeOn, type Engine } from "../../support/memory-engine.ts";
import { mortalEngine, type Death } from "../../support/mortal-engine.ts";
import { appOutbox } from "../../support/outbox.ts";
import { rounds } from "../../support/rounds.ts";
import { temporaryStore } from "../../support/temporary-store.ts";
import { company, join } from "../../support/v2.ts";

const LATER = new Date(Date.parse(NOW) + 4 * 24 * 60 * 60 * 1_000).toISOString();
async function write(app: TestApp, trigger_on: string, settings: object = {}): Promise<void> {
  await company(app, "POST /emails", {
    name: trigger_on,
    subject: trigger_on,
    content: "Hello",
    allowed_campaign_ids: [],
    trigger: { enabled: true, trigger_on, settings },
  });
}

/** Works until nothing is left, or the process is killed. It waits until the leases of a dead process have expired. */
async function work(app: TestApp, holder: string): Promise<void> {
  let elapsedMs = 0;
  const outbox = appOutbox(app, { holder });
  const jobs = newJobs(app.services, () => elapsedMs);
  for (let pass = 0; pass < 12; pass++) {
    await jobs.pass();
    for (let left = 1; left > 0;) left = await outbox.pass();
    elapsedMs += 20_000;
    app.setNow(new Date(Date.parse(LATER) + elapsedMs).toISOString());
  }
  await jobs.stop();
  await outbox.stop(0);
}

/** All kinds of e-mails, for so many promoters, of whom the last has a lead. */
async function fill(app: TestApp, promoters: number): Promise<void> {
  await company(app, "PUT /campaigns/1", { emails: { new_referral: true } });
  await write(app, "promoter_accepted", { delay_interval: "day", delay_value: 3 });
  await write(app, "count_reached", { count: 1, metric: "referrals" });
  await write(app, "broadcast");
  await write(app, "recurring", { frequency: "weekly", day: 0, hour: 1, minute: 0 });
  await write(app, "lead_signup");
  for (let number = 1; number < promoters; number++) await join(app, `p${number}@example.com`);
  await join(app, "jane@example.com", { ref_id: "jane" });
  await app.v1("/track/signup", { email: "lead@example.com", ref_id: "jane" });
  await company(app, "POST /emails/3/send_now");
}

/** A process works until it is killed. */
async function workAndDie(engine: Engine, death: Death): Promise<boolean> {
  const mortal = mortalEngine(engine);
  const dying = await startApp("memory", { store: await storeOn(mortal.engine), isFilled: true });
  dying.setNow(LATER);
  mortal.kill(death);
  await work(dying, `dying ${death.afterCommits}`).catch((error: unknown) => {
    if (!mortal.isDead()) throw error;
  });
  return mortal.isDead();
}

/** Another process does the rest. Each promoter must have each e-mail once. */
async function expectOnce(app: TestApp, engine: Engine, promoters: number): Promise<void> {
  app.setNow(LATER);
  await work(app, "last");
  const counts = new Map<string, number>();
  for (const { email } of await app.records.all("delivery")) {
    const key = `${email!.company_email_id} ${email!.promoter_id}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  expect([...counts].filter(([, count]) => count !== 1)).toEqual([]);
  const perEmail = (id: number) => [...counts.keys()].filter((key) => key.startsWith(`${id} `)).length;
  expect([1, 2, 3, 4, 5].map(perEmail)).toEqual([promoters, 1, promoters, promoters, 1]);
  expect(await app.records.all("plannedEmail")).toEqual([]);
  expect(await findFaults(engine)).toEqual([]);
  expect(app.bugs).toEqual([]);
}

it("is put into the outbox once for each promoter, whichever commit is the last", async () => {
  let killed = true;
  for (let afterCommits = 0; killed; afterCommits += rounds(5, 1)) {
    for (const isWritten of [true, false]) {
      const { store, engine } = await temporaryStore("memory");
      const first = await startApp("memory", { store });
      await fill(first, 2);
      killed = await workAndDie(engine, { afterCommits, isWritten });
      await expectOnce(first, engine, 2);
      await first.close();
    }
  }
});

it("goes on with the promoters who are left", async () => {
  // One commit has a hundred.
  const promoters = 103;
  const { store, engine } = await temporaryStore("memory");
  const first = await startApp("memory", { store });
  await fill(first, promoters);
  for (let kill = 0; kill < 8; kill++)
    await workAndDie(engine, { afterCommits: 12 + 3 * kill, isWritten: kill % 2 === 1 });
  await expectOnce(first, engine, promoters);
  await first.close();
});
