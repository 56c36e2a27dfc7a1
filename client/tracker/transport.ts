import { options } from "./options.ts";

/** What is posted: absent values are left out, never sent as the text "undefined". */
export type Fields = Record<string, string | undefined>;
/** What the server answers. */
export type Answer = Record<string, unknown>;

/**
 * Sends an event. false: the server could not take it now; an empty answer: it never will.
 *
 * A form needs no CORS preflight, and keepalive lets it outlive the page.
 */
export async function send(path: string, fields: Fields): Promise<Answer | false> {
  const body = new URLSearchParams();
  for (const name in fields) if (fields[name]) body.set(name, fields[name]);
  try {
    const response = await fetch(new URL(`t/${path}`, options.origin || origin), {
      body,
      credentials: "include",
      keepalive: true,
      method: "POST",
    });
    return response.ok ? await response.json() : !/^5|429/.test(response.status as never) && {};
  } catch {
    return false; // the network is away, or the answer was cut off
  }
}
