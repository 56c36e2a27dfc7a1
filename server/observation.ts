import { BlockList } from "node:net";
import type { EventHandler, H3Event } from "h3";
import { Failure } from "./failure.ts";
import { plainText } from "./http/answer.ts";
import { clientAddress } from "./http/client-address.ts";
import { v1Error } from "./http/errors.ts";
import { requestId } from "./http/request-id.ts";
import { refuse } from "./refusal.ts";
import type { Services } from "./services.ts";

/** Loopback, private and link-local networks (RFC 1918, 4193, 4291). */
const LOCAL_NETWORKS: [network: string, prefix: number, family: "ipv4" | "ipv6"][] = [
  ["127.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["::1", 128, "ipv6"],
  ["fc00::", 7, "ipv6"],
  ["fe80::", 10, "ipv6"],
];
const local = new BlockList();
for (const [network, prefix, family] of LOCAL_NETWORKS) local.addSubnet(network, prefix, family);

/**
 * Makes a handler whose requests are counted by its route, and at `LOG_LEVEL=debug` logged, one line
 * each. Neither holds anything that a client sent but the method.
 */
export function observed(
  { metrics, log }: Services,
  { method, route }: { method: string | null; route: string },
  handler: EventHandler,
): EventHandler {
  const hasAccessLog = log.isLevelEnabled("debug");
  if (metrics === null && !hasAccessLog) return handler;

  function note(event: H3Event, began: number, status: number): void {
    const milliseconds = performance.now() - began;
    const answered = { method: method ?? event.req.method, route, status };
    metrics?.record({ ...answered, seconds: milliseconds / 1_000 });
    if (!hasAccessLog) return;
    log.debug(
      { ...answered, milliseconds: Number(milliseconds.toFixed(3)), requestId: requestId(event) },
      "request",
    );
  }

  return async (event) => {
    const began = performance.now();
    try {
      const answer = await handler(event);
      note(event, began, answer instanceof Response ? answer.status : 200);
      return answer;
    } catch (error) {
      note(event, began, 500);
      throw error;
    }
  };
}

/**
 * `GET /metrics`, for Prometheus.
 *
 * Choice: for callers on the machine or its private networks alone, since how much business a company
 * does is its own affair. Whoever comes by way of a proxy that nobody told of is from anywhere.
 */
export function metricsPage(services: Services): EventHandler {
  const { metrics, trustProxyHops } = services;
  const notFound = new Failure("not_found", "Not found");
  const refusal = { generation: "v1", shape: v1Error, headers: {} } as const;
  return async (event) => {
    if (metrics === null || !isLocal(event, trustProxyHops))
      return refuse(services, event, notFound, refusal);
    const { text, contentType } = await metrics.page();
    return plainText(text, { "content-type": contentType, "cache-control": "no-store" });
  };
}

function isLocal(event: H3Event, trustProxyHops: number): boolean {
  if (trustProxyHops === 0 && event.req.headers.has("x-forwarded-for")) return false;
  const address = clientAddress(event, trustProxyHops);
  return address !== null && local.check(address, address.includes(":") ? "ipv6" : "ipv4");
}
