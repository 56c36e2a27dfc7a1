import { expect, it } from "vitest";
import { newTraffic } from "../../server/outbox/traffic.ts";

const MANY = 60;

it.each([
  ["300 requests a second that take half of its time", MANY, 0.5, true],
  ["fewer, whatever they take", MANY - 1, 1, false],
  ["as many that leave more of it", 100 * MANY, 0.49, false],
])("reports %s, for the fifth of a second after them", (_, count, share, isBusy) => {
  let now = 0;
  const traffic = newTraffic({ now: () => now, workedShare: () => share });
  for (let index = 0; index < count; index++) traffic.count();
  now = 199;
  expect(traffic.isBusy()).toBe(count >= MANY); // their cost is not known yet
  now = 200;
  expect(traffic.isBusy()).toBe(isBusy);
  now = 399;
  expect(traffic.isBusy()).toBe(isBusy);
  now = 400;
  expect(traffic.isBusy()).toBe(false);
});

it("forgets everything before a pause", () => {
  let now = 0;
  const traffic = newTraffic({ now: () => now, workedShare: () => 1 });
  for (let index = 0; index < MANY; index++) traffic.count();
  now = 10_000;
  expect(traffic.isBusy()).toBe(false);
});

it("lets work that fills the free time continue in every other window", () => {
  let now = 0;
  let wasFree = false;
  const traffic = newTraffic({ now: () => now, workedShare: () => (wasFree ? 1 : 0.2) });
  const free = Array.from({ length: 6 }, () => {
    for (let index = 0; index < MANY; index++) traffic.count();
    now += 200;
    wasFree = !traffic.isBusy();
    return wasFree;
  });
  expect(free).toEqual([true, false, true, false, true, false]);
});

it("notices by itself whether the process works", () => {
  let now = 0;
  const traffic = newTraffic({ now: () => now });
  for (const expected of [true, true]) {
    for (let index = 0; index < MANY; index++) traffic.count();
    // No turn of the event loop ends before the question.
    const until = performance.now() + 5;
    while (performance.now() < until);
    now += 200;
    expect(traffic.isBusy()).toBe(expected);
  }
});
