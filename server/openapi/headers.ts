import type { DescribedRoute } from "./described-route.ts";

const number = (description: string, example: number) => ({
  description,
  schema: { type: "integer", minimum: 0 },
  example,
});
const text = (description: string, example: string) => ({ description, schema: { type: "string" }, example });

/** Headers of answers, by name. */
export const HEADERS = {
  "RateLimit-Limit": number("How many requests are allowed per minute. Missing if there is no limit.", 450),
  "RateLimit-Remaining": number("How many requests are left in this minute.", 449),
  "RateLimit-Reset": number("Seconds until the next minute.", 42),
  "Retry-After": number("Seconds to wait before you send the request again.", 1),
  "X-Ignored-Fields": text(
    "Unknown fields of the body, percent-encoded. Error answers have it too. Missing if there are none.",
    "emial",
  ),
  "X-Data-Age": number(
    "How many seconds old the figures may be. Missing unless the server reads them from a standby (`STORAGE_READ_URL`).",
    0,
  ),
  "X-Request-Id": text(
    "Identifies this request in the server's log. Quote it when you report an error.",
    "b3c1",
  ),
  Total: number("How many records the whole list has.", 120),
  "Per-Page": number("The page size.", 50),
  Link: text(
    "Addresses of the pages around this one, by `rel`: `first`, `prev`, `last`, `next` (RFC 8288). Missing if there is only one page.",
    '<https://track.example.com/api/v1/leads/list?page=2>; rel="next"',
  ),
} as const;

export type HeaderName = keyof typeof HEADERS;

/** References to headers, for one response. */
export function headerReferences(names: readonly HeaderName[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The rate limit headers, for callers with a key. */
export function limitHeaders(caller: DescribedRoute["caller"]): HeaderName[] {
  return caller === "v1" || caller === "v2"
    ? ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"]
    : [];
}
