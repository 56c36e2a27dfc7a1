import { ACCOUNT, KEY } from "../server.ts";
import { credentials, encode, type Call } from "./call.ts";
import type { Dice } from "./dice.ts";
import type { DescribedOperation } from "./document.ts";
import {
  HOSTILE_BRACKETS,
  HOSTILE_NAMES,
  HOSTILE_TEXTS,
  RAW_JSON,
  hostileValue,
  writeJson,
} from "./hostile.ts";

/** The material for spoiling a request. */
export interface Spoiling {
  dice: Dice;
  operation: DescribedOperation;
  /** The key of the other account, and ids, addresses and tokens of its records. */
  other: { key: string; account: string; values: string[] };
}

type Spoiler = (call: Call, spoiling: Spoiling) => void;

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "LINK"];
const TYPES = [
  "application/json",
  "application/x-www-form-urlencoded",
  "text/plain",
  "multipart/form-data; boundary=x",
  "application/xml",
  "application/json; charset=utf-16",
  "APPLICATION/JSON",
  "application/json, text/html",
  "/",
  ";",
  "x".repeat(2_000),
];
const SEGMENTS = [
  "0",
  "-1",
  "9007199254740992",
  "9007199254740993",
  "1e3",
  "1.0",
  "NaN",
  "null",
  "%00",
  "%ff",
  "%",
  "%zz",
  "%2e%2e",
  "..",
  ".",
  "%2f",
  "..%2f..%2fetc%2fpasswd",
  "%5c",
  "",
  "1%0d%0aX-A:b",
  "__proto__",
  "constructor",
  "%f0%9f%91%8d",
  "a".repeat(3_000),
  "1;a=b",
  "1,2",
  "1%3f",
  "*",
  "**",
  "{id}",
  ":id",
  "search",
  "$count",
];
const PAGES = [
  "1e9",
  "1000000000",
  "9999999999",
  "0",
  "-1",
  "1.5",
  "abc",
  "99999999999999999999",
  "%2b1",
  "١",
  "",
];

const SPOILERS: [share: number, spoil: Spoiler][] = [
  [40, spoilField],
  [8, dropField],
  [8, doubleField],
  [8, addHostileName],
  [6, addBrackets],
  [8, spoilSegment],
  [5, useOtherAccount],
  [5, spoilCredentials],
  [4, spoilPaging],
  [4, spoilType],
  [4, spoilBody],
  [3, (call, { dice }) => void (call.method = dice.pick(METHODS))],
  [3, swapFormAndJson],
  [2, spoilHeaders],
];
const ALL_SHARES = SPOILERS.reduce((sum, [share]) => sum + share, 0);

/** Spoils one or two things of an honest request. */
export function spoil(call: Call, spoiling: Spoiling): void {
  const times = spoiling.dice.percent(65) ? 1 : 2;
  for (let time = 0; time < times; time++) {
    let left = spoiling.dice.below(ALL_SHARES);
    const [, spoiler] = SPOILERS.find(([share]) => (left -= share) < 0)!;
    spoiler(call, spoiling);
  }
}

function spoilField(call: Call, { dice, operation }: Spoiling): void {
  const schema = operation.json ?? operation.form ?? operation.query;
  const names = Object.keys(schema.properties ?? {});
  if (names.length === 0) return spoilSegment(call, { dice });
  const name = dice.pick(names);
  if (call.json !== null) {
    const value = hostileValue(dice, { isJson: true });
    const inner = call.json[name];
    const isInside = typeof inner === "object" && inner !== null && dice.percent(60);
    if (isInside) spoilInside(inner, value, dice);
    else call.json[name] = value;
    return;
  }
  const pairs = pairsOf(call);
  const given = pairs.filter(([own]) => own.startsWith(encode(name)));
  const value = encode(String(hostileValue(dice, { isJson: false })));
  if (given.length > 0) dice.pick(given)[1] = value;
  else pairs.push([encode(name), value]);
}

function spoilInside(target: object, value: unknown, dice: Dice): void {
  const names = Object.keys(target);
  const name = names.length > 0 ? dice.pick(names) : "0";
  const inner = (target as Record<string, unknown>)[name];
  if (typeof inner === "object" && inner !== null && dice.percent(60)) spoilInside(inner, value, dice);
  else (target as Record<string, unknown>)[name] = value;
}

