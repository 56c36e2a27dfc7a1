import { signal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import type { components } from "../../ui/api/types.ts";
import { hasEnded } from "../../ui/feedback/sign-out.ts";
import { writing } from "../../ui/format.ts";
import { wear } from "../../ui/brand.ts";
import { at, pathOf } from "../../ui/base.ts";
import { speak } from "../../languages/languages.ts";
import { language } from "../../languages/messages.ts";

export type Session = components["schemas"]["PortalSession"];

/** The key of the token in this tab's storage. In a frame, there is no session cookie. */
const TOKEN_PLACE = "tidemark.portal.token";
/** The key of the campaign that the portal was opened for. */
const CAMPAIGN_PLACE = "tidemark.portal.campaign";

/** The session, or null if no promoter is signed in or it is not loaded yet. */
export const session = signal<Session | null>(null);

/** The access token of a frame or of the company's view, or null if the session is by cookie. */
let token: string | null = null;

/** The id of the campaign to show first, or null. */
let firstCampaign: number | null = null;

/**
 * Removes a token from the URL, before other code can read it: `/iframe?tk=…&campaign_id=…`, or `/portal#view=…`. The tab
 * stores token and campaign, so that the page can be reloaded.
 */
export function takeToken(): void {
  const isFrame = pathOf(location.pathname) === "/iframe";
  const query = new URLSearchParams(location.search);
  const given = isFrame ? query.get("tk") : new URLSearchParams(location.hash.slice(1)).get("view");
  token = given ?? kept(TOKEN_PLACE);
  if (given !== null) keep(TOKEN_PLACE, given);
  if (isFrame) keep(CAMPAIGN_PLACE, query.get("campaign_id") ?? "");
  firstCampaign = Number(kept(CAMPAIGN_PLACE)) || null;
  if (isFrame || given !== null) history.replaceState(null, "", isFrame ? at("/portal") : location.pathname);
  api.use({
    onRequest({ request }) {
      if (token !== null) request.headers.set("authorization", `Bearer ${token}`);
      return request;
    },
  });
}

/** The records of the campaign that the portal was opened for, then the others. */
export function firstCampaignFirst<R extends { campaign: { id: number } }>(rows: R[]): R[] {
  const isFirst = ({ campaign }: R) => campaign.id === firstCampaign;
  return [...rows.filter(isFirst), ...rows.filter((row) => !isFirst(row))];
}

/** Whether the session belongs only to this tab. */
export function hasToken(): boolean {
  return token !== null;
}

/** Finds out who is signed in. @throws Refusal if the server can't say */
export async function findSession(): Promise<void> {
  const { data, response } = await api.GET("/api/v2/affiliate/session");
  if (response.status === 401) return;
  await begin(data ?? (await answer(api.GET("/api/v2/affiliate/session"))));
}

/** Starts a new session, in the language that the promoter has chosen. */
export async function begin(begun: Session): Promise<void> {
  const { language: chosen } = begun.promoter;
  // Users who view a promoter's portal keep their own language.
  if (chosen !== null && chosen !== language() && !begun.is_read_only) await speak(chosen);
  writing.value = { currency: begun.account.currency, timeZone: begun.account.time_zone };
  wear(begun.brand);
  session.value = begun;
}

/** Ends the session, here and on the server. */
export async function signOut(): Promise<void> {
  if (!(await hasEnded(api.DELETE("/api/v2/affiliate/session")))) return;
  forget();
  // No data of the promoter may stay in memory.
  location.assign(at("/portal"));
}

/** Drops an expired token. */
export function forget(): void {
  token = null;
  try {
    sessionStorage.removeItem(TOKEN_PLACE);
    sessionStorage.removeItem(CAMPAIGN_PLACE);
  } catch {
    // If the browser stores nothing, there is nothing to remove.
  }
}

/** What this tab has kept. */
export function kept(place: string): string | null {
  try {
    return sessionStorage.getItem(place);
  } catch {
    return null; // Browsers may refuse storage to pages in frames.
  }
}

/** Keeps a text in this tab. */
export function keep(place: string, given: string): void {
  try {
    sessionStorage.setItem(place, given);
  } catch {
    // The session lasts until the page is left.
  }
}
