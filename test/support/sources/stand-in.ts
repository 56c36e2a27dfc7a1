import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { newDice, type Truth } from "./program.ts";

/** A stand-in of a source's API on loopback. */
export interface StandIn {
  url: string;
  /** The key that it accepts. */
  key: string;
  /** The records as the source shows them, oldest first. Tests may change them while they are read. */
  lists: Lists;
  /** What each promoter had when it was started. */
  truth: Truth[];
  /** The requests that were answered, with their queries. */
  asked: string[];
  /** Is called before each answer. */
  before: (path: string, query: URLSearchParams) => void;
  /** How the request that `before` has seen is refused. */
  refusal: { status: number; body: unknown } | null;
  /** How the next requests fail, the first one first. */
  faults: Fault[];
  close(): Promise<void>;
}

export type Row = Record<string, unknown>;
export type Lists = Record<string, Row[]>;

/** `drop`: the connection is cut; `cut`: the answer is. */
export type Fault = "drop" | "cut" | { status: number; headers?: Record<string, string>; body?: unknown };

/** How large the program is, and how the stand-in behaves. */
export interface StandInOptions {
  seed?: number;
  /** About the number of customers, sales and commissions together. */
  size?: number;
  /** The number of promoters, if it is not to follow from the size. */
  people?: number;
  /** The chance that a request is answered by 429. */
  busyChance?: number;
}

/** What is special about one source. */
export interface Behaviour {
  key: string;
  lists: Lists;
  truth: Truth[];
  isAllowed: (headers: IncomingHttpHeaders) => boolean;
  unauthorized: unknown;
  busy: { headers: Record<string, string>; body: unknown };
  /** The body of an answer. undefined: the path is unknown. A `Refused` refuses the request. */
  answer: (path: string, query: URLSearchParams, lists: Lists) => unknown;
  notFound: unknown;
}

export interface Refused {
  refused: { status: number; body: unknown };
}

export async function startStandIn(
  { key, lists, truth, isAllowed, unauthorized, busy, answer, notFound }: Behaviour,
  { seed = 1, busyChance = 0 }: StandInOptions,
): Promise<StandIn> {
  const dice = newDice(seed);
  const handle = (url: URL, headers: IncomingHttpHeaders, response: ServerResponse) => {
    if (!isAllowed(headers)) return send(response, { status: 401, body: unauthorized });
    const fault = standIn.faults.shift();
    if (fault === "drop") return void response.destroy();
    if (fault === "cut") {
      response.writeHead(200, { "content-length": 1_000 });
      return void response.write('{"data": [', () => response.destroy());
    }
    if (fault !== undefined) return send(response, fault);
    if (dice(1_000) < busyChance * 1_000) return send(response, { status: 429, ...busy });
    standIn.asked.push(`${url.pathname}${decodeURIComponent(url.search)}`);
    standIn.before(url.pathname, url.searchParams);
    const { refusal } = standIn;
    standIn.refusal = null;
    if (refusal !== null) return send(response, refusal);
    const body = answer(url.pathname, url.searchParams, lists);
    if (body === undefined) return send(response, { status: 404, body: notFound });
    if (isRefused(body)) return send(response, body.refused);
    return send(response, { status: 200, body });
  };
  const server = createServer((request, response) =>
    handle(new URL(request.url ?? "/", "http://localhost"), request.headers, response),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const standIn: StandIn = {
    url: `http://127.0.0.1:${port}`,
    key,
    lists,
    truth,
    asked: [],
    before: () => {},
    refusal: null,
    faults: [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return standIn;
}

function send(response: ServerResponse, { status, headers, body }: Exclude<Fault, string>): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(body === undefined ? "" : JSON.stringify(body));
}

function isRefused(body: unknown): body is Refused {
  return typeof body === "object" && body !== null && "refused" in body;
}

/** The rows of a page that has a number. */
export function numberedPage(rows: Row[], { page, size }: { page: number; size: number }): Row[] {
  return rows.slice((page - 1) * size, page * size);
}

/** The rows after one of them, and whether there are more. null: there is no such row. */
export function pageAfter(
  rows: Row[],
  { after, size, name }: { after: string | null; size: number; name: "id" | "key" },
): { rows: Row[]; hasMore: boolean } | null {
  const place = after === null ? -1 : rows.findIndex((row) => row[name] === after);
  if (after !== null && place === -1) return null;
  return { rows: rows.slice(place + 1, place + 1 + size), hasMore: place + 1 + size < rows.length };
}

/** A page size within a source's bounds. */
export function sizeIn(
  query: URLSearchParams,
  name: string,
  { usual, most }: { usual: number; most: number },
) {
  const asked = Number(query.get(name) ?? usual);
  return Math.min(most, Number.isInteger(asked) && asked > 0 ? asked : usual);
}

/** A row without some of its fields. */
export function without(row: Row, names: string[]): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
}
