import { describe, expect, it } from "vitest";
import { linesOf } from "../../server/paper/lines.ts";

const piecesOf = (text: string) =>
  linesOf([{ text, isBold: false }], 1_000, () => 1)[0]!.map((piece) => piece.text);

describe("a line on paper", () => {
  it("gives the font whole Arabic words, which it joins and turns round", () => {
    expect(piecesOf("(محمد) علي 42")).toEqual(["42", " ", "علي", " ", "(", "محمد", ")"]);
  });

  it("gives the font whole syllables of Devanagari", () => {
    expect(piecesOf("शर्मा Ltd")).toEqual(["शर्मा", " Ltd"]);
  });

  it("is in one font if it is Chinese", () => {
    const fontsOf = (text: string) => [
      ...new Set(linesOf([{ text, isBold: false }], 1_000, () => 1)[0]!.map(({ font }) => font)),
    ];
    expect([fontsOf("王小明").length, fontsOf("张小明").length]).toEqual([1, 1]);
    expect(fontsOf("王小明")).not.toEqual(fontsOf("张小明"));
  });
});
