import { options } from "./options.ts";

const TIMEOUT_MS = 10_000;

/**
 * Posts to the server. A form needs no CORS preflight, and keepalive lets the request outlive the page. Resolves to
 * undefined if there is no answer.
 */
export async function post(path: string, fields: object): Promise<Response | undefined> {
  try {
    return await fetch(`${(options.origin || location.origin).replace(/\/$/, "")}/t/${path}`, {
      body: new URLSearchParams(JSON.parse(JSON.stringify(fields, textOf))),
      credentials: "include",
      keepalive: true,
      method: "POST",
      signal: AbortSignal.timeout?.(TIMEOUT_MS) as AbortSignal,
    });
  } catch {} // the network is down, or an extension or a policy blocks the request
  return;
}

/** Leaves out missing values, which would otherwise be sent as the text "null", and sends objects as JSON. */
const textOf = (name: string, value: unknown): unknown =>
  name && typeof value === "object" && value ? JSON.stringify(value) : (value ?? undefined);
