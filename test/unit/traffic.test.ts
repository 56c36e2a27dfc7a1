import { expect, it } from "vitest";
import { newTraffic } from "../../server/outbox/traffic.ts";

it("is busy from 300 requests a second on, until a fifth of a second without them has passed", () => {
  let now = 0;
  const traffic = newTraffic(() => now);
  for (let count = 0; count < 59; count++) traffic.count();
  expect(traffic.isBusy()).toBe(false);
  traffic.count();
  expect(traffic.isBusy()).toBe(true);
  now = 200;
  expect(traffic.isBusy()).toBe(true);
  now = 400;
  expect(traffic.isBusy()).toBe(false);
  for (let count = 0; count < 60; count++) traffic.count();
  now = 10_000;
  expect(traffic.isBusy()).toBe(false);
});
