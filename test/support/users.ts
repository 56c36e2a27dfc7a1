import { keepPassword } from "../../server/domain/access/password.ts";
import { findUser, newUserId, putUser, type Role, type User } from "../../server/domain/access/user/user.ts";
import { putSignIn, putUserLink, type LinkKind } from "../../server/domain/access/user/sign-in.ts";
import { newContext } from "../../server/request/services.ts";
import { answerOf, countedChance, type Answer, type TestApp } from "./app.ts";

/** The server's own address in tests. */
export const ORIGIN = "https://track.acme.example";
/** The password of every user of the tests. */
export const PASSWORD = "correct horse battery";

/** Adds a user of the test's account. A role makes the rest of the address: `owner@acme.example`. */
export async function addUser(app: TestApp, role: Role, over: Partial<User> = {}): Promise<User> {
  const context = newContext(app.services);
  // Of its own, so that the values of the app's requests do not depend on it.
  const { hash: passwordHash } = await keepPassword({ chance: countedChance() }, PASSWORD);
  const id = await newUserId(context.store);
  const { email = `${role}@acme.example`, name = null, owner_id = app.account_id } = over;
  return app.services.store.transact((tx) =>
    putUser(tx, context.now, { id, owner_id, email, name, role, password_hash: passwordHash, ...over }),
  );
}

/** Makes a link that sets a password, as an e-mail has it. Resolves to its token. */
export function addUserLink(app: TestApp, kind: LinkKind, userId: number | null): Promise<string> {
  return app.services.store.transact((tx) =>
    putUserLink(tx, newContext(app.services), { kind, owner_id: app.account_id, user_id: userId }),
  );
}

/** Calls company operations with a cookie, from a page of the server. */
export type SessionCall = (
  request: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;

/** Signs a user in, without a password, and calls company operations as that user. */
export async function callAs(app: TestApp, { id }: User): Promise<SessionCall> {
  const context = newContext(app.services);
  const { token } = await app.services.store.transact(async (tx) => {
    const user = await findUser(tx, id);
    return putSignIn(tx, context, { user: user!, device: null });
  });
  return callWith(app, `tidemark_admin=${token}`);
}

/** Calls company operations with this cookie, or without one. */
export function callWith(app: TestApp, cookie: string | null): SessionCall {
  return async (request, body, headers = {}) => {
    const [method = "", path = ""] = request.split(" ");
    return answerOf(
      await app.request(`/api/v2/company${path}`, {
        method,
        headers: {
          ...(cookie !== null && { cookie }),
          "content-type": "application/json",
          origin: ORIGIN,
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      }),
    );
  };
}

/** The cookie that an answer sets, as a browser sends it back. */
export function cookieOf({ headers }: Answer): string {
  return (headers.get("set-cookie") ?? "").replace(/;.*/, "");
}