function dropField(call: Call, { dice }: Spoiling): void {
  if (call.json !== null) {
    const names = Object.keys(call.json);
    if (names.length > 0) delete call.json[dice.pick(names)];
    return;
  }
  const pairs = pairsOf(call);
  if (pairs.length > 0) pairs.splice(dice.below(pairs.length), 1);
}

function doubleField(call: Call, { dice }: Spoiling): void {
  const pairs = pairsOf(call);
  const [name] = pairs.length > 0 ? dice.pick(pairs) : ["id"];
  const form = dice.pick([
    name,
    `${name}[]`,
    `${name}[0]`,
    `${name}[a]`,
    `${name}%5B%5D`,
    name.toUpperCase(),
  ]);
  pairs.push([form, encode(dice.pick(HOSTILE_TEXTS))]);
}

function addHostileName(call: Call, { dice }: Spoiling): void {
  const name = dice.pick(HOSTILE_NAMES);
  const value = hostileValue(dice, { isJson: call.json !== null });
  if (call.json === null) pairsOf(call).push([encode(name), encode(String(value))]);
  // Written as text, because setting it would set the prototype.
  else
    call.rawBody = writeJson(call.json)
      .replace("{", `{${JSON.stringify(name)}:${writeJson(value)},`)
      .replace(",}", "}");
}

function addBrackets(call: Call, { dice }: Spoiling): void {
  const name = dice.pick(HOSTILE_BRACKETS);
  const written = dice.percent(50) ? encode(name) : name.replaceAll(/[^\w[\]]/g, encode);
  call.query.push([written, encode(dice.pick(HOSTILE_TEXTS))]);
}

function spoilSegment(call: Call, { dice }: Pick<Spoiling, "dice">): void {
  const last = call.segments.length - 1;
  const at = dice.percent(80)
    ? call.segments.findIndex((part) => /^(\d+|.*%40.*)$/.test(part))
    : dice.below(last + 1);
  if (dice.percent(20)) call.segments.push(dice.pick(SEGMENTS));
  else call.segments[at === -1 ? last : at] = dice.pick(SEGMENTS);
}

/** The other account's records with our key: for us they must not exist. */
function useOtherAccount(call: Call, { dice, other }: Spoiling): void {
  const value = dice.pick(other.values);
  const at = call.segments.findIndex((part) => /^\d+$/.test(part));
  if (at >= 0 && dice.percent(70)) call.segments[at] = encode(value);
  else if (call.json !== null) {
    const names = Object.keys(call.json).filter((name) => /id|email|ref|code/.test(name));
    if (names.length > 0) call.json[dice.pick(names)] = /^\d+$/.test(value) ? Number(value) : value;
  } else {
    const pairs = pairsOf(call).filter(([name]) => /id|email|ref|code|tid/.test(name) && name !== "cid");
    if (pairs.length > 0) dice.pick(pairs)[1] = encode(value);
  }
}

function spoilCredentials(call: Call, { dice, operation, other }: Spoiling): void {
  const { headers } = call;
  const wrong = dice.pick([
    "",
    " ",
    "wrong",
    "k".repeat(5_000),
    `${KEY} `,
    KEY.toUpperCase(),
    "\u00ff",
    `${KEY},${KEY}`,
  ]);
  if (operation.tag === "V1") {
    const choices: (() => void)[] = [
      () => void (headers["x-api-key"] = wrong),
      () => void delete headers["x-api-key"],
      () => void (headers["x-api-key"] = [KEY, wrong]),
      () => Object.assign(headers, { "x-api-key": "", authorization: `Bearer ${KEY}` }),
      () => call.query.push(["api_key", KEY]),
    ];
    return dice.pick(choices)();
  }
  if (operation.tag !== "V2")
    return void (headers["origin"] = dice.pick(["null", "https://evil.example", "x", wrong]));
  // With its own key, the other account could be changed.
  const isTheirs = headers["authorization"]?.includes(other.key) ?? false;
  const strange = isTheirs ? wrong : other.account;
  const choices: (() => void)[] = [
    () =>
      void (headers["authorization"] = dice.pick([
        wrong,
        `Basic ${KEY}`,
        "Bearer",
        `Bearer  ${KEY}  `,
        `Bearer ${wrong}`,
      ])),
    () => void delete headers["authorization"],
    () => void delete headers["account-id"],
    () => void (headers["account-id"] = dice.pick([wrong, strange, "ACME", "1", "acme, acme"])),
    () => void (headers["account-id"] = ["acme", strange]),
    () => void (headers["authorization"] = [`Bearer ${KEY}`, `Bearer ${wrong}`]),
    // The other account's key must not open ours.
    () => Object.assign(headers, { authorization: `Bearer ${other.key}`, "account-id": ACCOUNT }),
    () => Object.assign(headers, { authorization: "", "x-api-key": KEY }),
  ];
  dice.pick(choices)();
}

