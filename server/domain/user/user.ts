import { Failure } from "../../failure.ts";
import { SYSTEM } from "../account/account.ts";
import type { Context } from "../context.ts";
import { ROLES, type Role, type User } from "./record.ts";
import { table } from "../../storage/table.ts";
import type { Reader, Transaction } from "../../storage/store.ts";

/**
 * The people who sign in to the dashboard. Choice: a user belongs to one account, and an e-mail address to one user of
 * the server, so that the sign-in form needs no name of an account.
 */
export const users = table<User>()({
  name: "user",
  columns: {
    id: "integer",
    owner_id: "integer",
    email: ["text", ({ email }) => email.toLowerCase()],
    name: "text",
    role: "text",
    can_own: ["integer", canOwn],
    created_at: "text",
    last_sign_in_at: "text",
  },
  unique: { email: ["email"] },
  indexes: { owner: { on: ["owner_id"] }, canOwn: { on: ["owner_id"], where: "can_own = 1" } },
  owner: ({ ownerId }) => ownerId,
});

/** The input for a user. */
export interface NewUser {
  id: number;
  ownerId: number;
  email: string;
  name: string | null;
  role: Role;
  passwordHash: string | null;
}

/** Writes a new user as part of a larger change. @throws Failure `taken` */
export async function putUser(tx: Transaction, now: Date, input: NewUser): Promise<User> {
  const user: User = {
    ...input,
    accountId: SYSTEM,
    secondFactor: null,
    begunSecret: null,
    createdAt: now.toISOString(),
    lastSignInAt: null,
  };
  await tx.put(users, user, {
    email: () => new Failure("taken", "email has already been taken", { email: ["has already been taken"] }),
  });
  return user;
}

/** The user with this e-mail address, in any case, or null. */
export function findUserByEmail(reader: Reader, email: string): Promise<User | null> {
  return reader.find(users, "email", SYSTEM, [email.trim().toLowerCase()]);
}

/** The user with this id, or null. */
export function findUser(reader: Reader, id: number): Promise<User | null> {
  return reader.get(users, SYSTEM, id);
}

/** Whether a role includes all that another one may do. */
export function includesRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** A new id for a user. */
export function newUserId({ store }: Pick<Context, "store">): Promise<number> {
  return store.nextId("user");
}

/** How many owners of an account can sign in. */
export function countOwners(tx: Transaction, accountId: number): Promise<number> {
  return tx.view.count(users, "canOwn", SYSTEM, [accountId]);
}

/** Whether a user is an owner who can sign in. One who never set a password could not help anybody. */
export function canOwn({ role, passwordHash }: User): boolean {
  return role === "owner" && passwordHash !== null;
}
