import { createServer, type Server } from "node:net";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isPrivateAddress } from "../../../server/outgoing/lookup.ts";
import { newPost, type Post } from "../../../server/outgoing/post.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";

const posting = (url: string, timeoutMs = 5_000) => ({
  url,
  headers: { "x-a": "b" },
  body: '{"a":"ä"}',
  timeoutMs,
});

describe("a posting", () => {
  let receiver: Receiver;
  let post: Post;
  beforeEach(async () => {
    receiver = await startReceiver();
    post = newPost({ allowsPrivate: true });
  });
  afterEach(async () => {
    post.close();
    await receiver.close();
  });

  it("arrives with its headers, and returns the answer", async () => {
    expect(await post(posting(receiver.url))).toEqual({
      status: 200,
      body: "thanks",
      error: null,
      isRefused: false,
    });
    expect(receiver.received[0]!.headers).toMatchObject({ "x-a": "b", "content-length": "10" });
    expect(receiver.received[0]!.body).toEqual({ a: "ä" });
  });

  it.each([
    [204, null],
    [299, null],
    [301, "Answered 301; redirects are not followed"],
    [400, "Answered 400"],
    [410, "Answered 410"],
    [503, "Answered 503"],
  ])("reports %d with the error %j", async (status, error) => {
    receiver.answer((response) => response.writeHead(status, { location: "http://10.0.0.1/" }).end());
    expect(await post(posting(receiver.url))).toMatchObject({ status, error });
    expect(receiver.received).toHaveLength(1);
  });

  it("reads no more of an endless answer than it needs", async () => {
    let written = 0;
    receiver.answer((response) => {
      const chunk = Buffer.alloc(64 * 1024, "x");
      const write = (): void => {
        while (written < 10 * 1024 * 1024 && !response.destroyed) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once("drain", write);
        }
        response.end();
      };
      write();
    });
    const receipt = await post(posting(receiver.url));
    expect(receipt).toEqual({ status: 200, body: "x".repeat(1_000), error: null, isRefused: false });
    expect(written).toBeLessThan(10 * 1024 * 1024);
  });

  it("waits for a receiver that hangs only as long as it may", async () => {
    receiver.answer(() => {});
    expect(await post(posting(receiver.url, 100))).toMatchObject({
      status: null,
      error: "No answer within 0.1 s",
    });
  });

  it("counts the status of an answer that never ends", async () => {
    receiver.answer((response) => void response.writeHead(200).write("tha"));
    expect(await post(posting(receiver.url, 2_000))).toMatchObject({ status: 200, body: "tha", error: null });
  });

  it("reports a connection that is reset, refused or not HTTP", async () => {
    receiver.answer((response) => response.destroy());
    expect(await post(posting(receiver.url))).toMatchObject({ status: null, error: "socket hang up" });
    const server: Server = createServer((socket) => socket.resume().end("hello\r\n\r\n"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    expect((await post(posting(`http://127.0.0.1:${port}/`))).error).toMatch(/Parse Error/);
    await new Promise((resolve) => server.close(resolve));
    expect((await post(posting(`http://127.0.0.1:${port}/`))).error).toMatch(/ECONNREFUSED/);
  });

  it("uses a new connection if the receiver has closed the kept one", async () => {
    await post(posting(receiver.url));
    const other = receiver;
    let resets = 0;
    other.answer((response) => {
      // Simulates a receiver that closes idle connections just as the next posting is sent.
      if (resets++ === 0) return void response.socket?.resetAndDestroy();
      response.end();
    });
    expect(await post(posting(receiver.url))).toMatchObject({ status: 200, error: null });
  });

  it("reaches no private address, by number or by name", async () => {
    const guarded = newPost({ allowsPrivate: false });
    const { port } = new URL(receiver.url);
    for (const host of [
      "127.0.0.1",
      "localhost",
      "2130706433",
      "0x7f000001",
      "[::ffff:127.0.0.1]",
      "127.1",
    ]) {
      const receipt = await guarded(posting(`http://${host}:${port}/`));
      expect(receipt, host).toMatchObject({ status: null, isRefused: true });
      expect(receipt.error).toMatch(/is a private or internal address$/);
    }
    expect(receiver.received).toEqual([]);
    guarded.close();
  });

  it.each(["not a url", "ftp://x/"])("returns a receipt for %j too", async (url) => {
    expect(await post(posting(url))).toMatchObject({ status: null, error: expect.any(String) as string });
  });
});

describe("an address", () => {
  it.each([
    "10.255.0.1",
    "100.64.0.1",
    "127.0.0.53",
    "169.254.169.254",
    "172.31.255.255",
    "192.168.1.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fe80::1",
    "fe80::1%eth0",
    "fd00::1",
    "::ffff:192.168.0.1",
    "64:ff9b::a00:1",
    "2002:a00:1::",
    "::10.0.0.1",
    "fec0::1",
    "2001::1", // Teredo
    "2001:db8::1",
    "100:0:0:1::1", // RFC 9780
    "3fff::1", // RFC 9637
    "3fff:fff:ffff::1",
    "5f00::1", // RFC 9602
    "4000::1", // not assigned yet
    "192.0.0.8",
    "192.88.99.1",
    "198.19.255.255",
    "192.52.193.1",
  ])("%s is private", (address) => expect(isPrivateAddress(address)).toBe(true));

  it.each(["1.1.1.1", "172.32.0.1", "192.169.0.1", "2606:4700::1111", "3ffe::1", "::ffff:8.8.8.8"])(
    "%s is public",
    (address) => expect(isPrivateAddress(address)).toBe(false),
  );
});
