import { afterEach, expect, it } from "vitest";
import { endOf, startOf } from "../../client/ui/day.ts";
import { writing } from "../../client/ui/format.ts";

afterEach(() => void (writing.value = { currency: "USD", timeZone: "UTC" }));

it.each([
  ["UTC", "2026-03-04", "2026-03-04T00:00:00.000Z", "2026-03-04T23:59:59.999Z"],
  ["Asia/Tokyo", "2026-03-04", "2026-03-03T15:00:00.000Z", "2026-03-04T14:59:59.999Z"],
  ["America/New_York", "2026-12-31", "2026-12-31T05:00:00.000Z", "2027-01-01T04:59:59.999Z"],
  // The clock goes forward at 2, and back at 2.
  ["America/New_York", "2026-03-08", "2026-03-08T05:00:00.000Z", "2026-03-09T03:59:59.999Z"],
  ["America/New_York", "2026-11-01", "2026-11-01T04:00:00.000Z", "2026-11-02T04:59:59.999Z"],
  // It goes forward at midnight, so the day begins at 1.
  ["America/Santiago", "2024-09-08", "2024-09-08T04:00:00.000Z", "2024-09-09T02:59:59.999Z"],
  // It goes back at midnight, so the hour before is repeated.
  ["Africa/Cairo", "2024-11-01", "2024-10-31T22:00:00.000Z", "2024-11-01T21:59:59.999Z"],
  // It goes back at 1, so midnight is repeated.
  ["America/Havana", "2024-11-03", "2024-11-03T04:00:00.000Z", "2024-11-04T04:59:59.999Z"],
  // 30 December 2011 was left out.
  ["Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00.000Z", "2011-12-30T09:59:59.999Z"],
])("in %s, %s lasts from %s to %s", (timeZone, day, start, end) => {
  writing.value = { currency: "USD", timeZone };
  expect([startOf(day), endOf(day)]).toEqual([start, end]);
});

it("leaves it to the server to refuse what is no day", () => {
  expect([startOf("soon"), endOf("soon")]).toEqual(["soon", "soon"]);
});