function spoilPaging({ query }: Call, { dice }: Spoiling): void {
  for (const name of dice.pick([["page"], ["per_page"], ["page", "per_page"], ["page[]"], ["per_page[a]"]])) {
    query.push([name, dice.pick(PAGES)]);
  }
}

function spoilType({ headers }: Call, { dice }: Spoiling): void {
  if (dice.percent(20)) delete headers["content-type"];
  else headers["content-type"] = dice.pick(TYPES);
}

function spoilBody(call: Call, { dice }: Spoiling): void {
  const text = call.json === null ? "a=b" : writeJson(call.json);
  call.rawBody = dice.pick<string | Buffer>([
    "",
    " ",
    text.slice(0, -1),
    `${text}}`,
    `\ufeff${text}`,
    Buffer.from(text, "utf16le"),
    Buffer.from([0xff, 0xfe, 0x00, 0xc0, 0xaf]),
    dice.pick(RAW_JSON),
    `[${text}]`,
    '"text"',
    "1",
    "null",
    "&&&===&&",
    "=",
    "%",
    `a=${"%61".repeat(20_000)}`,
    "a[]=1&".repeat(9_000),
    `{"a":"${"x".repeat(70_000)}"}`,
    `{"a":[${"0,".repeat(30_000)}0]}`,
    "[".repeat(60_000),
    '{"a":'.repeat(12_000),
    "x".repeat(200_000),
  ]);
}

function swapFormAndJson(call: Call, { dice }: Spoiling): void {
  if (call.json !== null) {
    const pairs = Object.entries(call.json).map(([name, value]): [string, string] => [
      encode(name),
      encode(typeof value === "string" ? value : writeJson(value)),
    ]);
    Object.assign(call, { form: pairs, json: null });
    if (dice.percent(30)) call.headers["content-type"] = "application/json";
  } else if (call.form !== null) {
    const values = call.form.map(([name, value]) => [name, dice.percent(70) ? value : [value]] as const);
    Object.assign(call, { json: Object.fromEntries(values), form: null });
  } else call.rawBody = '{"id":1}';
}

function spoilHeaders({ headers }: Call, { dice, operation }: Spoiling): void {
  const name = dice.pick([
    "x-forwarded-for",
    "user-agent",
    "origin",
    "referer",
    "accept",
    "cookie",
    "sec-gpc",
    "host",
    "expect",
    "x-http-method-override",
    "accept-encoding",
    "range",
    "if-none-match",
  ]);
  headers[name] = dice.pick([
    "",
    "1",
    "DELETE",
    "x".repeat(4_000),
    "a, b, , c",
    "\u00e4\u00ff",
    "[::1]:99999999",
    "fe80::1%eth0",
    "_svc_tid=%zz",
    "http://[",
    "bytes=0-",
    "*",
  ]);
  if (name === "expect" || name === "host") headers[name] = "example.com"; // Node itself answers the rest
  if (name === "expect") delete headers[name];
  if (operation.tag === "V1" && dice.percent(20)) Object.assign(headers, credentials("V2"));
}

/** The parameters of a request: those of the query if it has neither form nor JSON. */
function pairsOf({ form, query }: Call): [string, string][] {
  return form !== null && form.length > 0 ? form : query;
}
