import { expect, it } from "vitest";
import { isPassword, keepPassword } from "../../server/domain/access/password.ts";
import { countedChance } from "../support/app.ts";

const chance = countedChance();
const tryMany = (count: number, isStranger: boolean) =>
  Promise.allSettled(Array.from({ length: count }, () => keepPassword({ chance, isStranger }, "a password")));
const kept = (results: PromiseSettledResult<unknown>[]) =>
  results.filter(({ status }) => status === "fulfilled").length;
const refused = (results: PromiseSettledResult<unknown>[]) =>
  results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));

it("makes a few hashes for strangers, lets a few more wait, and refuses the others", async () => {
  const results = await tryMany(200, true);
  expect(kept(results)).toBe(10);
  expect(new Set(refused(results).map(String))).toEqual(
    new Set(["Failure: Too many others are signing in at the moment; try again"]),
  );
  expect(refused(results)[0]).toMatchObject({ kind: "busy", retryAfterSeconds: 2 });
  // When they are done, there is room again.
  expect(kept(await tryMany(10, true))).toBe(10);
});

it("makes hashes for callers who are known, however many strangers wait", async () => {
  const strangers = tryMany(200, true);
  expect(kept(await tryMany(40, false))).toBe(40);
  expect(kept(await strangers)).toBe(10);
});

it("bounds the hashes of callers who are known, too", async () => {
  expect(kept(await tryMany(100, false))).toBe(40);
});

it("recognises a password in any Unicode form, and no other one", async () => {
  const { hash } = await keepPassword({ chance }, "pa\u0308ssword");
  expect(await isPassword({ chance }, "p\u00e4ssword", hash)).toBe(true);
  expect(await isPassword({ chance }, "password", hash)).toBe(false);
});
