import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EMAIL_TEXTS, readTemplates } from "../../server/outbox/email-template.ts";
import { temporaryFolder } from "../support/server.ts";

describe("templates in a folder", () => {
  let folder: string;
  let remove: () => void;
  beforeEach(() => {
    ({ folder, remove } = temporaryFolder());
    mkdirSync(folder, { recursive: true });
  });
  afterEach(() => remove());

  it.each(["", "fs:", "fs-lite:"])("are read from %j and its path, exactly as they stand", async (prefix) => {
    writeFileSync(join(folder, "accepted.subject.txt"), '"Welcome"');
    writeFileSync(join(folder, "rejected.txt"), "12");
    const templates = await readTemplates(`${prefix}${folder}`);
    expect(templates).toEqual({
      ...EMAIL_TEXTS,
      accepted: { ...EMAIL_TEXTS.accepted, subject: '"Welcome"' },
      rejected: { ...EMAIL_TEXTS.rejected, text: "12" },
    });
  });

  it("stop the start where one of them is a folder itself", async () => {
    mkdirSync(join(folder, "accepted.html"));
    await expect(readTemplates(folder)).rejects.toThrow(
      `MAIL_TEMPLATES ${folder} has accepted.html, which can't be read: it is not a text`,
    );
  });
});

describe("templates on a web server", () => {
  const files = new Map<string, string>();
  let [open, mostOpen] = [0, 0];
  const server = createServer((request, response) => {
    mostOpen = Math.max(mostOpen, ++open);
    response.once("finish", () => open--);
    const text = files.get(request.url ?? "");
    response.statusCode = request.url === "/broken/accepted.txt" ? 403 : text === undefined ? 404 : 200;
    response.setHeader("content-type", "application/json");
    // Requests that are made together arrive together.
    setTimeout(() => response.end(text), 5);
  });
  let origin: string;
  beforeEach(async () => {
    files.clear();
    [open, mostOpen] = [0, 0];
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it("are read below its address, and ours stand in for missing ones", async () => {
    files.set("/mail/accepted.html", "<p>Hé {{first_name}}</p>");
    const templates = await readTemplates(`${origin}/mail/`);
    const html = "<p>Hé {{first_name}}</p>";
    expect(templates).toEqual({ ...EMAIL_TEXTS, accepted: { ...EMAIL_TEXTS.accepted, html } });
  });

  it("are asked for eight at a time at most, so that a slow server is in time", async () => {
    await readTemplates(origin);
    expect(mostOpen).toBeLessThanOrEqual(8);
  });

  it("stop the start where the server refuses one", async () => {
    await expect(readTemplates(`${origin}/broken?token=secret`)).rejects.toThrow(
      /^MAIL_TEMPLATES http:\S+\/broken has accepted\.txt, which can't be read: .*403/,
    );
  });
});

it("takes an empty driver for a place without templates", async () => {
  expect(await readTemplates("memory:")).toEqual(EMAIL_TEXTS);
});

it.each([
  [
    "nowhere:x?key=secret",
    "MAIL_TEMPLATES nowhere:x names no driver of unstorage; use a folder, https://… or",
  ],
  ["toString:", "MAIL_TEMPLATES toString: names no driver of unstorage"],
  ["/none/at/all", "MAIL_TEMPLATES /none/at/all does not exist"],
  ["fs:/none/at/all", "MAIL_TEMPLATES fs:/none/at/all does not exist"],
  ["redis:?url=redis://x:secret@y", "MAIL_TEMPLATES redis: can't be used: Cannot find module 'ioredis'"],
])("refuses %s in one sentence, without its secrets", async (address, sentence) => {
  const error = (await readTemplates(address).catch((thrown: unknown) => thrown)) as Error;
  expect(error.message).toContain(sentence);
  expect(error.message).not.toMatch(/secret|\n/);
});
