import { execFileSync } from "node:child_process";
import type { ServerResponse } from "node:http";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fileIn } from "../../server/storage/engines/sqlite/database.ts";
import { runCli } from "../support/cli.ts";
import { endLease } from "../support/leases.ts";
import { startMailServer } from "../support/mail-server.ts";
import { startReceiver, type Receiver } from "../support/receiver.ts";
import { rounds } from "../support/rounds.ts";
import { startServer, temporaryFolder, v1, v2, type Server } from "../support/server.ts";
import { withRecords } from "../support/records.ts";

/** The number of rounds; each ends with a kill. */
const ROUNDS = rounds(2, 4);

let folder: string;
let remove: () => void;
let servers: Server[];
let receivers: Receiver[];
beforeEach(() => {
  ({ folder, remove } = temporaryFolder());
  servers = [];
  receivers = [];
});
afterEach(async () => {
  await Promise.all(servers.map((server) => server.kill()));
  await Promise.all(receivers.map((receiver) => receiver.close()));
  remove();
});

const start = async (environment: Record<string, string> = {}) => {
  const server = await startServer(folder, { WEBHOOK_ALLOW_PRIVATE: "1", ...environment });
  servers.push(server);
  return server;
};
const receive = async () => {
  const receiver = await startReceiver();
  receivers.push(receiver);
  return receiver;
};
const subscribe = async (server: Server, receiver: Receiver, over: Record<string, unknown> = {}) => {
  const body = { url: receiver.url, event_types: ["referral.created", "referral.updated"], ...over };
  expect((await v2(server, "POST /webhooks", body)).status).toBe(201);
};
const signUp = async (server: Server, email: string) => {
  const { status } = await v1(server, "/track/signup", { email, ref_id: "jane" });
  return status === 200;
};

it("a server loses no event and keeps each record's order, however often it is killed", async () => {
  const receiver = await receive();
  let server = await start();
  await v1(server, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
  await subscribe(server, receiver);
  const recorded: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const signups = Array.from({ length: 12 }, async (_, index) => {
      const email = `lead-${round}-${index}@example.com`;
      if (!(await signUp(server, email))) return;
      recorded.push(email);
      await v1(server, "/leads/update", { email, new_uid: `uid-${round}-${index}` });
    });
    const settled = Promise.allSettled(signups);
    // Alternates: between the commits and the sending, and in the middle of the sending.
    if (round % 2 === 0) await Promise.race(signups);
    else await receiver.has(receiver.received.length + 3);
    await server.kill();
    await settled;
    await endLease(`sqlite:${folder}`);
    server = await start();
  }
  const seen = () => new Set(receiver.received.map(({ headers }) => String(headers["webhook-id"])));
  const created = () =>
    receiver.received
      .filter(({ headers }) => headers["x-event-type"] === "referral.created")
      .map(({ body }) => (body["data"] as { email: string }).email);
  for (let count = 1; !recorded.every((email) => created().includes(email)); count++) {
    await receiver.has(receiver.received.length + 1);
  }
  // Each lead's first event is its creation. Receivers drop repeated ids.
  const firstTypes = new Map<unknown, string>();
  for (const { body } of receiver.received) {
    if (!firstTypes.has(body["entity_id"])) firstTypes.set(body["entity_id"], String(body["event_type"]));
  }
  expect(new Set(firstTypes.values())).toEqual(new Set(["referral.created"]));
  expect(recorded.length).toBeGreaterThan(0);
  const repeats = receiver.received.length - seen().size;
  expect(repeats).toBeLessThanOrEqual(4 * ROUNDS);
  // A change that came after its lead's creation may still be on its way.
  await withRecords(`sqlite:${folder}`, async (records) => {
    await expect.poll(() => records.count("fact")).toBe(0);
  });
  expect(await server.stop()).toBe(0);
});

