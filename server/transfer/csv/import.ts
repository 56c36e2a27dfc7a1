import { createReadStream } from "node:fs";
import type { Account } from "../../domain/account/account.ts";
import type { Context } from "../../domain/context.ts";
import type { Imported } from "../../domain/lead/creation.ts";
import { isRefToken } from "../../domain/promoter-campaign/ref-token.ts";
import { Failure, isOutage } from "../../failure.ts";
import { text } from "../../input/fields.ts";
import { describe } from "../../input/shape.ts";
import { readCsv, type Columns, type Row } from "./read.ts";

/** The number of lines by result. */
export type Outcome = Record<Imported | "bad", number>;

/** The column names of records' fields in files. */
const COLUMN_NAMES: Record<string, string> = { refToken: "ref_id", custId: "cust_id", coupon: "promo_code" };

/**
 * Imports the lines of a file, each in one commit. A bad line is reported with its number and the reason, and
 * the others go on. Records that were imported before are recognised, so the same file may be sent again.
 */
export async function importCsv(
  context: Context,
  account: Account,
  { kind, file, delimiter, onUnknown, onBad }: ImportInput,
): Promise<Outcome> {
  const outcome: Outcome = { added: 0, changed: 0, known: 0, bad: 0 };
  const seen = new Map<string, number>();
  const work = async (row: Row, source: string) => {
    const result = await importLine(context, account, { kind, row, source });
    outcome[result.outcome]++;
    return { line: row.line, fault: result.fault };
  };
  const lines = readCsv(createReadStream(file, "utf8"), { columns: kind.columns, delimiter, onUnknown });
  for await (const rows of inGroups(lines, kind.concurrency)) {
    const done = await Promise.all(rows.map((row) => work(row, sourceOf(row, kind, seen))));
    for (const { line, fault } of done) if (fault !== null) onBad(line, fault);
  }
  return outcome;
}

/** A file and its import settings. */
export interface ImportInput {
  kind: Kind;
  file: string;
  delimiter: string;
  /** Called with the titles of ignored columns, if there are any. */
  onUnknown: (titles: string[]) => void;
  onBad: (line: number, reason: string) => void;
}

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

async function importLine(
  context: Context,
  account: Account,
  { kind, row, source }: { kind: Kind; row: Row; source: string },
): Promise<{ outcome: keyof Outcome; fault: string | null }> {
  if (row.values === null) return { outcome: "bad", fault: row.fault };
  try {
    const outcome = await kind.importRow(context, account, { values: row.values, source });
    return { outcome, fault: null };
  } catch (error) {
    if (!(error instanceof Failure) || isOutage(error)) throw error;
    return { outcome: "bad", fault: reasonOf(error) };
  }
}

/** Equal lines are numbered, because a file may rightly hold two of them. */
function sourceOf({ values }: Row, { changing }: Kind, seen: Map<string, number>): string {
  const lasting = Object.entries(values ?? {}).filter(([name]) => name !== changing);
  const text = JSON.stringify(lasting.sort(([a], [b]) => (a < b ? -1 : 1)));
  const count = (seen.get(text) ?? 0) + 1;
  seen.set(text, count);
  return `${count} ${text}`;
}

function reasonOf({ message, fields }: Failure): string {
  const named = Object.entries(fields).map(([name, faults]) => [COLUMN_NAMES[name] ?? name, faults] as const);
  return named.length === 0
    ? message
    : describe(Object.fromEntries(named)).replace("Validation failed: ", "");
}

async function* inGroups<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let group: T[] = [];
  for await (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
