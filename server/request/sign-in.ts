import { domainToASCII } from "node:url";
import type { H3Event } from "h3";
import { accounts, type Account } from "../domain/program/account/account.ts";
import { SYSTEM, type Chance } from "../domain/context.ts";
import { findPortalPromoters } from "../domain/people/portal/sign-in.ts";
import { mailbox } from "../domain/people/promoter/promoter.ts";
import { isMarkOf, newBrowserMark, type Holder, type HolderKind } from "../domain/access/session.ts";
import { holderOf } from "../domain/access/user/sign-in.ts";
import { findUserByEmail } from "../domain/access/user/user.ts";
import { Failure } from "../failure.ts";
import { clientAddress, networkOf, siteOf } from "../http/client-address.ts";
import {
  browserMarksCookie,
  readBrowserMarks,
  SESSION_COOKIES,
  sessionCookies,
} from "../http/credentials.ts";
import type { RateLimiter } from "../http/limits/rate-limit.ts";
import type { Store } from "../storage/store.ts";
import type { Services } from "./services.ts";

/** The limits for a caller's attempts. All throw a Failure `rate_limited`. */
export interface SignInLimits {
  /**
   * Counts an attempt to sign in or to prove a password. `email` is null if the request has none. Resolves to
   * whether the browser is unknown: the person has never signed in there.
   */
  limit(email: string | null): Promise<boolean>;
  /** Counts a request for an e-mail to this address. */
  limitEmail(email: string): Promise<void>;
  /**
   * Whether one more e-mail may go to this address today, and counts it. A known browser has e-mails of its
   * own.
   */
  mayMail(email: string): Promise<boolean>;
  /** Counts an application, and the e-mail that it causes. */
  limitJoin(campaign: string, email: string): Promise<void>;
  /** Counts an e-mail to an address that an account's user causes. */
  limitInvitation(accountId: number, email: string): Promise<void>;
  /**
   * Runs an attempt with a second-factor code, and counts a wrong code. `way` is the step before the code.
   */
  guessCode<T>(email: string, way: "password" | "link", attempt: () => Promise<T>): Promise<T>;
}

/**
 * The limits of a request. `kind` keeps a user and a promoter with the same e-mail address apart.
 *
 * A browser in which the person has signed in before has attempts of its own. All others share those of the
 * network and of the address, so an attacker uses up only the strangers' share. A refused attempt does not
 * count against the next limit; otherwise one network could use up that of an address.
 *
 * @see docs/spec/common.md "Authentication", 4
 */
export function signInLimits(
  { limits, trust_proxy_hops, store }: Pick<Services, "limits" | "trust_proxy_hops" | "store">,
  event: H3Event,
  kind: HolderKind,
): SignInLimits {
  const address = clientAddress(event, trust_proxy_hops);
  const nameOf = (email: string) => `${kind} ${email.trim().toLowerCase()}`;
  const browserOf = (email: string) => findKnownBrowser(store, event, { kind, email });
  const takeOfNetwork = async () => {
    await take(limits.signIns, networkOf(address));
    await take(limits.signInsBySite, siteOf(address));
  };
  return {
    async limit(email) {
      const browser = email === null ? null : await browserOf(email);
      if (browser !== null) {
        await take(limits.signInsByPair, keyOf(browser));
        // Each sign-in may add a known browser, so these also share a limit.
        await take(limits.signIns, personOf(browser));
        await take(limits.signIns, `known ${networkOf(address)}`);
        return false;
      }
      await takeOfNetwork();
      if (email === null) return true;
      await take(limits.signInsByPair, `${siteOf(address)} ${nameOf(email)}`);
      await take(limits.signInsByEmail, nameOf(email));
      return true;
    },
    async limitEmail(email) {
      const browser = await browserOf(email);
      if (browser === null) await takeOfNetwork();
      await take(limits.signInEmails, browser === null ? nameOf(email) : keyOf(browser), TOO_MANY_EMAILS);
    },
    async mayMail(email) {
      const browser = await browserOf(email);
      const key = browser === null ? foldedMailbox(email) : keyOf(browser);
      return (await limits.mailsByMailbox.take(key))?.allowed !== false;
    },
    async limitJoin(campaign, email) {
      await take(limits.joinsBySite, siteOf(address), "Too many applications from this address");
      await take(limits.joins, campaign, "Too many people are joining at the moment");
      await take(limits.mailsByMailbox, foldedMailbox(email), TOO_MANY_EMAILS);
    },
    limitInvitation: (accountId, email) =>
      take(limits.mailsByMailbox, `account ${accountId} ${foldedMailbox(email)}`, TOO_MANY_EMAILS),
    async guessCode(email, way, attempt) {
      const browser = await browserOf(email);
      const guesser = browser === null ? nameOf(email) : personOf(browser);
      const refusal = await limits.wrongCodes.guess(`${way} ${guesser}`, attempt, isWrongCode);
      if ("done" in refusal) return refusal.done;
      throw tooMany(TOO_MANY_CODES[way], refusal.retryAfterSeconds);
    },
  };
}

