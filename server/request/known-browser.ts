import type { H3Event } from "h3";
import { accounts } from "../domain/account/account.ts";
import { SYSTEM, type Account } from "../domain/account/record.ts";
import type { Chance } from "../domain/context.ts";
import { findMembers } from "../domain/portal/sign-in.ts";
import { isMarkOf, newBrowserMark } from "../domain/session/known-browser.ts";
import type { Holder, HolderKind } from "../domain/session/record.ts";
import { holderOf } from "../domain/user/sign-in.ts";
import { findUserByEmail } from "../domain/user/user.ts";
import {
  browserMarksCookie,
  readBrowserMarks,
  SESSION_COOKIES,
  sessionCookies,
} from "../http/credentials.ts";
import type { Store } from "../storage/store.ts";

/** A person who has just signed in, and the token of the session. */
export interface Arrival {
  account: Account;
  holder: Holder;
  token: string;
}

/** The cookies of a sign-in: the session's, and the marks by which the browser is known from now on. */
export function signInCookies(
  { event, chance, publicUrl }: { event: H3Event; chance: Chance; publicUrl: string },
  { account, holder, token }: Arrival,
): string[] {
  const cookie = SESSION_COOKIES[holder.kind];
  const marks = readBrowserMarks(event, cookie);
  const own =
    marks.find((mark) => isMarkOf(mark, account, holder)) ?? newBrowserMark(chance, account, holder);
  const others = marks.filter((mark) => mark !== own);
  return [
    ...sessionCookies(cookie, token, publicUrl),
    browserMarksCookie(cookie, [own, ...others], publicUrl),
  ];
}

/** A browser in which a person has signed in before. */
export interface KnownBrowser {
  mark: string;
  holder: Holder;
}

/** The browser of a request, if the person with this e-mail address has signed in there before. null: it is unknown. */
export async function findKnownBrowser(
  store: Store,
  event: H3Event,
  { kind, email }: { kind: HolderKind; email: string },
): Promise<KnownBrowser | null> {
  const marks = readBrowserMarks(event, SESSION_COOKIES[kind]);
  if (marks.length === 0) return null;
  const people = kind === "user" ? await findUserOf(store, email) : await findPromotersOf(store, email);
  for (const mark of marks) {
    const person = people.find(({ account, holder }) => isMarkOf(mark, account, holder));
    if (person !== undefined) return { mark, holder: person.holder };
  }
  return null;
}

type Person = Pick<Arrival, "account" | "holder">;

async function findUserOf(store: Store, email: string): Promise<Person[]> {
  const user = await findUserByEmail(store, email);
  const account = user && (await store.get(accounts, SYSTEM, user.ownerId));
  return user && account ? [{ account, holder: holderOf(user) }] : [];
}

async function findPromotersOf(store: Store, email: string): Promise<Person[]> {
  const members = await findMembers(store, { email, accountId: null });
  return members.map(({ account, promoter }) => ({
    account,
    holder: { kind: "promoter", accountId: account.id, id: promoter.id },
  }));
}
