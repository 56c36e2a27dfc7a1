import type { H3Event } from "h3";
import { z } from "zod";
import type { AnswerHeaders } from "./answer.ts";
import { field } from "./fields.ts";

const RELATIONS = ["first", "prev", "last", "next"];
/** Clients and proxies accept at least 8 KiB of headers. */
const MAX_LINK_LENGTH = 4_096;

/** One page of a list. */
export interface Page {
  number: number;
  limit: number;
  /** How many records come before the page. */
  offset: number;
}

/** The default and maximum page size of a list. */
export interface PageLengths {
  usual: number;
  most: number;
}

/** The page parameters. `readPage` reads them and accepts any value. */
export function pageParams({ usual, most }: PageLengths) {
  const number = { type: "integer", minimum: 1 };
  return z
    .object({
      page: field(z.unknown().meta({ documentedAs: { ...number, default: 1 } }), "Number of the page."),
      per_page: field(
        z.unknown().meta({ documentedAs: { ...number, maximum: most, default: usual } }),
        "Records on a page. A value above the maximum means the maximum.",
      ),
    })
    .partial();
}

/**
 * The requested page. A value that is not a positive number counts as missing, and a page size above the maximum means the
 * maximum. @see docs/spec/common.md "Pages"
 */
export function readPage(params: Record<string, unknown>, { usual, most }: PageLengths): Page {
  const number = positive(params["page"]) ?? 1;
  const limit = Math.min(positive(params["per_page"]) ?? usual, most);
  return { number, limit, offset: (number - 1) * limit };
}

/**
 * `Total`, `Per-Page` and, if there is more than one page, `Link` (RFC 8288), which keeps the other parameters. If the
 * query is so long that clients could not read the headers, only the links that fit are sent, the next page's first.
 */
function pageHeaders(address: URL, page: Page, total: number): AnswerHeaders {
  const headers: AnswerHeaders = { total: String(total), "per-page": String(page.limit) };
  const last = Math.max(1, Math.ceil(total / page.limit));
  const links = new Map<string, string>();
  let room = MAX_LINK_LENGTH;
  const link = (rel: string, number: number) => {
    const target = new URL(address);
    target.searchParams.set("page", String(number));
    const text = `<${target.href}>; rel="${rel}"`;
    room -= text.length;
    if (room >= 0) links.set(rel, text);
  };
  if (page.number < last) link("next", page.number + 1);
  if (page.number > 1) link("prev", Math.min(page.number - 1, last));
  if (page.number < last) link("last", last);
  if (page.number > 1) link("first", 1);
  const given = RELATIONS.map((rel) => links.get(rel)).filter((text) => text !== undefined);
  if (given.length > 0) headers["link"] = given.join(", ");
  return headers;
}

/** Sets the page headers of the answer to a request. */
export function setPageHeaders(
  { event, headers, public_url }: { event: H3Event; headers: AnswerHeaders; public_url: string },
  page: Page,
  total: number,
): void {
  const address = new URL(public_url + event.url.pathname + event.url.search);
  Object.assign(headers, pageHeaders(address, page, total));
}

/**
 * Up to ten digits, so that offsets stay safe integers. The last of several values is used, because a client that appends
 * `page` would otherwise get the same page forever.
 */
function positive(given: unknown): number | null {
  const value: unknown = Array.isArray(given) ? given.at(-1) : given;
  if (typeof value !== "string" && typeof value !== "number") return null;
  const text = String(value).trim();
  return /^\d{1,10}$/.test(text) && Number(text) > 0 ? Number(text) : null;
}
