import type { User } from "../domain/user/record.ts";
import type { Session } from "../domain/session/record.ts";

/** The one who called an operation of the company. */
export type Caller = { kind: "key"; name: string } | { kind: "user"; user: User; session: Session };
