import type { Context } from "../../domain/context.ts";
import type { Imported } from "../../domain/lead/creation.ts";
import { isRefToken } from "../../domain/promoter-campaign/ref-token.ts";
import { text } from "../../input/fields.ts";
import type { Account } from "../../domain/account/account.ts";
import type { Columns } from "./read.ts";

/** A kind of record that a file may hold. */
export interface Kind {
  columns: Columns[];
  /**
   * Imports one line. `source` identifies the line and is the same when the line comes again.
   *
   * @throws Failure with the reason for a bad line
   */
  importRow(
    context: Context,
    account: Account,
    row: { values: Record<string, string>; source: string },
  ): Promise<Imported>;
  /** How many lines may run at the same time: 1 if later lines may depend on earlier ones. */
  concurrency: number;
  /** The column that may differ when a line comes again. */
  changing?: string;
}

export const REF_ID: Columns = ["ref_id", "ref_token", "referral_id", "affiliate_id", "token"];
export const PROMOTER_EMAIL: Columns = ["promoter_email", "affiliate_email", "partner_email", "promoter"];
export const CREATED_AT: Columns = [
  "created_at",
  "created",
  "date",
  "joined_at",
  "signup_date",
  "sign_up_date",
];
export const EMAIL: Columns = ["email", "email_address", "e_mail"];
export const UID: Columns = ["uid", "customer_id", "cus_id", "user_id", "external_id"];
export const STATE: Columns = ["state", "status"];

/** A ref token in the spelling of other programs. */
export const refId = text.trim().toLowerCase().refine(isRefToken, "is invalid");
