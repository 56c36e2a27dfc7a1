import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csvForMachines, csvForPeople, defused, restored } from "../../server/csv.ts";

const FORMULAS = /^[=+\-@＝＋－＠]/;
const nasty = fc.string({
  unit: fc.constantFrom(..."=+-@＝'\",;|\t\r\n a1"),
  maxLength: 12,
});

describe("a text in a file that people open", () => {
  it.each([
    ["=1+1", "'=1+1"],
    ["+49 170", "'+49 170"],
    ["-5", "'-5"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1+1", "'\t'=1+1"],
    ["\nnext", "'\nnext"],
    [" =1+1", " '=1+1"],
    ['"=1+1', "\"'=1+1"],
    ["＝1+1", "'＝1+1"],
    ["a;=cmd|' /C calc'!A0", "a;'=cmd|' /C calc'!A0"],
    ["a,b|-1;\t@x\n+y", "a,b|'-1;\t'@x\n'+y"],
    ["'=1+1", "''=1+1"],
    ["jane=doe@example.com", "jane=doe@example.com"],
    ["rock - roll: a=b", "rock - roll: a=b"],
    ["https://a.example/?x=-1&y=@", "https://a.example/?x=-1&y=@"],
    ["", ""],
  ])("%j is written as %j", (text, written) => {
    expect([defused(text), restored(written)]).toEqual([written, text]);
  });

  it("begins no formula, whatever the separator, and can be restored", () => {
    fc.assert(
      fc.property(fc.array(nasty, { minLength: 1, maxLength: 4 }), (cells) => {
        const columns = cells.map((_, at) => `c${at}`);
        const line = Object.fromEntries(cells.map((cell, at) => [`c${at}`, cell]));
        const text = csvForPeople([line], { columns, header: true });
        for (const separator of [",", ";", "\t", "|"]) {
          const parts = text.split(/[\r\n]/).flatMap((row) => row.split(separator));
          for (const part of parts) expect(part.replace(/^[ "]+/, "")).not.toMatch(FORMULAS);
        }
        const [record] = parse(text, { from: 2, skip_empty_lines: false }) as string[][];
        expect(record?.map(restored)).toEqual(cells);
      }),
      { numRuns: 500 },
    );
  });
});

it("a file that machines read keeps every text", () => {
  fc.assert(
    fc.property(fc.tuple(nasty, nasty), ([one, other]) => {
      fc.pre(one !== "" || other !== "");
      expect(parse(csvForMachines([{ one, other }], { header: true }), { columns: true })).toEqual([
        { one, other },
      ]);
    }),
    { numRuns: 300 },
  );
});
