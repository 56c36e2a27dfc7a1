import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Dispatcher } from "../../../server/outbox/dispatcher.ts";
import { newPost } from "../../../server/outgoing/post.ts";
import { startApp, type TestApp } from "../../support/app.ts";
import { appOutbox, workOff } from "../../support/outbox.ts";
import { startReceiver, type Received, type Receiver } from "../../support/receiver.ts";
import { company, join } from "../../support/v2.ts";

const MIB = 1024 * 1024;
type Behaviour = Parameters<Receiver["answer"]>[0];

describe("receivers of any kind, over real sockets", () => {
  let app: TestApp;
  let outbox: Dispatcher;
  let receivers: Receiver[];
  beforeEach(async () => {
    app = await startApp("sqlite", { allowsPrivateWebhooks: true });
    outbox = appOutbox(app);
    receivers = [];
    await join(app, "jane@example.com", { ref_id: "jane" });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await Promise.all(receivers.map((receiver) => receiver.close()));
    await app.close();
  });

  const listen = async (behaviour?: Behaviour, over: Record<string, unknown> = {}) => {
    const receiver = await startReceiver();
    receivers.push(receiver);
    if (behaviour) receiver.answer(behaviour);
    const webhook = { url: receiver.url, event_types: ["referral.created"], timeout: 1, ...over };
    const { status, body } = await company(app, "POST /webhooks", webhook);
    expect(status).toBe(201);
    return { receiver, id: (body as { id: number }).id };
  };
  const signUp = (email: string) => app.v1("/track/signup", { email, ref_id: "jane" });
  const deliveries = async (id: number) =>
    (await company(app, `GET /webhooks/${id}/webhook_deliveries`)).body as Record<string, unknown>[];
  const emails = (received: Received[]) =>
    received.map(({ body }) => (body["data"] as { email: string }).email);

  const endless: Behaviour = (response) => {
    const chunk = Buffer.alloc(64 * 1024, "x");
    for (let written = 0; written < 10 * MIB; written += chunk.length) response.write(chunk);
    response.end();
  };
  const dripping: Behaviour = (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write("."), 50);
    response.once("close", () => clearInterval(timer));
  };
  const bomb = gzipSync(Buffer.alloc(20 * MIB));

  it.each<[string, Behaviour, object]>([
    [
      "fails",
      (response) => response.writeHead(503).end("later"),
      { response_code: 503, last_error: "Answered 503" },
    ],
    ["hangs", () => {}, { response_code: null, last_error: "No answer within 1 s" }],
    [
      "resets",
      (response) => response.socket?.resetAndDestroy(),
      { response_code: null, last_error: expect.stringMatching(/ECONNRESET|hang up/) },
    ],
    [
      "is gone for good",
      (response) => response.writeHead(410).end(),
      { response_code: 410, last_error: "Answered 410" },
    ],
    [
      "redirects to a private address",
      (response) => response.writeHead(307, { location: "http://169.254.169.254/latest/" }).end(),
      { response_code: 307, last_error: "Answered 307; redirects are not followed" },
    ],
    [
      "redirects to itself",
      (response) => response.writeHead(302, { location: "/hook" }).end(),
      { response_code: 302, last_error: "Answered 302; redirects are not followed" },
    ],
  ])("one that %s is retried, and does not delay the others", async (_, behaviour, record) => {
    const [bad, good] = [await listen(behaviour), await listen()];
    await signUp("lead@example.com");
    await workOff(outbox);
    expect(await deliveries(bad.id)).toMatchObject([{ status: "retrying", attempts: 1, ...record }]);
    expect(bad.receiver.received).toHaveLength(1);
    expect(emails(good.receiver.received)).toEqual(["lead@example.com"]);
    expect(await deliveries(good.id)).toMatchObject([{ status: "delivered", attempts: 1 }]);
  });

  it.each<[string, Behaviour, object, { timeout: number }?]>([
    [
      "takes its time",
      (response) => void outbox.pass().then(() => response.end("at last")),
      { response_body: "at last" },
      { timeout: 30 },
    ],
    ["answers 10 MB", endless, { response_body: "x".repeat(1_000) }],
    ["drips", dripping, { response_body: expect.stringMatching(/^\.{1,30}$/) }],
    [
      "sends what would grow a thousandfold",
      (response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
      // The body is not decompressed.
      { response_body: bomb.toString().slice(0, 1_000).replaceAll("\0", "\uFFFD") },
    ],
  ])("one that %s has received its event", async (_, behaviour, record, over) => {
    const { id } = await listen(behaviour, over);
    await signUp("lead@example.com");
    await workOff(outbox);
    expect(await deliveries(id)).toMatchObject([{ status: "delivered", attempts: 1, ...record }]);
  });

  it("one that hangs delays neither the interface nor the other receivers", async () => {
    const hanging = await listen(() => {}, { timeout: 120 });
    const quick = [await listen(), await listen()];
    const expected = Array.from({ length: 30 }, (_, index) => `lead-${index}@example.com`);
    for (const email of expected) {
      expect(await signUp(email)).toMatchObject({ status: 200 });
      await outbox.pass();
    }
    for (let turn = 0; turn < 100 && (await outbox.pass()) > 0; turn++);
    await Promise.all(quick.map(({ receiver }) => receiver.has(30)));
    for (const { receiver } of quick)
      expect(emails(receiver.received).toSorted()).toEqual(expected.toSorted());
    // Nothing has waited for it: each of its postings is still open.
    await hanging.receiver.has(1);
    expect(hanging.receiver.openCount()).toBe(hanging.receiver.received.length);
    expect(hanging.receiver.received.length).toBeLessThanOrEqual(4);
    // The hanging postings end when it closes.
    await hanging.receiver.close();
    await outbox.settle();
  });

  it("one whose address became private after the subscription gets nothing", async () => {
    const receiver = await startReceiver();
    receivers.push(receiver);
    // The name was public when it was checked, and leads to this machine when it is connected to.
    const post = newPost({
      allowsPrivate: false,
      resolve: async () => [{ address: "127.0.0.1", family: 4 }],
    });
    const guarded = appOutbox(app, { post });
    const url = receiver.url.replace("127.0.0.1", "rebinding.example.com");
    expect(post.refuses(url)).toBe(false);
    await company(app, "POST /webhooks", { url, event_types: ["referral.created"] });
    await signUp("lead@example.com");
    await workOff(guarded);
    expect(await deliveries(1)).toMatchObject([
      { status: "retrying", last_error: "rebinding.example.com is a private or internal address" },
    ]);
    expect(receiver.received).toEqual([]);
    post.close();
  });

  it("one that does not speak HTTP has not received its event", async () => {
    const server = createServer((socket) => socket.resume().end("hello\r\n\r\n"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { id } = await listen(undefined, { url });
    await signUp("lead@example.com");
    await workOff(outbox);
    expect(await deliveries(id)).toMatchObject([{ status: "retrying", response_code: null }]);
    await new Promise((resolve) => server.close(resolve));
  });
});
