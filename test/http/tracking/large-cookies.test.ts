import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it } from "vitest";
import { newListener, type Listener } from "../../../server/http/listener.ts";
import { CHROME, startApp, type TestApp } from "../../support/app.ts";

const TID = "7f1b2c3d-1111-4222-8333-444455556666";
const FORM = `cid=acme&tid=${TID}&ref_id=jane`;
const CLICK =
  "POST /t/click HTTP/1.1\r\nOrigin: https://www.acme.example\r\nContent-Type: application/x-www-form-urlencoded\r\n" +
  `Content-Length: ${FORM.length}`;

let app: TestApp;
let listener: Listener;
let port: number;
beforeEach(async () => {
  app = await startApp();
  await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
  listener = newListener({ graceMs: 50 });
  port = await listener.listen({ host: "127.0.0.1", port: 0 });
  listener.serve(app.app.fetch);
});
afterEach(async () => {
  await listener.drain();
  expect(app.bugs).toEqual([]);
  await app.close();
});

/** Sends a request with cookies of a size, as the site of the server's subdomain set them. */
async function send(start: string, cookieBytes: number, body = "") {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const cookie = "shop=".padEnd(cookieBytes, "x");
  socket.write(
    `${start}\r\nHost: track.acme.example\r\nUser-Agent: ${CHROME}\r\nConnection: close\r\nCookie: ${cookie}\r\n\r\n${body}`,
  );
  const [head = "", answer = ""] = (await text(socket)).split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), body: answer };
}

it("a browser with 20 kB of the site's cookies gets the script", async () => {
  expect(await send("GET /svc.js HTTP/1.1", 20_000)).toEqual({ status: 200, body: "/* script */" });
});

it("a browser with 20 kB of the site's cookies has its click recorded", async () => {
  const { status, body } = await send(CLICK, 20_000, FORM);
  expect({ status, body: JSON.parse(body) as unknown }).toEqual({
    status: 200,
    body: { status: "recorded", tid: TID, ref_id: "jane", cookie_days: 60, has_cookies: false },
  });
});

it.each([70_000, 500_000])("answers 431 to %i bytes of cookies, and serves others", async (cookieBytes) => {
  expect(await send(CLICK, cookieBytes, FORM)).toEqual({ status: 431, body: "" });
  expect(await send("GET /healthz HTTP/1.1", 10)).toEqual({ status: 200, body: '{"status":"ok"}' });
});
