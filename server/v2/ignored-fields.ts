import type { H3Event } from "h3";
import type { z } from "zod";
import type { AnswerHeaders } from "../http/answer.ts";
import { knownJson } from "../http/parameters/json.ts";
import { unlistedNames } from "../input/shape.ts";

/** Clients and proxies accept at least 8 KiB of headers, and a few names are enough to notice a mistake. */
const MAX_LENGTH = 1_000;
const MORE = "...";

/**
 * `X-Ignored-Fields`: the unknown fields of a request's body, percent-encoded. They are harmless, but the client may
 * have misspelt them.
 */
export function ignoredFieldsHeader(event: H3Event, schema: z.ZodObject | undefined): AnswerHeaders {
  const given = knownJson(event);
  const names = given === null || schema === undefined ? [] : unlistedNames(schema, given);
  return names.length === 0 ? {} : { "x-ignored-fields": listOf(names) };
}

function listOf(names: string[]): string {
  let list = "";
  for (const name of names) {
    const next = list === "" ? encode(name) : `${list}, ${encode(name)}`;
    if (next.length + MORE.length + 2 > MAX_LENGTH) return list === "" ? MORE : `${list}, ${MORE}`;
    list = next;
  }
  return list;
}

/** JSON may contain lone surrogates, which can't be percent-encoded. A buffer replaces them. */
function encode(name: string): string {
  return encodeURIComponent(Buffer.from(name).toString()).replaceAll("%5B", "[").replaceAll("%5D", "]");
}
