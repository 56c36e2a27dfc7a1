import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Dispatcher } from "../../../server/outbox/dispatcher.ts";
import { NOW, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { appOutbox, workOff } from "../../support/outbox.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { company, join } from "../../support/v2.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BACK = [
  ["a minute", MINUTE],
  ["an hour", HOUR],
  ["a year", 365 * 24 * HOUR],
] as const;
/** The same process goes on sending, or another one takes over. */
const PROCESSES = ["same", "next"] as const;
const CASES = BACK.flatMap(([name, ms]) => PROCESSES.map((process) => [name, process, ms] as const));

describe.each(STORAGES)("a clock that is set back while deliveries wait, on %s", (storage) => {
  let app: TestApp;
  let receiver: Receiver;
  let outbox: Dispatcher;
  let now: number;
  beforeEach(async () => {
    app = await startApp(storage, { allowsPrivateWebhooks: true });
    receiver = await startReceiver();
    outbox = appOutbox(app);
    now = Date.parse(NOW);
    await join(app, "jane@example.com", { ref_id: "jane", cust_id: "c-1" });
    await company(app, "POST /webhooks", { url: receiver.url, event_types: ["referral.created"] });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await receiver.close();
    await app.close();
  });

  const signUp = (email: string) => app.v1("/track/signup", { email, ref_id: "jane" });
  const goTo = (ms: number) => {
    now = ms;
    app.setNow(new Date(ms).toISOString());
  };
  const setBack = (ms: number, process: (typeof PROCESSES)[number]) => {
    goTo(now - ms);
    if (process === "next") outbox = appOutbox(app);
  };
  const fail = (isDown: boolean) =>
    receiver.answer((response) => void response.writeHead(isDown ? 500 : 200).end());

  it.each(CASES)(
    "by %s, sends deliveries that were not tried yet at once, in the %s process",
    async (_, process, back) => {
      for (let count = 0; count < 5; count++) await signUp(`lead-${count}@example.com`);
      await outbox.pass(); // four of them are sent, and one waits
      await outbox.settle();
      await company(app, "PUT /webhooks/1", { active: false });
      await workOff(outbox);
      setBack(back, process);
      await company(app, "PUT /webhooks/1", { active: true });
      await workOff(outbox);
      expect(receiver.received).toHaveLength(5);
    },
  );

  it.each(CASES)(
    "by %s, keeps the delay of failed deliveries, in the %s process",
    async (_, process, back) => {
      fail(true);
      await signUp("lead@example.com");
      await workOff(outbox);
      for (const minutes of [2, 4]) {
        goTo(now + minutes * MINUTE);
        await workOff(outbox);
      }
      expect(receiver.received).toHaveLength(3);
      setBack(back, process);
      fail(false);
      // New deliveries, which are due earlier, must not hide it.
      for (let count = 0; count < 9; count++) await signUp(`later-${count}@example.com`);
      await workOff(outbox);
      goTo(now + 8 * MINUTE);
      await workOff(outbox);
      const [delivery] = await app.records.all("delivery");
      expect(delivery).toMatchObject({ status: "delivered", attempts: 4 });
      expect(receiver.received).toHaveLength(13);
    },
  );

  it("does not retry early if the clock is set back only a little", async () => {
    fail(true);
    await signUp("lead@example.com");
    await workOff(outbox);
    goTo(now + 2 * MINUTE);
    await workOff(outbox);
    goTo(now + MINUTE);
    for (let process = 0; process < 3; process++) await workOff(appOutbox(app));
    expect(receiver.received).toHaveLength(2);
  });

  it("waits no longer than usual after another machine's clock was ahead", async () => {
    fail(true);
    await signUp("lead@example.com");
    await workOff(outbox);
    goTo(now + HOUR);
    await company(app, "POST /webhooks/1/webhook_deliveries/1/retry_delivery");
    goTo(now - HOUR + 9 * MINUTE);
    await workOff(outbox);
    expect(receiver.received).toHaveLength(1);
    goTo(now + MINUTE);
    await workOff(outbox);
    expect(receiver.received).toHaveLength(2);
  });
});
