import type { Account } from "../../domain/program/account/account.ts";
import { decimalOf, exponentOf } from "../../domain/money.ts";
import { Failure } from "../../failure.ts";
import { looksOf } from "./columns.ts";
import { COMMISSIONS } from "./commissions.ts";
import { reasonOf, type Kind } from "./import.ts";
import { CUSTOMERS, LEADS } from "./leads.ts";
import type { Row } from "./plan.ts";
import { PROMOTERS } from "./promoters.ts";
import { SALES } from "./sales.ts";

/** In import order, because a file may refer to records of earlier files. */
export const KIND_NAMES = ["promoters", "leads", "customers", "sales", "commissions"] as const;

export type KindName = (typeof KIND_NAMES)[number];

export const KINDS: Record<KindName, Kind> = {
  promoters: PROMOTERS,
  leads: LEADS,
  customers: CUSTOMERS,
  sales: SALES,
  commissions: COMMISSIONS,
};

/** A line as it would be imported, or its fault. */
export interface PreviewedLine {
  line: number;
  values: Record<string, string> | null;
  fault: string | null;
}

/** How many lines are shown before a file is imported. */
const PREVIEWED = 5;

/** The first lines of a file as they would be imported. It only parses values, and does not read the store. */
export async function previewOf(
  kind: Kind,
  account: Account,
  rows: AsyncIterable<Row>,
): Promise<PreviewedLine[]> {
  const shown: PreviewedLine[] = [];
  for await (const { line, values, fault } of rows) {
    if (values === null) shown.push({ line, values, fault });
    else shown.push({ line, ...previewedValues(kind, account, values) });
    if (shown.length === PREVIEWED) break;
  }
  return shown;
}

function previewedValues(
  kind: Kind,
  account: Account,
  values: Record<string, string>,
): Pick<PreviewedLine, "values" | "fault"> {
  try {
    const read = Object.entries(kind.read(account, values)).filter(([, value]) => value !== undefined);
    const code = values["currency"]?.toUpperCase() ?? account.currency;
    return {
      values: Object.fromEntries(read.map(([name, value]) => [name, written(name, value, code)])),
      fault: null,
    };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { values: null, fault: reasonOf(error) };
  }
}

function written(name: string, value: unknown, currency: string): string {
  if (value instanceof Date) return value.toISOString();
  if (looksOf(name) !== "amount" || typeof value !== "number") return String(value);
  const code = exponentOf(currency) === null ? "USD" : currency;
  return `${value < 0 ? "-" : ""}${decimalOf(Math.abs(value), code)}`;
}
