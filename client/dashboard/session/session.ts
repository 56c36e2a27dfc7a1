import { signal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import type { components } from "../../ui/api/types.ts";
import { hasEnded } from "../../ui/feedback/sign-out.ts";
import { writing } from "../../ui/format.ts";
import { at } from "../../ui/base.ts";

export type Session = components["schemas"]["Session"];
export type Role = Session["user"]["role"];

const RANKS: Record<Role, number> = { viewer: 0, manager: 1, owner: 2 };

/** The session, or null if no user is signed in or it is not loaded yet. */
export const session = signal<Session | null>(null);

/** Whether the signed-in user has at least this role. It only hides buttons; the server checks every request. */
export function may(role: Role): boolean {
  return session.value !== null && RANKS[session.value.user.role] >= RANKS[role];
}

/** Finds out who is signed in. @throws Refusal if the server can't say */
export async function findSession(): Promise<void> {
  const { data, response } = await api.GET("/api/v2/company/session");
  if (response.status === 401) return;
  begin(data ?? (await answer(api.GET("/api/v2/company/session"))));
}

/** Starts a new session. */
export function begin(begun: Session): void {
  writing.value = { currency: begun.account.currency, timeZone: begun.account.time_zone };
  session.value = begun;
}

/** Ends the session, here and on the server. */
export async function signOut(): Promise<void> {
  if (!(await hasEnded(api.DELETE("/api/v2/company/session")))) return;
  session.value = null;
  // No data of the account may stay in memory.
  location.assign(at("/admin/sign-in"));
}
