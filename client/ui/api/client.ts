import createClient from "openapi-fetch";
import { BASE, pathOf } from "../base.ts";
import { isOffline } from "./offline.ts";
import { asRefusal, refusalOf, refused } from "./refusal.ts";
import { factorDemand, sessionEnd } from "./session-end.ts";
import type { paths } from "./types.ts";
import { language, t } from "../../languages/messages.ts";

/** The operations of sessions. A 401 from them is an answer, not the end of a session. */
const SESSION = /^\/api\/v2\/\w+\/session(?:\/link\b.*|\/reset)?$/;

/** The API, typed by its own OpenAPI document. Requests have the session's cookie. */
export const api = createClient<paths>({ baseUrl: BASE, fetch: send });

// Sentences of the server are in the language of the page.
api.use({
  onRequest({ request }) {
    request.headers.set("accept-language", language());
    return request;
  },
});

/** What openapi-fetch resolves with. */
type Call<T> = Promise<{ data?: T; error?: unknown; response: Response }>;

/** The body of a successful answer. @throws Refusal */
export async function answer<T>(call: Call<T>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw refusalOf(response, error);
  return data as T;
}

/** Statuses after which the outcome is unknown: the answer was lost, or a proxy gave up. */
const UNCERTAIN = new Set([null, 502, 504]);

/** The record that a request has made. If the outcome is unknown, the refusal warns against trying again. */
export async function made<T>(call: Call<T>): Promise<T> {
  try {
    return await answer(call);
  } catch (error) {
    const refusal = asRefusal(error);
    if (!UNCERTAIN.has(refusal.status) || refusal.code === "bug") throw error;
    const message = t("uncertain");
    throw refused({ ...refusal, message });
  }
}

/** The rows of a page, and how many there are on all pages. Some lists have their rows in `data`. @throws Refusal */
export async function page<T>(call: Call<T[] | { data: T[] }>): Promise<{ rows: T[]; total: number }> {
  const { data, error, response } = await call;
  if (!response.ok) throw refusalOf(response, error);
  const rows = Array.isArray(data) ? data : (data?.data ?? []);
  return { rows, total: Number(response.headers.get("total") ?? rows.length) };
}

/**
 * Sends a request. If the session has ended, or a required second factor is not set up, it waits until the user has fixed
 * that, and sends the request again.
 */
export async function send(request: Request): Promise<Response> {
  // A request's body can be sent only once.
  const again = request.clone();
  const response = await reach(request);
  // Changing the own name needs a session like any other change.
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
    // The page itself has aborted the request.
    if (request.signal.aborted) throw error;
    isOffline.value = true;
    const message = t("unreachable");
    throw refused({ status: null, code: "offline", message, fields: {}, requestId: null });
  }
}
