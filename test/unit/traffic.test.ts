import { expect, it } from "vitest";
import { newTraffic } from "../../server/outbox/traffic.ts";

it("is busy from 300 requests a second on, until half a second without them has passed", () => {
  let now = 0;
  const traffic = newTraffic(() => now);
  for (let count = 0; count < 149; count++) traffic.count();
  expect(traffic.isBusy()).toBe(false);
  traffic.count();
  expect(traffic.isBusy()).toBe(true);
  now = 500;
  expect(traffic.isBusy()).toBe(true);
  now = 1_000;
  expect(traffic.isBusy()).toBe(false);
  for (let count = 0; count < 150; count++) traffic.count();
  now = 10_000;
  expect(traffic.isBusy()).toBe(false);
});
