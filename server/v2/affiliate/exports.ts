import { csvForPeople } from "../../csv.ts";
import type { AffiliateRequest } from "./operation.ts";

/** A spreadsheet still handles this many lines well. Older records can be exported by date. */
export const MOST_EXPORTED = 10_000;

/** Sets the headers of a CSV download with this file name, and returns its body. */
export function csvFile(
  { headers }: Pick<AffiliateRequest, "headers">,
  { name, columns, lines }: { name: string; columns: string[]; lines: object[] },
): string {
  headers["content-disposition"] = `attachment; filename="${name}"`;
  return csvForPeople(lines, { header: true, columns });
}
