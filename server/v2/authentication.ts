import type { H3Event } from "h3";
import { noteUse } from "../domain/access/session.ts";
import { findSignedInUser, type SignedInUser } from "../domain/access/user/sign-in.ts";
import { includesRole } from "../domain/access/user/user.ts";
import type { Account } from "../domain/program/account/account.ts";
import { Failure, isOutage } from "../failure.ts";
import type { Access } from "../http/operation.ts";
import { readAccountId, readBearer, readSessionToken, SESSION_COOKIES } from "../http/credentials.ts";
import { clientAddress } from "../http/client-address.ts";
import { isFromOwnPage } from "../http/origin.ts";
import { admit, type Caller } from "../request/caller.ts";
import type { Services } from "../request/services.ts";

/** Methods that only read. */
const READING = new Set(["GET", "HEAD"]);

/** The caller of an operation, and the account that it works on. */
export interface Admitted {
  account: Account;
  caller: Caller;
}

/**
 * Finds the caller by bearer token and `Account-ID`, or by session cookie. A bearer token takes precedence,
 * because a browser adds the cookie to every request.
 *
 * @see docs/spec/common.md "Authentication", 2
 * @throws Failure `unauthorized`, `forbidden` or `rate_limited`
 */
export async function authenticate(services: Services, event: H3Event, access: Access): Promise<Admitted> {
  const isByKey = readBearer(event) !== null || access === "key";
  const token = isByKey ? null : readSessionToken(event, SESSION_COOKIES.user);
  if (token !== null) return admitUser(services, event, { token, access });
  if (access === "person" && !isByKey) throw new Failure("unauthorized", "Nobody is signed in");
  const admitted = await admitKey(services, event);
  if (access !== "person") return admitted;
  throw new Failure("forbidden", "Only a signed-in user can do this, not an API key");
}

async function admitKey(services: Services, event: H3Event): Promise<Admitted> {
  const address = clientAddress(event, services.trustProxyHops);
  const { account, apiKey } = await admit(services, address, readBearer(event));
  const accountId = readAccountId(event);
  if (accountId === null) throw new Failure("unauthorized", "The Account-ID header is missing");
  if (accountId !== account.publicId) {
    throw new Failure("forbidden", "The access token does not belong to this account");
  }
  return { account, caller: { kind: "key", name: apiKey.name } };
}

/** A session belongs to an account, so `Account-ID` is optional, but must match if it is sent. */
async function admitUser(
  services: Services,
  event: H3Event,
  { token, access }: { token: string; access: Access },
): Promise<Admitted> {
  const context = { store: services.store, now: services.clock() };
  const signedIn = await findSignedInUser(context, token);
  if (signedIn === null) throw new Failure("unauthorized", "The session has ended. Sign in again.");
  const { account, user, session } = signedIn;
  if (!READING.has(event.req.method) && !isFromOwnPage(event, services.publicUrl)) {
    throw new Failure("forbidden", "The request does not come from a page of this server");
  }
  const accountId = readAccountId(event);
  if (accountId !== null && accountId !== account.publicId) {
    throw new Failure("forbidden", "The session does not belong to this account");
  }
  requireRole(signedIn, access);
  if (access !== "person" && account.requiresSecondFactor === true && user.secondFactor === null) {
    throw new Failure(
      "second_factor_setup_required",
      "The account demands a second factor: set one up first",
    );
  }
  // Reading must still work when the disk is full.
  await noteUse(context, session).catch((error: unknown) => {
    if (!isOutage(error)) throw error;
    services.logOutage(error);
  });
  return { account, caller: { kind: "user", user, session } };
}

function requireRole({ user }: SignedInUser, access: Access): void {
  if (access !== "viewer" && access !== "manager" && access !== "owner") return;
  if (includesRole(user.role, access)) return;
  throw new Failure("forbidden", `This needs the role ${access}, and you are a ${user.role}`);
}
