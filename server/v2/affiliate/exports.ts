import { csvForPeople } from "../../csv.ts";
import type { AffiliateRequest } from "./operation.ts";

/** Choice: as many lines as a spreadsheet shows without trouble. Older records are exported by their dates. */
export const MOST_EXPORTED = 10_000;

/** The body of a CSV file that is saved under this name. */
export function csvFile(
  { headers }: Pick<AffiliateRequest, "headers">,
  { name, columns, lines }: { name: string; columns: string[]; lines: object[] },
): string {
  headers["content-disposition"] = `attachment; filename="${name}"`;
  return csvForPeople(lines, { header: true, columns });
}
