import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeWhole, makeWholeSync } from "../../server/storage/whole-file.ts";
import { temporaryFolder } from "../support/server.ts";

let folder: string;
let remove: () => void;
let file: string;
beforeEach(() => {
  ({ folder, remove } = temporaryFolder());
  file = join(folder, "all.jsonl");
});
afterEach(() => remove());

it("gives a file its name when all of it is written, readable only by its owner", async () => {
  await makeWhole(file, async (path) => {
    await writeFile(path, "one\n");
    expect(existsSync(file)).toBe(false);
    await appendFile(path, "two\n");
  });
  expect(readdirSync(folder)).toEqual(["all.jsonl"]);
  expect(readFileSync(file, "utf8")).toBe("one\ntwo\n");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it("leaves nothing if the writing fails", async () => {
  await expect(makeWhole(file, () => Promise.reject(new Error("no room")))).rejects.toThrow("no room");
  expect(readdirSync(folder)).toEqual([]);
});

it("replaces no file, whether it was there before or came meanwhile", async () => {
  const taken = new Error(`${file} already exists`);
  const other = () => Promise.resolve(writeFileSync(file, "other"));
  await expect(makeWhole(file, other)).rejects.toThrow(taken);
  await expect(makeWhole(file, (path) => writeFile(path, "own"))).rejects.toThrow(taken);
  makeWholeSync(file, (path) => writeFileSync(path, "own"));
  expect(readFileSync(file, "utf8")).toBe("other");
  expect(readdirSync(folder)).toEqual(["all.jsonl"]);
});

it("removes what a killed process left of the same file", async () => {
  writeFileSync(join(folder, "all.jsonl.unfinished-0123456789ab"), "on");
  writeFileSync(join(folder, "other.jsonl.unfinished-0123456789ab"), "on");
  await makeWhole(file, (path) => writeFile(path, "own"));
  expect(readdirSync(folder)).toEqual(["all.jsonl", "other.jsonl.unfinished-0123456789ab"]);
});

it("never names a file that another process is still writing", async () => {
  const first = makeWhole(file, async (path) => {
    await writeFile(path, "half");
    await makeWhole(file, (other) => writeFile(other, "whole"));
  });
  await expect(first).rejects.toThrow();
  expect(readFileSync(file, "utf8")).toBe("whole");
});
