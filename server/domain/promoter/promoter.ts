import { Failure, type FieldErrors } from "../../failure.ts";
import { customWords } from "./custom-words.ts";
import type { Promoter } from "./record.ts";
import { table } from "../../storage/table.ts";
import { indexed } from "../../storage/digests.ts";
import type { Reader, Transaction } from "../../storage/store.ts";
import { findTaken } from "../../storage/taken.ts";

export const promoters = table<Promoter>()({
  name: "promoter",
  columns: {
    id: "integer",
    email: ["text", ({ email }) => email.toLowerCase()],
    cust_id: ["text", ({ custId }) => custId && indexed(custId)],
    auth_token: "text",
    /** The texts that a promoter is searched by, in lower case. */
    words: ["text", (promoter) => `${promoter.email}\n${promoterName(promoter)}`.toLowerCase()],
    parent_promoter_id: "integer",
    default_promoter_campaign_id: "integer",
    is_archived: ["integer", archivedMark],
    skip_email_notification: "integer",
    invoice_details_status: "text",
    has_invoice_details: ["integer", hasInvoiceDetails],
    /** Separated by blanks. */
    fraud_suspicions: ["text", ({ fraudSuspicions }) => fraudSuspicions.join(" ")],
    custom_words: ["text", ({ customFields }) => customWords(customFields)],
    last_login_at: "text",
    created_at: "text",
    archived_at: "text",
  },
  few: ["is_archived"],
  unique: {
    email: ["email"],
    custId: ["cust_id"],
    authToken: ["auth_token"],
  },
  indexes: {
    parent: { on: ["parent_promoter_id"], where: "parent_promoter_id is not null" },
    archived: { on: ["is_archived"] },
    joined: { on: ["is_archived", "created_at"] },
  },
});

/** The known parts of the name, otherwise the e-mail address. */
export function promoterName({ email, profile }: Promoter): string {
  return [profile.firstName, profile.lastName].filter((name) => name !== null).join(" ") || email;
}

/** Whether the promoter gave anything that an invoice could show. */
function hasInvoiceDetails({ profile }: Promoter): boolean {
  return Boolean(profile.companyName || profile.companyNumber || profile.vatId);
}

/** The promoter with this e-mail address, ignoring case, or null. */
export function findPromoterByEmail(
  reader: Reader,
  accountId: number,
  email: string,
): Promise<Promoter | null> {
  return reader.find(promoters, "email", accountId, [email.trim().toLowerCase()]);
}

/** Names the fields whose values belong to another promoter. */
export function findTakenPromoter(tx: Transaction, promoter: Promoter): Promise<FieldErrors> {
  return findTaken(tx, promoters, { record: promoter, unique: ["email", "custId"] });
}

/** @throws Failure `not_found` */
export async function loadPromoter(reader: Reader, accountId: number, id: number): Promise<Promoter> {
  const promoter = await reader.get(promoters, accountId, id);
  if (promoter === null) throw new Failure("not_found", "Promoter not found.");
  return promoter;
}

/** Loads a promoter who is not archived. @throws Failure `not_found` or `refused` */
export async function loadPromoterInUse(reader: Reader, accountId: number, id: number): Promise<Promoter> {
  const promoter = await loadPromoter(reader, accountId, id);
  requireInUse(promoter);
  return promoter;
}

/** @throws Failure `refused` for an archived promoter */
export function requireInUse({ archivedAt }: Promoter): void {
  if (archivedAt !== null) throw new Failure("refused", "Promoter is archived.");
}

/** 0 for promoters in use, 1 for archived ones. */
function archivedMark({ archivedAt }: Promoter): number {
  return archivedAt === null ? 0 : 1;
}
