import { expect, it } from "vitest";
import { batchedRead } from "../../server/storage/drivers/postgres/batched-read.ts";

it("reads what one turn of the event loop asks for in one query, and later reads in another", async () => {
  const queries: string[][] = [];
  const read = batchedRead(
    async (keys) => {
      queries.push(keys);
      return new Map(keys.map((key) => [key, `text of ${key}`]));
    },
    { maxQueries: 2 },
  );
  const askedAtOnce = [read("a"), read("b"), read("a")];
  await Promise.resolve();
  const askedInLaterStep = read("c");
  expect(await Promise.all([...askedAtOnce, askedInLaterStep])).toEqual([
    "text of a",
    "text of b",
    "text of a",
    "text of c",
  ]);
  await read("a");
  expect(queries).toEqual([["a", "b", "c"], ["a"]]);
});
