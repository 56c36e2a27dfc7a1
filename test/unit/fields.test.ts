import { describe as group, expect, it } from "vitest";
import { z } from "zod";
import * as fields from "../../server/input/fields.ts";

import { describe, shapeChanges, shapeFormChanges, shapeInput } from "../../server/input/shape.ts";

/** The output of a field for a value, or its messages if it refuses the value. */
function read(field: z.ZodType, value: unknown): unknown {
  try {
    return shapeInput(z.object({ field }), { field: value }).field;
  } catch (error) {
    return (error as { fields: Record<string, string[]> }).fields;
  }
}

const INVALID = { field: ["is invalid"] };
const NO_OBJECT = { field: ["is not a JSON object"] };
const TOO_DEEP = { field: ["is nested too deeply (maximum is 16 levels)"] };
const TOO_MANY = { field: ["has too many keys (maximum is 500)"] };
const TOO_LARGE = { field: ["is too large (maximum is 16 KiB)"] };
const tooLong = (length: number) => ({ field: [`is too long (maximum is ${length} characters)`] });
const x = (count: number) => "x".repeat(count);
const brackets = (depth: number) => `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;

group("a text", () => {
  it.each([
    ["a short text", 1_000, fields.text],
    ["a long text", 10_000, fields.longText],
    ["an address", 8_192, fields.address],
  ] as const)("that is %s has at most %i characters and is left as it is", (_, length, field) => {
    expect(read(field, " Ä\n")).toBe(" Ä\n");
    expect(read(field, x(length))).toBe(x(length));
    expect(read(field, x(length + 1))).toEqual(tooLong(length));
    expect(read(field, 7)).toBe("7");
    expect(read(field, 2 ** 53)).toEqual(INVALID);
    expect(read(field, true)).toEqual(INVALID);
  });
});

group("an e-mail address", () => {
  it.each([
    ["jane@example.com", "jane@example.com"],
    [" Jane.O'Neil+tag@Example.com\n", "Jane.O'Neil+tag@Example.com"],
    ["a@b", "a@b"],
    ["jürgen@münchen.example", "jürgen@münchen.example"],
    ["jane", INVALID],
    ["@example.com", INVALID],
    ["jane@", INVALID],
    ["a@b@c", INVALID],
    ["jane doe@example.com", INVALID],
    ["Jane <jane@example.com>", INVALID],
    ["jane@example.com\u0000", INVALID],
    ["jane\r\nBcc: x@example.com", INVALID],
    [["jane@example.com"], INVALID],
  ])("of %j is %j", (value, expected) => {
    expect(read(fields.email, value)).toEqual(expected);
  });

  it("has at most 64 characters before the @ and 254 in all", () => {
    expect(read(fields.email, `${x(64)}@${x(189)}`)).toBe(`${x(64)}@${x(189)}`);
    expect(read(fields.email, `${x(65)}@b.example`)).toEqual(INVALID);
    expect(read(fields.email, `a@${x(253)}`)).toEqual(tooLong(254));
  });
});

group("a web address", () => {
  it.each([
    ["https://acme.example/a?b#c", "https://acme.example/a?b#c"],
    ["HTTP://ACME.example", "HTTP://ACME.example"],
    ["acme.example", INVALID],
    ["http://", INVALID],
    ["javascript:alert(1)//http://", INVALID],
    ["ftp://acme.example", INVALID],
  ])("of %j is %j", (value, expected) => {
    expect(read(fields.webAddress, value)).toEqual(expected);
  });

  it("has at most 1,000 characters", () => {
    expect(read(fields.webAddress, `https://acme.example/${x(1_000)}`)).toEqual(tooLong(1_000));
  });
});

group("a flag", () => {
  it.each([
    ...["true", "1", "yes", " TRUE ", "Yes", 1, true].map((value) => [value, true]),
    ...["false", "0", "no", "FALSE", 0, false].map((value) => [value, false]),
    ...["on", "2", 2, [true], {}].map((value) => [value, INVALID]),
  ])("of %j is %j", (value, expected) => {
    expect(read(fields.flag, value)).toEqual(expected);
  });
});

group("an id", () => {
  it.each([
    [7, 7],
    ["7", 7],
    [" 007 ", 7],
    ["999999999999999", 999_999_999_999_999],
    ...[0, "0", -1, "-1", 1.5, "1.5", "1e3", "0x1", "one", "1000000000000000", 1e21, true, [1]].map(
      (value) => [value, INVALID],
    ),
  ])("of %j is %j", (value, expected) => {
    expect(read(fields.id, value)).toEqual(expected);
  });
});