it("two servers share the work without sending anything twice", async () => {
  const receiver = await receive();
  const [first, second] = [await start(), await start()];
  await v1(first, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
  await subscribe(first, receiver);
  const emails = Array.from({ length: 100 }, (_, index) => `lead-${index}@example.com`);
  await Promise.all(emails.map((email, index) => signUp(index % 2 ? first : second, email)));
  await receiver.has(100);
  await Promise.all([first.stop(), second.stop()]);
  const sent = receiver.received.map(({ body }) => (body["data"] as { email: string }).email);
  expect(sent.toSorted()).toEqual(emails.toSorted());
});

it("a server leaves the work to another while it is paused, and stays out when it wakes up too late", async () => {
  const receiver = await receive();
  const first = await start();
  await v1(first, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
  await subscribe(first, receiver);
  await signUp(first, "before@example.com");
  await receiver.has(1);
  const second = await start();
  // In the middle of its deliveries, which its receiver accepts and answers.
  const open: ServerResponse[] = [];
  receiver.answer((response) => void open.push(response));
  await Promise.all(Array.from({ length: 8 }, (_, index) => signUp(first, `first-${index}@example.com`)));
  await receiver.has(3);
  await pauseBetweenCommits(first);
  receiver.answer((response) => response.end());
  for (const response of open) response.end();
  const emails = Array.from({ length: 40 }, (_, index) => `second-${index}@example.com`);
  await Promise.all(emails.map((email) => signUp(second, email)));
  await receiver.has(1 + 8 + 40); // after its lease has run out
  process.kill(first.pid, "SIGCONT");
  await signUp(first, "after@example.com");
  const all = 1 + 8 + 40 + 1;
  const ids = () => new Set(receiver.received.map(({ headers }) => headers["webhook-id"]));
  while (ids().size < all) await receiver.has(receiver.received.length + 1);
  expect(await first.stop()).toBe(0);
  expect(await second.stop()).toBe(0);
  // Only events that were being sent when it was stopped may have arrived twice, with the same id.
  expect(receiver.received.length - ids().size).toBeLessThanOrEqual(4);
  const kept = await withRecords(`sqlite:${folder}`, (records) => records.all("delivery"));
  expect(kept.map(({ status, attempts }) => `${status} ${attempts}`)).toEqual(
    Array.from({ length: all }, () => "delivered 1"),
  );
});

it("a server continues to answer, and to post to other receivers, while one receiver hangs", async () => {
  const [hanging, quick] = [await receive(), await receive()];
  hanging.answer(() => {});
  const server = await start();
  await v1(server, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
  await subscribe(server, hanging, { timeout: 120 });
  await subscribe(server, quick);
  const emails = Array.from({ length: 40 }, (_, index) => `lead-${index}@example.com`);
  for (const email of emails) await signUp(server, email);
  await quick.has(40);
  await hanging.has(1);
  expect(hanging.openCount()).toBe(hanging.received.length);
  expect(hanging.mostAtOnce()).toBeLessThanOrEqual(4);
  // A hanging delivery is left to the next process. The stop does not wait two minutes for it.
  expect(await server.stop()).toBe(0);
  const waiting = (await withRecords(`sqlite:${folder}`, (records) => records.all("delivery"))).filter(
    ({ status, attempts }) => status === "pending" && attempts === 0,
  );
  expect(waiting).toHaveLength(40);
});

it("a server shows its operator what was given up or held, and sends it once the cause is corrected", async () => {
  const receiver = await receive();
  receiver.answer((response) => response.writeHead(500).end());
  const first = await start();
  expect(await runCli(folder, "campaign emails acme 1 signup_accepted".split(" "))).toMatchObject({
    code: 0,
  });
  await v1(first, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
  await subscribe(first, receiver, { max_retries: 0 });
  await signUp(first, "lead@example.com");
  await receiver.has(1);
  const tell = async (words: string) => {
    const { code, stdout, stderr } = await runCli(folder, words.split(" "));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout) as unknown;
  };
  const none = { pending: 0, retrying: 0, held: 0, delivered: 0, failed: 0 };
  await first.stop();
  const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string;
  expect(await tell("webhook status acme 1")).toEqual({
    ...none,
    failed: 1,
    oldest_waiting_at: null,
    last_error: "Answered 500",
  });
  expect(await tell("mail status acme")).toEqual({
    ...none,
    held: 1,
    oldest_waiting_at: instant,
    last_error: null,
  });
  expect(await tell("webhook retry acme 1")).toEqual({ retried: 1, now: { ...none, pending: 1 } });
  expect(await tell("mail retry acme")).toEqual({ retried: 0, now: { ...none, held: 1 } });
  expect(await tell("webhook test acme 1")).toMatchObject({ type: "referral.created", status: "pending" });
  expect(await runCli(folder, "webhook test acme 1 --type referral.create".split(" "))).toEqual({
    code: 1,
    stdout: "",
    stderr: "Validation failed: event_type must be an event type of the format v2\n",
  });
  expect(await runCli(folder, "webhook retry acme 9".split(" "))).toEqual({
    code: 1,
    stdout: "",
    stderr: "Webhook not found.\n",
  });
  receiver.answer((response) => response.end());
  const mail = await startMailServer();
  const second = await start({ SMTP_URL: mail.url, MAIL_FROM: "Acme <mail@acme.example>" });
  await receiver.has(3);
  await mail.has(1);
  expect(mail.emails[0]).toMatchObject({ from: "mail@acme.example", to: ["jane@example.com"] });
  await second.stop();
  await mail.close();
});

/**
 * Pauses a process that holds no lock of the store. One that is paused during a commit keeps all others from
 * writing, because only it can release its lock.
 */
async function pauseBetweenCommits({ pid }: Server): Promise<void> {
  for (;;) {
    process.kill(pid, "SIGSTOP");
    await expect.poll(() => stateOf(pid)).toBe("T");
    if (canWrite()) return;
    process.kill(pid, "SIGCONT");
  }
}

function stateOf(pid: number): string | undefined {
  return execFileSync("ps", ["-o", "state=", "-p", String(pid)]).toString()[0];
}

/** Whether the lock for writing is free. */
function canWrite(): boolean {
  const db = new DatabaseSync(fileIn(folder), { timeout: 0 });
  try {
    db.exec("begin immediate; rollback");
    return true;
  } catch {
    return false;
  } finally {
    db.close();
  }
}
