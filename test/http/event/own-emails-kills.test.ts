import { expect, it } from "vitest";
import { newJobs } from "../../../server/process/jobs.ts";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { findFaults } from "../../support/consistency.ts";
import { storeOn } from "../../support/memory-engine.ts";
import { mortalEngine } from "../../support/mortal-engine.ts";
import { appOutbox } from "../../support/outbox.ts";
import { rounds } from "../../support/rounds.ts";
import { temporaryStore } from "../../support/temporary-store.ts";
import { company, join } from "../../support/v2.ts";

const LATER = new Date(Date.parse(NOW) + 4 * 24 * 60 * 60 * 1_000).toISOString();
/** More than one commit of a broadcast holds. */
const PROMOTERS = 103;

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

it("is put into the outbox once for each promoter, whatever is killed", async () => {
  const { store, engine } = await temporaryStore("memory");
  const first = await startApp("memory", { store });
  await company(first, "PUT /campaigns/1", { emails: { new_referral: true } });
  await write(first, "promoter_accepted", { delay_interval: "day", delay_value: 3 });
  await write(first, "count_reached", { count: 1, metric: "referrals" });
  await write(first, "broadcast");
  await write(first, "recurring", { frequency: "weekly", day: 0, hour: 1, minute: 0 });
  await write(first, "lead_signup");
  for (let number = 0; number < PROMOTERS; number++) await join(first, `p${number}@example.com`);
  await first.v1("/promoters/create", { email: "jane@example.com", ref_id: "jane" });
  await first.v1("/track/signup", { email: "lead@example.com", ref_id: "jane" });
  await company(first, "POST /emails/3/send_now");
  const kills = rounds(12, 40);
  for (let kill = 0; kill < kills; kill++) {
    const mortal = mortalEngine(engine);
    const dying = await startApp("memory", { store: await storeOn(mortal.engine), isFilled: true });
    dying.setNow(LATER);
    mortal.kill({ afterCommits: kill % 7, isWritten: kill % 2 === 1 });
    await work(dying, `dying ${kill}`).catch((error: unknown) => {
      if (!mortal.isDead()) throw error;
    });
  }
  first.setNow(LATER);
  await work(first, "last");
  const counts = new Map<string, number>();
  for (const { email } of await first.records.all("delivery")) {
    const key = `${email!.companyEmailId} ${email!.promoterId}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  expect([...counts].filter(([, count]) => count !== 1)).toEqual([]);
  const perEmail = (id: number) => [...counts.keys()].filter((key) => key.startsWith(`${id} `)).length;
  expect([1, 2, 3, 4, 5].map(perEmail)).toEqual([PROMOTERS + 1, 1, PROMOTERS + 1, PROMOTERS + 1, 1]);
  expect(await first.records.all("plannedEmail")).toEqual([]);
  expect(await findFaults(engine)).toEqual([]);
  expect(first.bugs).toEqual([]);
  await first.close();
});
