import { expect, it } from "vitest";
import { addressesIn } from "../../client/dashboard/promoters/pasted-addresses.ts";

it.each([
  ["a@example.com, b@example.com;c@example.com\nd@example.com e@example.com", "abcde"],
  ["a@example.com", "a"],
  ["", ""],
  ["  \n , ;", ""],
])("reads plain addresses of %j", (text, letters) => {
  expect(addressesIn(text)).toEqual([...letters].map((letter) => `${letter}@example.com`));
});

it.each([
  ["Hans Huber <hans@example.com>", ["Hans Huber <hans@example.com>"]],
  [
    '"Huber, Hans" <h@example.com>, Kim <k@example.com>',
    ['"Huber, Hans" <h@example.com>', "Kim <k@example.com>"],
  ],
  [
    "Huber, Hans <h@example.com>; Doe, Jane <j@example.com>",
    ["Huber, Hans <h@example.com>", "Doe, Jane <j@example.com>"],
  ],
  [
    "a@example.com, Kim <k@example.com>\nb@example.com",
    ["a@example.com", "Kim <k@example.com>", "b@example.com"],
  ],
  // Each person counts once, because the server takes at most 100.
  [
    "a@example.com <a@example.com>; b@example.com, c@example.com <c@example.com>",
    ["<a@example.com>", "b@example.com", "<c@example.com>"],
  ],
  ["<a@example.com> <b@example.com>", ["<a@example.com>", "<b@example.com>"]],
  ["nonsense\na@example.com", ["nonsense", "a@example.com"]],
])("keeps the names in %j", (text, expected) => {
  expect(addressesIn(text)).toEqual(expected);
});
