import { ACCOUNT, KEY } from "../server.ts";
import type { Dice } from "./dice.ts";
import type { DescribedOperation } from "./document.ts";
import { writeJson } from "./hostile.ts";
import type { Known } from "./known.ts";
import { plausible, someOf, type Making } from "./plausible.ts";

/** A request before it is written, so that parts of it can be spoilt. */
export interface Call {
  method: string;
  /** Segments of the path, percent-encoded where needed. */
  segments: string[];
  /** Names and values, percent-encoded. */
  query: [name: string, value: string][];
  form: [name: string, value: string][] | null;
  json: Record<string, unknown> | null;
  headers: Record<string, string | string[]>;
  /** Replaces form and JSON. */
  rawBody: string | Buffer | null;
}

/** A request as it is sent. */
export interface WrittenCall {
  method: string;
  target: string;
  headers: Record<string, string | string[]>;
  body: string | Buffer | null;
}

/** A request that an honest client might make. */
export function honestCall(operation: DescribedOperation, dice: Dice, known: Known): Call {
  const making: Making = { dice, known, path: operation.path };
  const form = operation.form && pairs(someOf(making, operation.form), { isNested: false });
  // V1 accepts the query of a POST as well as its form.
  const isInQuery = form !== null && dice.percent(30);
  const query = pairs(someOf(making, operation.query), { isNested: operation.tag === "V2" });
  return {
    method: operation.method,
    segments: operation.path
      .split("/")
      .slice(1)
      .map((part) => (part.startsWith("{") ? encode(idFor(making, operation.path, part)) : part)),
    query: isInQuery ? [...query, ...form] : query,
    form: isInQuery ? [] : form,
    json: operation.json && someOf(making, operation.json),
    headers: {
      ...credentials(operation.tag),
      ...address(dice),
      ...(operation.file !== null && { "content-type": "text/csv" }),
    },
    rawBody: operation.file,
  };
}

/** Writes a request. */
export function write({ method, segments, query, form, json, headers, rawBody }: Call): WrittenCall {
  const search = query.map(([name, value]) => `${name}=${value}`).join("&");
  const text = form ? form.map(([name, value]) => `${name}=${value}`).join("&") : json && writeJson(json);
  const body = rawBody ?? text;
  const type = form ? "application/x-www-form-urlencoded" : "application/json";
  return {
    method,
    target: `/${segments.join("/")}${search && `?${search}`}`,
    headers: { ...(body !== null && { "content-type": type }), ...headers },
    body,
  };
}

/** The headers that authenticate a request. */
export function credentials(tag: DescribedOperation["tag"]): Record<string, string> {
  if (tag === "V1") return { "x-api-key": KEY };
  if (tag === "V2") return { authorization: `Bearer ${KEY}`, "account-id": ACCOUNT };
  return {
    origin: "https://www.acme.example",
    "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36",
  };
}

/** Percent-encodes a text. Lone surrogates become bytes that are not UTF-8. */
export function encode(text: string): string {
  return text
    .split(/([\ud800-\udfff])/u)
    .map((part) => (/^[\ud800-\udfff]$/u.test(part) ? "%ED%A0%80" : encodeURIComponent(part)))
    .join("");
}

/** Names and values in the form of a form; objects and lists in brackets or as JSON. */
export function pairs(
  values: Record<string, unknown>,
  { isNested }: { isNested: boolean },
): [string, string][] {
  const found: [string, string][] = [];
  const put = (name: string, value: unknown): void => {
    if (isNested && Array.isArray(value)) for (const item of value) put(`${name}[]`, item);
    else if (isNested && typeof value === "object" && value !== null)
      for (const [inner, one] of Object.entries(value)) put(`${name}[${inner}]`, one);
    else if (Array.isArray(value) && value.every((item) => typeof item === "string"))
      found.push([encode(name), encode(value.join(","))]);
    else
      found.push([encode(name), encode(typeof value === "string" ? value : (JSON.stringify(value) ?? ""))]);
  };
  for (const [name, value] of Object.entries(values)) put(name, value);
  return found;
}

function idFor(making: Making, path: string, part: string): string {
  const name = part.slice(1, -1);
  const at = name === "id" ? path.slice(0, path.lastIndexOf(part)) : name;
  return String(plausible({ ...making, path: at }, "id", { type: "number" }));
}

/**
 * The address behind one proxy: mostly the same one, sometimes a random one, because limits count strangers
 * by address.
 */
function address(dice: Dice): Record<string, string> {
  if (dice.percent(50)) return { "x-forwarded-for": "192.0.2.7" };
  const part = () => dice.below(256);
  return { "x-forwarded-for": `203.${part()}.${part()}.${part()}` };
}
