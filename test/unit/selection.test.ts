import { expect, it } from "vitest";
import {
  firstThatMatch,
  idsOf,
  inWholeGroups,
  these,
  type NextIds,
} from "../../client/ui/batch/selection.ts";

/** A list that the work shortens while it goes on: its records leave the filter unless they are refused. */
function listOf(count: number) {
  let ids = Array.from({ length: count }, (_, at) => at + 1);
  const load = async (number: number, length: number) => ({
    rows: ids.slice((number - 1) * length, number * length).map((id) => ({ id })),
  });
  const handle = (some: number[]) => (ids = ids.filter((id) => !some.includes(id) || id % 7 === 0));
  const add = (id: number) => ids.push(id);
  return { load, handle, add };
}

async function* parts(next: NextIds): AsyncGenerator<number[]> {
  for (let part = await next(); part.length > 0; part = await next()) yield part;
}

it("gives each record that matched once, although the list changes under the work", async () => {
  const list = listOf(250);
  const given: number[] = [];
  for await (const part of parts(firstThatMatch(250, list.load).begin())) {
    expect(part.length).toBeLessThanOrEqual(20);
    given.push(...part);
    list.handle(part);
    list.add(1_000 + given.length);
  }
  expect(given.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 250 }, (_, at) => at + 1));
});

it("leaves nothing out when a page could not be loaded", async () => {
  const list = listOf(120);
  let isDown = true;
  const next = firstThatMatch(120, (number, length) => {
    if (isDown) throw new Error("down");
    return list.load(number, length);
  }).begin();
  await expect(next()).rejects.toThrow("down");
  isDown = false;
  const given = [];
  for await (const part of parts(next)) given.push(...part);
  expect(given.length).toBe(120);
});

it("begins anew each time, and takes the ids of a group apart", async () => {
  const chosen = these([...idsOf("3,5"), ...idsOf(8)]);
  for (let time = 0; time < 2; time++) {
    const next = chosen.begin();
    expect(await next()).toEqual([3, 5, 8]);
    expect(await next()).toEqual([]);
  }
});

it("divides no group, and leaves nothing out when a group could not be found", async () => {
  const ids = Array.from({ length: 250 }, (_, at) => at + 1);
  let isDown = false;
  const selection = inWholeGroups(these(ids), async (some) => {
    expect(some.length).toBeLessThanOrEqual(100);
    isDown = !isDown;
    if (isDown) throw new Error("down");
    return some.map((id) => (id % 5 === 0 ? "large" : `small ${id % 17}`));
  });
  expect(selection.count).toBe(250);
  const next = selection.begin();
  for (let time = 0; time < 3; time++) await expect(next()).rejects.toThrow("down");
  const given: number[][] = [];
  for await (const part of parts(next)) given.push(part);
  const large = given.find((part) => part.includes(5));
  expect(large).toEqual(ids.filter((id) => id % 5 === 0));
  for (const part of given) if (part !== large) expect(part.length).toBeLessThanOrEqual(20);
  const partOf = (id: number) => given.findIndex((part) => part.includes(id));
  for (const id of ids.filter((each) => each % 5 !== 0 && each > 85 && (each - 85) % 5 !== 0)) {
    expect(partOf(id)).toBe(partOf(id - 85));
  }
  expect(given.flat().toSorted((a, b) => a - b)).toEqual(ids);
});
