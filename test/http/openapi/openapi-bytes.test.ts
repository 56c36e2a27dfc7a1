import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { H3Event } from "h3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { serveDocument } from "../../../server/openapi/serve.ts";
import { startApp, type TestApp } from "../../support/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

describe.each(["/openapi.json", "/docs.js"])("GET %s", (path) => {
  const get = (headers: Record<string, string> = {}) => app.request(path, { headers });
  const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());

  it("serves the same bytes plain, with gzip and with Brotli", async () => {
    const plain = await get();
    const text = await bytesOf(plain);
    expect(plain.headers.get("content-encoding")).toBeNull();
    const gzip = await get({ "accept-encoding": "gzip, deflate" });
    expect(gzip.headers.get("content-encoding")).toBe("gzip");
    expect(gunzipSync(await bytesOf(gzip)).equals(text)).toBe(true);
    const br = await get({ "accept-encoding": "gzip, deflate, br" });
    expect(br.headers.get("content-encoding")).toBe("br");
    expect(brotliDecompressSync(await bytesOf(br)).equals(text)).toBe(true);
  });

  it("sends its length, its ETag, and that it varies by encoding", async () => {
    for (const encoding of ["identity", "gzip", "br"]) {
      const answer = await get({ "accept-encoding": encoding });
      expect(answer.headers.get("content-length")).toBe(String((await bytesOf(answer)).length));
      expect(answer.headers.get("vary")).toBe("accept-encoding");
      expect(answer.headers.get("etag")).toMatch(new RegExp(`^"[0-9a-f]{12}-${encoding}"$`));
    }
  });

  it("answers 304 without a body to a client that already has it", async () => {
    const etag = (await get()).headers.get("etag")!;
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const answer = await get({ "if-none-match": known });
      expect([answer.status, await answer.text(), answer.headers.get("etag")]).toEqual([304, "", etag]);
    }
    expect((await get({ "if-none-match": '"000000000000-identity"' })).status).toBe(200);
  });
});

it("makes the document once, for any number of requests", () => {
  let descriptions = 0;
  const bodyOf = () => {
    descriptions++;
    return z.object({});
  };
  const serve = serveDocument(() => [], {
    public_url: "http://x",
    events: { types: ["payout.created"], bodyOf, meaningOf: () => undefined },
  });
  const event = { req: new Request("http://x/openapi.json") } as H3Event;
  for (let count = 0; count < 1_500; count++) expect(serve(event).status).toBe(200);
  expect(descriptions).toBe(1);
});
