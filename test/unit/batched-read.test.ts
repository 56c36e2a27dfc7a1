import { expect, it } from "vitest";
import { batchedRead } from "../../server/storage/engines/postgres/rows.ts";

function readsOf(fault: string | null = null) {
  const queries: string[][] = [];
  const read = batchedRead(
    async (asked: string[]) => {
      queries.push(asked);
      if (fault !== null && asked.includes(fault)) throw new Error(fault);
      return asked.map((each) => `answer to ${each}`);
    },
    { maxQueries: 2, isOfOne: () => true },
  );
  return { queries, read: (name: string) => read(name, name) };
}

it("reads what one turn of the event loop asks for in one query, and later reads in another", async () => {
  const { queries, read } = readsOf();
  const askedTogether = [read("a"), read("b"), read("a")];
  await Promise.resolve();
  const askedInLaterStep = read("c");
  expect(await Promise.all([...askedTogether, askedInLaterStep])).toEqual([
    "answer to a",
    "answer to b",
    "answer to a",
    "answer to c",
  ]);
  await read("a");
  expect(queries).toEqual([["a", "b", "c"], ["a"]]);
});

it("asks each question alone after an error that one of them may have caused", async () => {
  const { queries, read } = readsOf("bad");
  const answers = await Promise.allSettled([read("a"), read("bad"), read("b")]);
  expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(queries).toEqual([["a", "bad", "b"], ["a"], ["bad"], ["b"]]);
});
