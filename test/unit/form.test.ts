import { describe, expect, it } from "vitest";
import { readNestedQuery, readParams, readQuery } from "../../server/http/parameters/form.ts";
import { WAYS, readWith } from "../support/event.ts";

const FORM = "application/x-www-form-urlencoded";
const entries = (params: Record<string, unknown>) => Object.entries(params);
const pairs = (count: number) => Array.from({ length: count }, (_, index) => `p${index}=1`).join("&");

describe.each(WAYS)("the parameters of a POST %s", (way) => {
  const read = async (path: string, type: string, body: string) =>
    entries(
      await readWith(readParams, { way, path, method: "POST", headers: { "content-type": type }, body }),
    );

  it.each([
    ["are the form's", "/", FORM, "a=1&b=2", { a: "1", b: "2" }],
    ["are the query's and the form's, and the form wins", "/?a=1&b=2", FORM, "b=3", { a: "1", b: "3" }],
    ["are the last of a name", "/", FORM, "a=1&a=2", { a: "2" }],
    ["may be empty or without a value", "/", FORM, "a=&b&=c", { a: "", b: "", "": "c" }],
    ["keep what follows the first equals sign", "/", FORM, "a=b=c", { a: "b=c" }],
    ["are decoded, name and value", "/", FORM, "f%C3%BCr+a=%2B1+%26+2", { "für a": "+1 & 2" }],
    ["skip empty pairs", "/", FORM, "&a=1&&", { a: "1" }],
    [
      "come in a type with a charset, in any case",
      "/",
      `${FORM.toUpperCase()}; charset=UTF-8`,
      "a=1",
      { a: "1" },
    ],
    ["come as the plain text of sendBeacon", "/", "text/plain;charset=UTF-8", "a=1", { a: "1" }],
    ["come in a body without a type", "/", "", "a=1", { a: "1" }],
    [
      "are the query's where the body is empty, whatever its type",
      "/?a=1",
      "application/xml",
      "",
      { a: "1" },
    ],
    ["come as JSON, which wins", "/?a=1", "application/json", '{"a":"2","b":""}', { a: "2", b: "" }],
    [
      "are the JSON text of what is no string, and leave null out",
      "/",
      "application/json; charset=utf-8",
      '{"a":1,"b":true,"c":{"d":[1]},"e":null}',
      { a: "1", b: "true", c: '{"d":[1]}' },
    ],
    ["begin after a byte order mark", "/", FORM, "\uFEFFa=1", { a: "1" }],
    ["may be 500 in number", "/", FORM, pairs(500), Object.fromEntries(new URLSearchParams(pairs(500)))],
  ])("%s", async (_, path, type, body, params) => {
    expect(await read(path, type, body)).toEqual(entries(params));
  });

  it.each([
    [FORM, "__proto__=x&constructor=y"],
    ["application/json", '{"__proto__":"x","constructor":"y"}'],
  ])("may have the names of object properties, in %s", async (type, body) => {
    expect(await read("/", type, body)).toEqual([
      ["__proto__", "x"],
      ["constructor", "y"],
    ]);
  });

  const NOT_UTF8 = "A parameter is not valid percent-encoded UTF-8";
  it.each([
    ["a broken escape", "/", FORM, "a=%zz", "malformed", NOT_UTF8],
    ["an escape that is cut off", "/", FORM, "a=%e2%82", "malformed", NOT_UTF8],
    ["a broken escape in a name", "/", FORM, "%f=a", "malformed", NOT_UTF8],
    ["a broken escape in the query", "/?a=%ff", FORM, "b=1", "malformed", NOT_UTF8],
    ["501 parameters", "/", FORM, pairs(501), "too_large", "More than 500 parameters"],
    ["501 parameters in the query", `/?${pairs(501)}`, FORM, "", "too_large", "More than 500 parameters"],
    ["JSON that is cut off", "/", "application/json", "{", "malformed", "The body is not valid JSON"],
    ["JSON that is a list", "/", "application/json", "[]", "malformed", "The body is not a JSON object"],
    [
      "another type",
      "/",
      "Application/XML; charset=utf-8",
      "<a/>",
      "malformed",
      "The content type is not understood; send a form or JSON",
    ],
    ["a body past 64 KiB", "/", FORM, "x".repeat(65_537), "too_large", "The body is larger than 64 KiB"],
  ])("refuse %s", async (_, path, type, body, kind, message) => {
    await expect(read(path, type, body)).rejects.toMatchObject({ name: "Failure", kind, message });
  });

  it("may fill 64 KiB", async () => {
    expect(await read("/", FORM, `a=${"x".repeat(65_534)}`)).toEqual([["a", "x".repeat(65_534)]]);
  });

  it("refuse a body above 64 KiB without a declared length", async () => {
    const body = new Blob(["x".repeat(40_000), "x".repeat(40_000)]).stream();
    const init = { way, method: "POST", headers: { "content-type": FORM }, body, duplex: "half" as const };
    await expect(readWith(readParams, init)).rejects.toMatchObject({ kind: "too_large" });
  });

  it("refuse bytes that are not UTF-8", async () => {
    const init = {
      way,
      method: "POST",
      headers: { "content-type": FORM },
      body: new Uint8Array([97, 61, 255]),
    };
    await expect(readWith(readParams, init)).rejects.toMatchObject({
      kind: "malformed",
      message: "The body is not valid UTF-8",
    });
  });
});

describe("the parameters of a query", () => {
  it.each([
    ["/", {}],
    ["/?", {}],
    ["/?a=1&b=x+y&b=%C3%A9#c=1", { a: "1", b: "é" }],
  ])("are read from %s", async (path, params) => {
    expect(entries(await readWith(readQuery, { path }))).toEqual(entries(params));
    expect(entries(await readWith(readParams, { path }))).toEqual(entries(params));
  });

  it("are all that a GET has, even if it claims to be JSON", async () => {
    const headers = { "content-type": "application/json" };
    expect(entries(await readWith(readParams, { path: "/?a=1", headers }))).toEqual([["a", "1"]]);
  });
});

describe("a list in a query", () => {
  const list = (text: string) =>
    readWith(async (event) => readNestedQuery(event)["ids"], { path: `/?${text}` });

  it("keeps the order in which its items came", async () => {
    expect(await list("ids[7]=a&ids[3]=b&ids=c&ids[]=d")).toEqual(["a", "b", "c", "d"]);
  });

  it.each([
    ["ids[][a]=1&ids[][b]=2&ids[][a]=3", [{ a: "1", b: "2" }, { a: "3" }]],
    ["ids[][a][]=1&ids[][a][]=2", [{ a: ["1"] }, { a: ["2"] }]],
    ["ids[0][a]=1&ids[0][b]=2&ids[1][a]=3", [{ a: "1", b: "2" }, { a: "3" }]],
    ["ids[]=1&ids[][a]=2", ["1", { a: "2" }]],
  ])("of objects is read from %s", async (text, objects) => {
    expect(await list(text)).toEqual(objects);
  });

  it.each(["ids", "ids[]", "ids%5B%5D"])("written as %s may have more than 500 items", async (name) => {
    const ids = Array.from({ length: 900 }, (_, at) => String(at));
    expect(await list(ids.map((id) => `${name}=${id}`).join("&"))).toEqual(ids);
  });

  it("may not have more than 500 names", async () => {
    const text = Array.from({ length: 501 }, (_, at) => `ids[${at}]=1`).join("&");
    await expect(list(text)).rejects.toMatchObject({
      kind: "too_large",
      message: "More than 500 parameters",
    });
  });
});