/** A person who has just signed in, and the token of the session. */
export interface Arrival {
  account: Account;
  holder: Holder;
  token: string;
}

/** The cookies of a sign-in: the session's, and the marks that make the browser known from now on. */
export function signInCookies(
  { event, chance, public_url }: { event: H3Event; chance: Chance; public_url: string },
  { account, holder, token }: Arrival,
): string[] {
  const cookie = SESSION_COOKIES[holder.kind];
  const marks = readBrowserMarks(event, cookie);
  const own =
    marks.find((mark) => isMarkOf(mark, account, holder)) ?? newBrowserMark(chance, account, holder);
  const others = marks.filter((mark) => mark !== own);
  return [
    ...sessionCookies(cookie, token, public_url),
    browserMarksCookie(cookie, [own, ...others], public_url),
  ];
}

const TOO_MANY_EMAILS = "Too many e-mails to this address";
const TOO_MANY_CODES = {
  password: "Too many wrong codes: ask for a link by e-mail, or sign in where you have signed in before",
  link: "Too many wrong codes: try again tomorrow, or ask an owner to remove your second factor",
};

function keyOf({ mark }: KnownBrowser): string {
  return `browser ${mark}`;
}

/** The key under which limits count all known browsers of a person. */
function personOf({ holder: { kind, account_id, id } }: KnownBrowser): string {
  return `known ${kind} ${account_id} ${id}`;
}

/**
 * Many mail servers ignore dots and plus tags, and the mailer normalises the domain. Counting too few
 * mailboxes is safer than counting too many.
 */
function foldedMailbox(email: string): string {
  const plain = mailbox(email).replaceAll(/\p{C}/gu, "");
  const at = plain.lastIndexOf("@");
  const domain = plain.slice(at + 1);
  return `${plain.slice(0, at).replaceAll(".", "")}@${domainToASCII(domain).replace(/\.$/, "") || domain}`;
}

function isWrongCode(error: unknown): boolean {
  return error instanceof Failure && error.kind === "second_factor_required";
}

/** Counts a request of a key. @throws Failure `rate_limited` */
export async function take(
  limiter: RateLimiter,
  key: string,
  message = "Too many attempts to sign in",
): Promise<void> {
  const state = await limiter.take(key);
  if (state?.allowed === false) throw tooMany(message, state.resetSeconds);
}

function tooMany(message: string, seconds: number): Failure {
  return new Failure("rate_limited", message, {}, { retryAfterSeconds: Math.max(1, seconds) });
}

/** A browser in which a person has signed in before. */
interface KnownBrowser {
  mark: string;
  holder: Holder;
}

/**
 * The request's browser if the person with this e-mail address has signed in there before, otherwise null.
 */
async function findKnownBrowser(
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
  const account = user && (await store.get(accounts, SYSTEM, user.owner_id));
  return user && account ? [{ account, holder: holderOf(user) }] : [];
}

async function findPromotersOf(store: Store, email: string): Promise<Person[]> {
  const candidates = await findPortalPromoters(store, { email, account_id: null });
  return candidates.map(({ account, promoter }) => ({
    account,
    holder: { kind: "promoter", account_id: account.id, id: promoter.id },
  }));
}