group("an instant", () => {
  it.each([
    ["2026-03-04", "2026-03-04T00:00:00.000Z"],
    [" 2026-03-04 ", "2026-03-04T00:00:00.000Z"],
    ["2028-02-29", "2028-02-29T00:00:00.000Z"],
    ["2026-03-04T05:06:07Z", "2026-03-04T05:06:07.000Z"],
    ["2026-03-04T05:06:07.123456Z", "2026-03-04T05:06:07.123Z"],
    ["2026-03-04T05:06:07+01:30", "2026-03-04T03:36:07.000Z"],
    ["2026-03-04T05:06Z", "2026-03-04T05:06:00.000Z"],
    ["2026-03-04T05:06-01:00", "2026-03-04T06:06:00.000Z"],
    ["2026-03-04T05:06:07", "2026-03-04T05:06:07.000Z"],
    ["2026-03-04 05:06:07", "2026-03-04T05:06:07.000Z"],
    ["2026-03-04 05:06", "2026-03-04T05:06:00.000Z"],
  ])("of %j is %s", (value, expected) => {
    expect(read(fields.instant, value)).toEqual(new Date(expected));
  });

  it.each([
    ["2026-02-29"],
    ["2026-02-30T10:00:00"],
    ["2026-13-01"],
    ["2026-03-04T25:00:00Z"],
    ["2026-03-04T05:60:00Z"],
    ["2026-3-4"],
    ["04/03/2026"],
    ["2026"],
    ["yesterday"],
    [1_772_600_767],
  ])("is never %j", (value) => {
    expect(read(fields.instant, value)).toEqual(INVALID);
  });
});

group("a JSON object", () => {
  it.each([
    ["text", '{"a":{"b":[1,null]}}', { a: { b: [1, null] } }],
    ["an object", { a: { b: [1, null] } }, { a: { b: [1, null] } }],
    ["empty text", "{}", {}],
    ["text of 16 levels", brackets(15), { a: JSON.parse("[".repeat(15) + "]".repeat(15)) }],
    ["text of 17 levels", brackets(16), TOO_DEEP],
    ["text of 20,001 levels", brackets(20_000), TOO_DEEP],
    [
      "text of 501 keys",
      JSON.stringify(Object.fromEntries(Array.from({ length: 501 }, (_, at) => [at, 1]))),
      TOO_MANY,
    ],
    ["an object of 16 KiB", { a: x(16_384 - 8) }, { a: x(16_384 - 8) }],
    ["an object of a byte more", { a: x(16_384 - 7) }, TOO_LARGE],
    ["an object of 10,000 characters of two bytes", { a: "é".repeat(10_000) }, TOO_LARGE],
    ["text that is cut off", "{", NO_OBJECT],
    ["the text of a list", "[1]", NO_OBJECT],
    ["the text null", "null", NO_OBJECT],
    ["plain text", "plain", NO_OBJECT],
    ["a list", [1], INVALID],
    ["a number", 7, NO_OBJECT],
  ])("from %s is read, or refused with its reason", (_, value, expected) => {
    expect(read(fields.jsonObject, value)).toEqual(expected);
  });
});

group("what is blank", () => {
  const inner = z.object({ a: fields.text, b: fields.text.nullable() }, "is invalid").partial();
  const schema = z.object({ ...inner.shape, inner, free: fields.jsonObject.nullable() }).partial();
  const blank = { a: " ", b: "", free: null, inner: { a: null, b: "" } };

  it("counts as not given in a new record", () => {
    expect(shapeInput(schema, blank)).toEqual({ inner: {} });
  });

  it("clears a field that may be null, and is a fault elsewhere", () => {
    expect(shapeChanges(schema, { b: "", free: null, inner: { b: " " } })).toEqual({
      b: null,
      free: null,
      inner: { b: null },
    });
    expect(() => shapeChanges(schema, blank)).toThrow(
      expect.objectContaining({ fields: { a: ["can't be blank"], "inner[a]": ["can't be blank"] } }),
    );
  });

  it("clears a field of a form that may be null, and counts as not given elsewhere", () => {
    expect(shapeFormChanges(schema, blank)).toEqual({ b: null, free: null, inner: { b: null } });
  });

  it("stays within a free-form object", () => {
    const free = { a: "", b: null, n: 7 };
    for (const shape of [shapeInput, shapeChanges, shapeFormChanges]) {
      expect(shape(schema, { free, inner: { a: 7 } })).toEqual({ free, inner: { a: "7" } });
    }
  });
});

group("the shape of parameters", () => {
  const schema = z.object({ email: fields.email, id: fields.id, note: fields.text }).partial();

  it("drops blank, null and unlisted values", () => {
    const params: unknown = JSON.parse(
      '{"email":" ","id":null,"note":"x","is_admin":"1","__proto__":{"id":1}}',
    );
    expect(shapeInput(schema, params as Record<string, unknown>)).toEqual({ note: "x" });
  });

  it("names every fault of every field at once", () => {
    const faults = { email: [...tooLong(254).field, "is invalid"], id: ["is invalid"] };
    expect(() => shapeInput(schema, { email: x(255), id: "x" })).toThrow(
      expect.objectContaining({
        name: "Failure",
        kind: "invalid",
        message:
          "Validation failed: email is too long (maximum is 254 characters), email is invalid, id is invalid",
        fields: faults,
      }),
    );
  });

  it("describes faults in one sentence", () => {
    expect(describe({ email: ["is invalid", "has already been taken"], id: ["is invalid"] })).toBe(
      "Validation failed: email is invalid, email has already been taken, id is invalid",
    );
  });
});
