import anyAscii from "any-ascii";
import { digest } from "../../../storage/digests.ts";
import type { Reader, Transaction } from "../../../storage/store.ts";
import { table } from "../../../storage/table.ts";
import type { Chance } from "../../context.ts";
import { acceptsLeads, promoterCampaigns, type PromoterCampaign } from "./promoter-campaign.ts";

/** The longest ref token, in characters. */
export const REF_TOKEN_LENGTH = 100;

/**
 * The promoter campaign of a ref token. Kept for ever, so that a token can never lead to another promoter.
 */
interface RefToken {
  accountId: number;
  token: string;
  /** Null if it is retired and leads to no promoter. */
  promoterCampaignId: number | null;
  /**
   * The promoter campaign that a retired token belonged to. Absent: the token is in use, or that campaign is
   * gone.
   */
  retiredFrom?: number;
}

/** Tokens are compared in lower case and never reused, so each record is kept for ever. */
export const refTokens = table<RefToken>()({
  name: "ref-token",
  key: ["token"],
  columns: { token: "text", promoter_campaign_id: "integer", retired_from: "integer" },
  indexes: {
    retiredFrom: { on: ["retired_from"], where: "retired_from is not null" },
  },
});

/** Tokens that contained the name of an erased promoter. They are never issued again. */
export const forgottenTokens = table<{ accountId: number; tokenHash: string }>()({
  name: "forgotten-token",
  key: ["token_hash"],
  columns: { token_hash: "text" },
});

/** Lower-case letters, digits, `-` and `_`. @see docs/spec/v1.md "Create a promoter" */
const REF_TOKEN = /^[a-z0-9_-]+$/;

/** Whether a text is a valid ref token. */
export function isRefToken(text: string): boolean {
  return text.length <= REF_TOKEN_LENGTH && REF_TOKEN.test(text);
}

/**
 * Whether a link from another program may end with a text. Other programs allow more characters: such tokens
 * are found, but can't be chosen here.
 */
export function isFormerToken(text: string): boolean {
  return text !== "" && text.length <= REF_TOKEN_LENGTH && !/\p{Cc}/u.test(text);
}

/** The promoter campaign that a ref id leads to, in any state, or null. */
export async function findByRefToken(
  reader: Reader,
  accountId: number,
  text: string,
): Promise<PromoterCampaign | null> {
  const token = text.trim().toLowerCase();
  if (!isFormerToken(token)) return null;
  const refToken = await reader.get(refTokens, accountId, token);
  if (refToken === null || refToken.promoterCampaignId === null) return null;
  return reader.get(promoterCampaigns, accountId, refToken.promoterCampaignId);
}

/**
 * Of several ref ids, the first one's promoter campaign that may get leads, or null. A page's own parameters
 * may have the names that links use, so an unknown ref id must not hide the next one.
 */
export async function findAccepting(
  reader: Reader,
  accountId: number,
  texts: string[],
): Promise<PromoterCampaign | null> {
  for (const text of texts) {
    const found = await findByRefToken(reader, accountId, text);
    if (found !== null && acceptsLeads(found)) return found;
  }
  return null;
}

/** Whether this token was never used. */
export async function isFreeRefToken(tx: Transaction, accountId: number, token: string): Promise<boolean> {
  if ((await tx.get(refTokens, accountId, token)) !== null) return false;
  return (await tx.get(forgottenTokens, accountId, digest(token))) === null;
}

/**
 * Removes all tokens of a promoter campaign, including former ones. Their hashes stay, so that they are never
 * issued again.
 */
export async function forgetRefTokens(
  tx: Transaction,
  { accountId, id, refToken, moreRefTokens = [] }: PromoterCampaign,
): Promise<void> {
  const former = await tx.view.list(refTokens, "retiredFrom", accountId, [id]);
  for (const token of [refToken, ...moreRefTokens, ...former.map(({ token }) => token)]) {
    await tx.remove(refTokens, accountId, token);
    await tx.put(forgottenTokens, { accountId, tokenHash: digest(token) });
  }
}

/**
 * Gives a promoter campaign a free token. The former one is retired for ever: it leads to no promoter and is
 * never issued again.
 */
export async function replaceRefToken(
  tx: Transaction,
  { accountId, id, refToken }: PromoterCampaign,
  token: string,
): Promise<void> {
  await tx.put(refTokens, { accountId, token: refToken, promoterCampaignId: null, retiredFrom: id });
  await tx.put(refTokens, { accountId, token, promoterCampaignId: id });
}

/** Makes a free token from the first name, otherwise from the e-mail's local part, otherwise at random. */
export async function deriveRefToken(
  tx: Transaction,
  chance: Chance,
  promoter: { accountId: number; firstName: string | null; email: string },
): Promise<string> {
  const base = asciiWord(promoter.firstName ?? "") || asciiWord(promoter.email.split("@")[0] ?? "");
  if (base !== "" && (await isFreeRefToken(tx, promoter.accountId, base))) return base;
  // Two digits are enough for rare names. The hundredth John needs more.
  for (const count of [2, 2, 3, 4, 6, 8, 10]) {
    const token = base + chance.digits(count);
    if (await isFreeRefToken(tx, promoter.accountId, token)) return token;
  }
  return chance.uuid();
}

const DERIVED_LENGTH = 40;

function asciiWord(text: string): string {
  return anyAscii(text)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "")
    .slice(0, DERIVED_LENGTH);
}
