import { createHmac, timingSafeEqual } from "node:crypto";
import { Failure } from "../../../failure.ts";
import type { Language } from "../../../languages/languages.ts";
import type { Reader, Store, Transaction } from "../../../storage/store.ts";
import { accounts, findAccount, listAccounts, type Account } from "../../program/account/account.ts";
import { shownName } from "../../program/account/brand.ts";
import { SYSTEM, type Context, type Actor } from "../../context.ts";
import { writePromoterAccess } from "../../access/audit/audit.ts";
import type { AccessEmailKind } from "../../events/email.ts";
import { announce } from "../../events/event.ts";
import { isPassword, isPasswordAnyway, keepPassword } from "../../access/password.ts";
import {
  credentialOf,
  findPromoterByEmail,
  loadPromoter,
  promoterName,
  promoters,
  type Promoter,
} from "../promoter/promoter.ts";
import {
  findSession,
  isOfCredential,
  openSession,
  type OpenedSession,
  type Session,
} from "../../access/session.ts";
import { enqueue, newDelivery } from "../../events/webhook/delivery.ts";
import { DAY_MS } from "../../span.ts";

/** How long the portal inside the company's own product stays signed in. */
export const FRAME_SECONDS = DAY_MS / 1_000;
/** How long a user can view a promoter's portal. */
export const VIEW_SECONDS = 15 * 60;

/** A promoter who has just signed in. */
export interface SignedIn extends OpenedSession {
  account: Account;
  promoter: Promoter;
}

/** A promoter and their account. */
export interface PortalPromoter {
  account: Account;
  promoter: Promoter;
}

/**
 * The promoters with an e-mail address who may sign in. An address is unique in an account, and a server may
 * have several accounts, so that the sign-in form need not ask for one.
 */
export async function findPortalPromoters(
  store: Store,
  { email, account_id }: { email: string; account_id: string | null },
): Promise<PortalPromoter[]> {
  const named = account_id === null ? null : await findAccount(store, account_id);
  const searched = account_id === null ? await listAccounts(store) : named === null ? [] : [named];
  const found: PortalPromoter[] = [];
  for (const account of searched) {
    const promoter = await findPromoterByEmail(store, account.id, email);
    if (promoter !== null && promoter.archived_at === null) found.push({ account, promoter });
  }
  return found;
}

/** What is known of a browser in which a promoter signs in. */
interface Visit {
  device: string | null;
  /** The language that it prefers. Null or absent: none of ours. A promoter without a language gets it. */
  language?: Language | null;
}

/** Signs a promoter in by e-mail address and password. Resolves to null if they are wrong. */
export async function signInByPassword(
  context: Context,
  given: { email: string; password: string; account_id: string | null } & Visit,
): Promise<SignedIn | null> {
  const candidates = await findPortalPromoters(context.store, given);
  // The response time must not reveal whether the address is known.
  if (candidates.length === 0) await isPasswordAnyway(context, given.password, null);
  for (const { account, promoter } of candidates) {
    const match = await passwordOf(context, given.password, promoter);
    if (match === null || promoter.is_unconfirmed) continue;
    return context.store.transact(async (tx) => {
      const current = await loadPromoter(tx, account.id, promoter.id);
      // The password was changed meanwhile.
      const isSame =
        credentialOf(current) === credentialOf(promoter) &&
        current.temp_password_hash === promoter.temp_password_hash;
      if (!isSame) return null;
      return enter(tx, context, {
        account,
        promoter: current,
        device: given.device,
        language: given.language ?? null,
        must_set_password: match === "temporary",
      });
    });
  }
  return null;
}

/**
 * Signs a promoter in by a link. A link of the kind `setup` requires a new password, and those of the kinds
 * `sign_in` and `entry` accept one. Resolves to null if the link is no longer valid.
 *
 * An applicant has chosen a password before their address was confirmed. So a link of the kind `join`
 * requires that password, and any other link to an unconfirmed address drops it. Otherwise an attacker could
 * join with a victim's address, and share the account once the victim has followed the link.
 *
 * @throws Failure `invalid` if the password is missing or wrong
 */
export async function signInByLink(
  context: Context,
  { token, password, device, language = null }: { token: string; password: string | null } & Visit,
): Promise<SignedIn | null> {
  const owner = await findLinkOwner(context.store, token, context.now);
  if (owner === null) return null;
  const { kind } = owner;
  const needsPassword = kind === "setup" || kind === "join";
  if (needsPassword && password === null) throw passwordFault("can't be blank");
  const isJoin = kind === "join";
  const known = owner.promoter.password_hash ?? null;
  if (isJoin && !(await isPasswordAnyway(context, password ?? "", known))) {
    throw passwordFault("is not the one that you chose");
  }
  const chosen = isJoin || password === null ? null : await keepPassword(context, password);
  return context.store.transact(async (tx) => {
    // The token also proves the password that was just compared.
    const current = await findLinkOwner(tx, token, context.now);
    if (current === null) return null;
    const { is_unconfirmed, password_hash: former, ...others } = current.promoter;
    const kept = is_unconfirmed && !isJoin ? undefined : former;
    const passwordHash = chosen?.hash ?? kept;
    const promoter = {
      ...others,
      ...(passwordHash !== undefined && { password_hash: passwordHash }),
      ...(chosen !== null && { temp_password_hash: null }),
    };
    const options = { account: current.account, promoter, device, language, must_set_password: false };
    const signedIn = await enter(tx, context, options);
    const change = { before: current.promoter, after: signedIn.promoter };
    if (is_unconfirmed) await announce(tx, context, { entity: "promoter", ...change });
    return signedIn;
  });
}

