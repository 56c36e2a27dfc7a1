import { signal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import type { components } from "../../ui/api/types.ts";
import { hasEnded } from "../../ui/feedback/sign-out.ts";
import { writing } from "../../ui/format.ts";
import { at, pathOf } from "../../ui/base.ts";

export type Session = components["schemas"]["PortalSession"];

/** The place of a token in this tab. A page within the company's product has no cookie of ours. */
const TOKEN_PLACE = "tidemark.portal.token";
/** The place of the campaign that the company's product has opened the portal for. */
const CAMPAIGN_PLACE = "tidemark.portal.campaign";

/** Who is signed in. null: nobody, or not known yet. */
export const session = signal<Session | null>(null);

/** The access token of a frame or of a look by the company. null: the cookie tells who is signed in. */
let token: string | null = null;

/** The id of the campaign to show first. null: nobody has named one. */
let firstCampaign: number | null = null;

/**
 * Takes a token out of the address, before anything else can read it: `/iframe?tk=…&campaign_id=…`, or `/portal#view=…`.
 * The tab keeps it and the campaign, so that the page can be loaded again.
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

/** Whether the session belongs to this tab alone. */
export function hasToken(): boolean {
  return token !== null;
}

/** Finds out who is signed in. @throws Refusal if the server can't say */
export async function findSession(): Promise<void> {
  const { data, response } = await api.GET("/api/v2/affiliate/session");
  if (response.status === 401) return;
  begin(data ?? (await answer(api.GET("/api/v2/affiliate/session"))));
}

/** Takes a new session. */
export function begin(begun: Session): void {
  writing.value = { currency: begun.account.currency, timeZone: begun.account.time_zone };
  session.value = begun;
}

/** Ends the session, here and on the server. */
export async function signOut(): Promise<void> {
  if (!(await hasEnded(api.DELETE("/api/v2/affiliate/session")))) return;
  forget();
  // Nothing of the promoter may stay in memory.
  location.assign(at("/portal"));
}

/** Goes on without a token that has expired. */
export function forget(): void {
  token = null;
  try {
    sessionStorage.removeItem(TOKEN_PLACE);
    sessionStorage.removeItem(CAMPAIGN_PLACE);
  } catch {
    // A browser that stores nothing has nothing to remove.
  }
}

function kept(place: string): string | null {
  try {
    return sessionStorage.getItem(place);
  } catch {
    return null; // The browser may refuse to store anything for a page in a frame.
  }
}

function keep(place: string, given: string): void {
  try {
    sessionStorage.setItem(place, given);
  } catch {
    // The session holds until the page is left.
  }
}
