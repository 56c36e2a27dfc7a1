import { options } from "./options.ts";

/** What is posted: absent values are left out, never sent as the text "undefined". */
export type Fields = Record<string, string | undefined>;
/** What the server answers. */
export type Answer = Record<string, unknown>;

/**
 * Sends an event. undefined: the server could not take it now; an empty answer: it never will.
 *
 * A form needs no CORS preflight, and keepalive lets it outlive the page.
 */
export async function send(path: string, fields: Fields): Promise<Answer | undefined> {
  const body = new URLSearchParams();
  for (const name in fields) if (fields[name]) body.set(name, fields[name]);
  try {
    const response = await fetch(`${options.origin || ""}/t/${path}`, {
      body,
      credentials: "include",
      keepalive: true,
      method: "POST",
    });
    if (response.ok) return await response.json();
    return /^5|429/.test(`${response.status}`) ? undefined : {};
  } catch {
    return; // the network is away, or the answer was cut off
  }
}