/** The promoter of a session's token, and the session, or null if it has ended. */
export async function findSignedInPromoter(
  context: Pick<Context, "store" | "now">,
  token: string,
): Promise<(PortalPromoter & { session: Session }) | null> {
  const session = await findSession(context, "promoter", token);
  if (session === null) return null;
  const { account_id, id } = session.holder;
  const account = await context.store.get(accounts, SYSTEM, account_id);
  const promoter = await context.store.get(promoters, account_id, id);
  if (account === null || promoter === null || promoter.archived_at !== null) return null;
  return isOfCredential(session, credentialOf(promoter)) ? { account, promoter, session } : null;
}

/** The promoter with an auth token who may sign in, or null. */
export async function findByAuthToken(store: Store, authToken: string): Promise<PortalPromoter | null> {
  for (const account of await listAccounts(store)) {
    const promoter = await store.find(promoters, "auth_token", account.id, [authToken]);
    if (promoter !== null && promoter.archived_at === null) return { account, promoter };
  }
  return null;
}

/** Signs a promoter in by their auth token. Resolves to null if it is unknown. */
export async function signInByAuthToken(
  context: Context,
  { auth_token, device, language = null }: { auth_token: string } & Visit,
): Promise<SignedIn | null> {
  const found = await findByAuthToken(context.store, auth_token);
  if (found === null) return null;
  const { account } = found;
  return context.store.transact(async (tx) => {
    const promoter = await tx.find(promoters, "auth_token", account.id, [auth_token]);
    if (promoter === null || promoter.archived_at !== null) return null;
    return enter(tx, context, { account, promoter, device, language, must_set_password: false });
  });
}

/**
 * Opens the portal inside the company's own product.
 *
 * @throws Failure `refused` for an archived promoter
 */
export function openFrame(context: Context, { account, promoter }: PortalPromoter): Promise<SignedIn> {
  const endsAt = new Date(context.now.getTime() + FRAME_SECONDS * 1_000);
  return context.store.transact(async (tx) => {
    const current = await loadPromoter(tx, account.id, promoter.id);
    if (current.archived_at !== null) throw new Failure("refused", "Promoter is archived.");
    const product = { device: null, must_set_password: false, ends_at: endsAt, is_of_product: true };
    return enter(tx, context, { account, promoter: current, ...product });
  });
}

/**
 * Opens a promoter's portal for a user, who can't change anything in it.
 *
 * @throws Failure `not_found`, or `refused` for an archived promoter
 */
export function openView(
  context: Context & { actor: Actor },
  account: Account,
  promoterId: number,
): Promise<OpenedSession> {
  return context.store.transact(async (tx) => {
    const promoter = await loadPromoter(tx, account.id, promoterId);
    if (promoter.archived_at !== null) throw new Failure("refused", "Promoter is archived.");
    await writePromoterAccess(tx, context, { action: "viewed", promoter });
    return openSession(tx, context, {
      holder: { kind: "promoter", account_id: account.id, id: promoter.id },
      credential: credentialOf(promoter),
      device: null,
      ends_at: new Date(context.now.getTime() + VIEW_SECONDS * 1_000),
      is_read_only: true,
    });
  });
}

/**
 * `sign_in`: signs in once. `setup`: signs in and sets the first password. `join`: an applicant's first
 * sign-in. `entry`: signs in once, passed on by the company. Tokens contain the index in this list, so the
 * order must stay.
 */
export const LINK_KINDS = ["sign_in", "setup", "join", "entry"] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

/** The owner of a valid link. */
interface LinkOwner {
  kind: LinkKind;
  account: Account;
  promoter: Promoter;
}

const MINUTE_MS = 60 * 1_000;

/** How long a link is valid. */
export const LIFE_MS: Record<LinkKind, number> = {
  sign_in: 15 * MINUTE_MS,
  setup: 7 * DAY_MS,
  join: 7 * DAY_MS,
  entry: DAY_MS,
};

/**
 * The address that signs a promoter in. Its token is in the fragment, which browsers never send.
 *
 * Nothing is stored. The token names the promoter and proves its origin by a keyed hash. The hash includes
 * the promoter's number of sign-ins and their credential, so the token works once.
 */
export function signInUrl(
  { public_url, now }: { public_url: string; now: Date },
  { account, promoter }: Pick<LinkOwner, "account" | "promoter">,
  kind: LinkKind,
): string {
  const endsAt = now.getTime() + LIFE_MS[kind];
  const claim = [LINK_KINDS.indexOf(kind), account.id, promoter.id, endsAt].map((part) => part.toString(36));
  const proof = proofOf(account, promoter, claim.join("."));
  return `${public_url}/portal/welcome#${[...claim, proof].join(".")}`;
}

