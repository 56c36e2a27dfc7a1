import createClient from "openapi-fetch";
import { BASE, pathOf } from "../base.ts";
import { isOffline } from "./offline.ts";
import { asRefusal, refusalOf, refused } from "./refusal.ts";
import { factorDemand, sessionEnd } from "./session-end.ts";
import type { paths } from "./types.ts";

/** Where sessions begin, are looked at and end. A 401 from there is an answer, not the end of one. */
const SESSION = /^\/api\/v2\/\w+\/session(?:\/link\b.*|\/reset)?$/;

/** The interface, as its own OpenAPI document describes it. Requests carry the session's cookie. */
export const api = createClient<paths>({ baseUrl: BASE, fetch: send });

/** What openapi-fetch resolves with. */
type Call<T> = Promise<{ data?: T; error?: unknown; response: Response }>;

/** The body of a successful answer. @throws Refusal */
export async function answer<T>(call: Call<T>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw refusalOf(response, error);
  return data as T;
}

/** Nobody knows what the server has done: its answer was lost, or a proxy gave up. */
const UNCERTAIN = new Set([null, 502, 504]);

/** The record that a request has made. If that is uncertain, the refusal says so: a second one may be one too many. */
export async function made<T>(call: Call<T>): Promise<T> {
  try {
    return await answer(call);
  } catch (error) {
    const refusal = asRefusal(error);
    if (!UNCERTAIN.has(refusal.status) || refusal.code === "bug") throw error;
    const message =
      "The answer did not come, so it may have been done. Look at the list before you try again.";
    throw refused({ ...refusal, message });
  }
}

/** The rows of a page, and how many there are on all pages. Some lists carry their rows in `data`. @throws Refusal */
export async function page<T>(call: Call<T[] | { data: T[] }>): Promise<{ rows: T[]; total: number }> {
  const { data, error, response } = await call;
  if (!response.ok) throw refusalOf(response, error);
  const rows = Array.isArray(data) ? data : (data?.data ?? []);
  return { rows, total: Number(response.headers.get("total") ?? rows.length) };
}

/**
 * Sends a request. If the session has ended, or the account demands a second factor that is not set up, it waits until
 * the person has seen to that, and sends it again.
 */
export async function send(request: Request): Promise<Response> {
  // A request's body can be sent once.
  const again = request.clone();
  const response = await reach(request);
  // Changing one's own name needs a session as any other change does.
  const isAboutSession = request.method !== "PUT" && SESSION.test(pathOf(new URL(request.url).pathname));
  const gate = isAboutSession ? null : await gateOf(response);
  return gate !== null && (await gate.pass()) ? send(again) : response;
}

async function gateOf(response: Response): Promise<typeof sessionEnd | null> {
  if (response.status === 401) return sessionEnd;
  if (response.status !== 403) return null;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return refusalOf(response, body).code === "second_factor_setup_required" ? factorDemand : null;
}

async function reach(request: Request): Promise<Response> {
  try {
    const response = await fetch(request);
    isOffline.value = false;
    return response;
  } catch (error) {
    // The page itself has given the request up.
    if (request.signal.aborted) throw error;
    isOffline.value = true;
    const message = "The server can't be reached. Check your connection, then try again.";
    throw refused({ status: null, code: "offline", message, fields: {}, requestId: null });
  }
}
