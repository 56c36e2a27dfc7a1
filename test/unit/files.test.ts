import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EMAIL_TEXTS, openTemplates, readTemplates } from "../../server/outbox/email-template.ts";
import { newUploads } from "../../server/outgoing/uploads.ts";
import { openFiles } from "../../server/storage/files.ts";
import { temporaryFolder } from "../support/server.ts";

describe("files in a folder", () => {
  let folder: string;
  let remove: () => void;
  beforeEach(() => {
    ({ folder, remove } = temporaryFolder());
    mkdirSync(join(folder, "mail"));
  });
  afterEach(() => remove());

  it.each(["", "fs:", "fs-lite:"])(
    "have templates in mail/, read with %j exactly as they stand",
    async (prefix) => {
      writeFileSync(join(folder, "mail/accepted.subject.txt"), '"Welcome"');
      writeFileSync(join(folder, "mail/rejected.txt"), "12");
      const templates = await readTemplates(openFiles(`${prefix}${folder}`));
      expect(templates).toEqual({
        ...EMAIL_TEXTS,
        accepted: { ...EMAIL_TEXTS.accepted, subject: '"Welcome"' },
        rejected: { ...EMAIL_TEXTS.rejected, text: "12" },
      });
    },
  );

  it("stop the start where a template is a folder itself", async () => {
    mkdirSync(join(folder, "mail/accepted.html"));
    await expect(readTemplates(openFiles(folder))).rejects.toThrow(
      "mail/accepted.html of FILES_URL can't be read: it is not a text",
    );
  });

  it("are made on demand, below their prefix, and only their owner can read them", async () => {
    const files = openFiles(join(folder, "new"));
    expect(await readTemplates(files)).toEqual(EMAIL_TEXTS);
    expect(existsSync(join(folder, "new"))).toBe(false);
    const { name } = await newUploads(files.uploads, (length) => "x".repeat(length)).keep(
      Buffer.from("%PDF-1"),
    );
    const path = join(folder, "new/uploads", name);
    expect(readFileSync(path, "utf8")).toBe("%PDF-1");
    for (const made of [dirname(path), join(folder, "new")]) expect(statSync(made).mode & 0o777).toBe(0o700);
  });
});

describe("files on unstorage's own server", () => {
  const files = new Map<string, string>();
  let [open, mostOpen] = [0, 0];
  const server = createServer((request, response) => {
    mostOpen = Math.max(mostOpen, ++open);
    response.once("finish", () => open--);
    const text = files.get(request.url ?? "");
    response.statusCode = request.url === "/broken/mail/accepted.txt" ? 403 : text === undefined ? 404 : 200;
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

  it("have templates, and ours stand in for missing ones", async () => {
    files.set("/own/mail/accepted.html", "<p>Hé {{first_name}}</p>");
    const templates = await readTemplates(openFiles(`${origin}/own/`));
    const html = "<p>Hé {{first_name}}</p>";
    expect(templates).toEqual({ ...EMAIL_TEXTS, accepted: { ...EMAIL_TEXTS.accepted, html } });
  });

  it("are asked for eight at a time at most, so that a slow server is in time", async () => {
    await readTemplates(openFiles(origin));
    expect(mostOpen).toBeLessThanOrEqual(8);
  });

  it("say in one sentence what the server refuses, without the secrets of its address", async () => {
    const error = await readTemplates(openFiles(`${origin}/broken?token=secret`)).catch(String);
    expect(error).toMatch(/^Error: mail\/accepted\.txt of FILES_URL can't be read: .*403/);
    expect(error).not.toContain("secret");
  });

  it("are null until the server answers, and then read, so that a start does not need it", async () => {
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const templates = await openTemplates(openFiles(origin), { log: pino({ enabled: false }), retryMs: 10 });
    expect(templates()).toBeNull();
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    await expect.poll(templates).toEqual(EMAIL_TEXTS);
  });
});

it("a file that can't be removed is said to be there still", async () => {
  const { folder, remove } = temporaryFolder();
  const { uploads } = openFiles(folder);
  await uploads.setItemRaw("a.png", Buffer.from("a"));
  rmSync(join(folder, "uploads"), { recursive: true });
  writeFileSync(join(folder, "uploads"), "a file in place of the folder");
  await expect(uploads.removeItem("a.png")).rejects.toThrow("ENOTDIR");
  remove();
});

it.each([
  ["nowhere:x?key=secret", "FILES_URL nowhere:x names no driver of unstorage; use a folder, or"],
  ["toString:", "FILES_URL toString: names no driver of unstorage"],
  ["fs:", "FILES_URL fs: can't be used: [unstorage] [fs] Missing required option `base`"],
  ["redis:?url=redis://x:secret@y", "FILES_URL redis: can't be used: Cannot find module 'ioredis'"],
  ["/etc/passwd", "FILES_URL /etc/passwd can't be used: it is not a folder"],
  ["/no-such-mount/files", "FILES_URL /no-such-mount/files can't be used: there is no folder /no-such-mount"],
])("refuses %s in one sentence, without its secrets", (address, sentence) => {
  let message = "";
  try {
    openFiles(address);
  } catch (error) {
    ({ message } = error as Error);
  }
  expect(message).toContain(sentence);
  expect(message).not.toMatch(/secret|\n/);
});