/** The owner of a link by its token, or null if the token is forged, used, or too old. */
export async function findLinkOwner(reader: Reader, token: string, now: Date): Promise<LinkOwner | null> {
  const [, claim = "", given = ""] = /^([0-9a-z.]{1,100})\.([\w-]{43})$/.exec(token) ?? [];
  const [kindAt, accountId, promoterId, endsAt] = claim.split(".").map((part) => Number.parseInt(part, 36));
  const kind = LINK_KINDS[kindAt ?? -1];
  if (kind === undefined || !accountId || !promoterId || !endsAt || endsAt <= now.getTime()) return null;
  const account = await reader.get(accounts, SYSTEM, accountId);
  const promoter = await reader.get(promoters, accountId, promoterId);
  if (account === null || promoter === null || promoter.archived_at !== null) return null;
  const proof = Buffer.from(proofOf(account, promoter, claim));
  return timingSafeEqual(proof, Buffer.from(given)) ? { kind, account, promoter } : null;
}

/** Sends each promoter an e-mail with a link that signs them in, as long as `mayMail` allows one more. */
export async function sendSignInLinks(
  context: Context,
  candidates: PortalPromoter[],
  mayMail: () => Promise<boolean>,
): Promise<void> {
  for (const candidate of candidates) {
    if (!(await mayMail())) return;
    const id = await context.store.nextId("delivery");
    await context.store.transact((tx) =>
      enqueueAccessEmail(tx, context, { id, kind: "sign_in_link", ...candidate }),
    );
  }
}

/** An e-mail with a link into the portal. */
interface AccessEmail {
  /** An id of the kind `delivery`. */
  id: number;
  kind: AccessEmailKind;
  account: Account;
  promoter: Promoter;
  /** Absent if the e-mail is about no campaign. */
  campaignName?: string;
  /** Further values for this kind of e-mail only. */
  values?: Record<string, string>;
}

/**
 * Writes an e-mail with a link into the portal. The link itself is made when the e-mail is sent, so that
 * stores, backups and exports never contain it.
 */
export async function enqueueAccessEmail(
  tx: Transaction,
  { now }: Pick<Context, "now">,
  { id, kind, account, promoter, campaignName = "", values }: AccessEmail,
): Promise<void> {
  const email = {
    kind,
    promoter_id: promoter.id,
    to: promoter.email,
    values: {
      // The address may belong to another person, who must not receive text that the applicant wrote.
      first_name: promoter.is_unconfirmed ? promoter.email : firstNameOf(promoter),
      email: promoter.email,
      company_name: shownName(account),
      campaign_name: campaignName,
      ...values,
    },
  };
  const lane = `promoter/${promoter.id}`;
  await enqueue(
    tx,
    newDelivery({ id, owner_id: account.id, lane, email, created_at: now.toISOString() }),
    now,
  );
}

/**
 * Which of the promoter's passwords a text is. They have their own, a temporary one, or both. The check takes
 * as long as without any.
 */
async function passwordOf(
  context: Context,
  text: string,
  { password_hash, temp_password_hash }: Promoter,
): Promise<"own" | "temporary" | null> {
  const isFirst = await isPasswordAnyway(context, text, password_hash ?? temp_password_hash);
  if (password_hash === undefined) return isFirst ? "temporary" : null;
  if (isFirst) return "own";
  const isTemporary = temp_password_hash !== null && (await isPassword(context, text, temp_password_hash));
  return isTemporary ? "temporary" : null;
}

/** Writes a promoter's sign-in and opens their session. */
async function enter(
  tx: Transaction,
  context: Context,
  {
    account,
    promoter,
    device,
    language = null,
    must_set_password,
    ends_at,
    is_of_product = false,
  }: PortalPromoter & Visit & { must_set_password: boolean; ends_at?: Date; is_of_product?: boolean },
): Promise<SignedIn> {
  const after: Promoter = {
    ...(language !== null && { language }),
    ...promoter,
    last_login_at: context.now.toISOString(),
    sign_in_count: (promoter.sign_in_count ?? 0) + 1,
  };
  await tx.put(promoters, after);
  const opened = await openSession(tx, context, {
    holder: { kind: "promoter", account_id: account.id, id: promoter.id },
    credential: credentialOf(after),
    device,
    ...(ends_at !== undefined && { ends_at }),
    must_set_password,
    is_of_product,
  });
  return { ...opened, account, promoter: after };
}

function passwordFault(fault: string): Failure {
  return new Failure("invalid", `Validation failed: password ${fault}`, { password: [fault] });
}

function proofOf({ address_key }: Account, promoter: Promoter, claim: string): string {
  const { email, sign_in_count = 0 } = promoter;
  const parts = ["sign in", claim, email, sign_in_count, credentialOf(promoter)];
  return createHmac("sha256", address_key).update(JSON.stringify(parts)).digest("base64url");
}

function firstNameOf(promoter: Promoter): string {
  return promoter.profile.first_name ?? promoterName(promoter);
}
