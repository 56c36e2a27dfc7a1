import { createHmac, timingSafeEqual } from "node:crypto";
import { accounts, SYSTEM, type Account } from "../account/account.ts";
import { promoters } from "../promoter/promoter.ts";
import type { Promoter } from "../promoter/record.ts";
import type { Reader } from "../../storage/store.ts";

const MINUTE_MS = 60 * 1_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** `sign_in`: signs in once. `setup`: signs in and sets the first password. `join`: the first sign-in of a newcomer. */
export const LINK_KINDS = ["sign_in", "setup", "join"] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

/** How long a link works. */
const LIFE_MS: Record<LinkKind, number> = {
  sign_in: 15 * MINUTE_MS,
  setup: 7 * DAY_MS,
  join: 7 * DAY_MS,
};

/** The owner of a valid link. */
export interface LinkOwner {
  kind: LinkKind;
  account: Account;
  promoter: Promoter;
}

/**
 * The address that signs a promoter in. Its token stands in the fragment, which browsers send to no server.
 *
 * Nothing is stored. The token names the promoter and proves by a keyed hash that we made it. The hash includes the
 * promoter's number of sign-ins and their password, so the token works once.
 */
export function signInUrl(
  { publicUrl, now }: { publicUrl: string; now: Date },
  { account, promoter }: Pick<LinkOwner, "account" | "promoter">,
  kind: LinkKind,
): string {
  const endsAt = now.getTime() + LIFE_MS[kind];
  const claim = [LINK_KINDS.indexOf(kind), account.id, promoter.id, endsAt].map((part) => part.toString(36));
  const proof = proofOf(account, promoter, claim.join("."));
  return `${publicUrl}/portal/welcome#${[...claim, proof].join(".")}`;
}

/** The owner of a link by its token. null: the token is not ours, was used, or is too old. */
export async function findLinkOwner(reader: Reader, token: string, now: Date): Promise<LinkOwner | null> {
  const [, claim = "", given = ""] = /^([0-9a-z.]{1,100})\.([\w-]{43})$/.exec(token) ?? [];
  const [kindAt, accountId, promoterId, endsAt] = claim.split(".").map((part) => Number.parseInt(part, 36));
  const kind = LINK_KINDS[kindAt ?? -1];
  if (kind === undefined || !accountId || !promoterId || !endsAt || endsAt <= now.getTime()) return null;
  const account = await reader.get(accounts, SYSTEM, accountId);
  const promoter = await reader.get(promoters, accountId, promoterId);
  if (account === null || promoter === null || promoter.archivedAt !== null) return null;
  const proof = Buffer.from(proofOf(account, promoter, claim));
  return timingSafeEqual(proof, Buffer.from(given)) ? { kind, account, promoter } : null;
}

function proofOf({ addressKey }: Account, promoter: Promoter, claim: string): string {
  const { email, signInCount = 0, passwordHash = "" } = promoter;
  const parts = ["sign in", claim, email, signInCount, passwordHash];
  return createHmac("sha256", addressKey).update(JSON.stringify(parts)).digest("base64url");
}
