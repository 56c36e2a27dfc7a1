import { createHmac, timingSafeEqual } from "node:crypto";
import type { Account } from "../account/account.ts";
import type { Chance } from "../context.ts";
import type { Holder } from "./record.ts";

const ID_LENGTH = 16;
const PROOF_LENGTH = 27;

/** The form of a mark. */
const BROWSER_MARK = new RegExp(`^[\\w-]{${ID_LENGTH + PROOF_LENGTH}}$`);

/**
 * A new mark for a browser in which somebody has signed in: a random id, and a keyed hash which proves that we gave it to
 * this person. Nothing is stored, and the mark opens nothing. It gives the browser attempts of its own, so that a
 * stranger's guesses can't keep the person out.
 */
export function newBrowserMark(chance: Chance, account: Account, holder: Holder): string {
  const id = chance.token(ID_LENGTH);
  return id + proofOf(id, account, holder);
}

/** Whether a browser's mark was given to this person. */
export function isMarkOf(mark: string, account: Account, holder: Holder): boolean {
  if (!BROWSER_MARK.test(mark)) return false;
  const proof = proofOf(mark.slice(0, ID_LENGTH), account, holder);
  return timingSafeEqual(Buffer.from(mark.slice(ID_LENGTH)), Buffer.from(proof));
}

function proofOf(browserId: string, { addressKey }: Account, { kind, accountId, id }: Holder): string {
  const parts = ["known browser", kind, accountId, id, browserId];
  const hash = createHmac("sha256", addressKey).update(JSON.stringify(parts)).digest("base64url");
  return hash.slice(0, PROOF_LENGTH);
}
