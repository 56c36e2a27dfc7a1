import type { Actor } from "../domain/audit/audit.ts";
import type { User } from "../domain/user/user.ts";
import type { Session } from "../domain/session/session.ts";

/** The one who called an operation of the company. */
export type Caller = { kind: "key"; name: string } | { kind: "user"; user: User; session: Session };

/** The caller as the audit log names them. */
export function actorOf(caller: Caller): Actor {
  if (caller.kind === "key") return { kind: "key", id: null, name: caller.name };
  return { kind: "user", id: caller.user.id, name: caller.user.email };
}
