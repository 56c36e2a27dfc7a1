import { describe, expect, it } from "vitest";
import { parseJsonObject, readJson } from "../../server/http/parameters/json.ts";
import { WAYS, readWith } from "../support/event.ts";

const NOT_JSON = "The body is not valid JSON";
const NO_OBJECT = "The body is not a JSON object";
const TOO_DEEP = "The body is nested too deeply (maximum is 16 levels)";
const TOO_MANY = "The body has too many keys (maximum is 500)";

/** An object with a number of levels, counting itself. */
const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;
const object = (keyCount: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: keyCount }, (_, index) => [`k${index}`, index])));

describe("a JSON object", () => {
  it.each([
    ["{}", {}],
    [' {"a":1.5,"b":[null,true],"c":{"d":"é"}} ', { a: 1.5, b: [null, true], c: { d: "é" } }],
    ['{"a":1,"a":2}', { a: 2 }],
  ])("is read from %s", (text, value) => {
    expect(parseJsonObject(text)).toEqual(value);
  });

  it.each([
    ["16 levels", nested(16)],
    ["500 keys", object(500)],
    [
      "500 keys through its levels, and items without end",
      JSON.stringify({ a: { b: Array(9_000).fill(0) }, ...JSON.parse(object(498)) }),
    ],
  ])("may have %s", (_, text) => {
    expect(parseJsonObject(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ["no text at all", "", "malformed", NOT_JSON],
    ["text that is cut off", '{"a":', "malformed", NOT_JSON],
    ["two objects", "{}{}", "malformed", NOT_JSON],
    ["a list", "[{}]", "malformed", NO_OBJECT],
    ["null", "null", "malformed", NO_OBJECT],
    ["a string", '"{}"', "malformed", NO_OBJECT],
    ["a number", "1", "malformed", NO_OBJECT],
    ["17 levels", nested(17), "too_large", TOO_DEEP],
    ["lists within each other", `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`, "too_large", TOO_DEEP],
    ["501 keys", object(501), "too_large", TOO_MANY],
    [
      "501 keys through its levels",
      JSON.stringify({ a: [JSON.parse(object(250)), JSON.parse(object(250))] }),
      "too_large",
      TOO_MANY,
    ],
  ])("is not read from %s", (_, text, kind, message) => {
    expect(() => parseJsonObject(text)).toThrow(expect.objectContaining({ name: "Failure", kind, message }));
  });
});

describe.each(WAYS)("the JSON body of a request %s", (way) => {
  const read = (body?: string) =>
    readWith(readJson, { way, method: "POST", ...(body !== undefined && { body }) });

  it.each([
    [undefined, {}],
    ["", {}],
    [" \r\n", {}],
    ['{"a":{"b":1}}', { a: { b: 1 } }],
    ['\uFEFF{"a":1}', { a: 1 }],
    ['{"a[b]":1,"a[c][d]":2}', { a: { b: 1, c: { d: 2 } } }],
    ['{"a":{"b":1},"a[c]":2}', { a: { b: 1, c: 2 } }],
    ['{"a":{"b":1},"a[b]":2}', { a: { b: 1 }, "a[b]": 2 }],
    ['{"a":[1],"a[b]":2,"a[]":3,"a[b":4}', { a: [1], "a[b]": 2, "a[]": 3, "a[b": 4 }],
    ['{"__proto__[a]":1}', JSON.parse('{"__proto__":{"a":1}}')],
  ])("is read from %j, whatever its type", async (body, value) => {
    expect(await read(body)).toEqual(value);
  });

  it.each([
    ["a list", "[]", "malformed", NO_OBJECT],
    [
      "more than 64 KiB",
      JSON.stringify({ a: "x".repeat(65_536) }),
      "too_large",
      "The body is larger than 64 KiB",
    ],
  ])("is refused if it is %s", async (_, body, kind, message) => {
    await expect(read(body)).rejects.toMatchObject({ name: "Failure", kind, message });
  });
});
