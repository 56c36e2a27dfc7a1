import { z } from "zod";
import { csvForPeople } from "../../csv.ts";
import { field } from "../../http/fields.ts";
import type { Window } from "../../storage/query.ts";
import { readListing } from "../params.ts";
import type { AffiliateOperation, AffiliateRequest } from "./operation.ts";

/** A spreadsheet still handles this many lines well. Older records can be exported by date. */
const MOST_EXPORTED = 10_000;

interface OwnExport<F extends z.ZodType> {
  id: string;
  /** What the file has, which is also its name. */
  noun: string;
  /** Ends the description. */
  note: string;
  filters: F;
  columns: string[];
  linesOf: (request: AffiliateRequest, filters: z.output<F>, window: Window) => Promise<object[]>;
}

/** The operation that downloads a list of the promoter as a CSV file. */
export function ownExport<F extends z.ZodType>({
  id,
  noun,
  note,
  filters,
  columns,
  linesOf,
}: OwnExport<F>): AffiliateOperation {
  const params = z.object({ filters: field(filters, "Only records that match.") });
  return {
    id,
    summary: `Download the promoter's ${noun} as a CSV file`,
    description: `Downloads the newest 10,000 ${noun} as CSV. ${note}`,
    params,
    answer: z.string(),
    media: "text/csv",
    refusals: ["invalid"],
    async handle(request) {
      const given = readListing(request, params).params as { filters: z.output<F> };
      const lines = await linesOf(request, given.filters, { limit: MOST_EXPORTED, offset: 0 });
      return csvFile(request, { name: `${noun}.csv`, columns, lines });
    },
  };
}

/** Sets the headers of a CSV download with this file name, and returns its body. */
export function csvFile(
  { headers }: Pick<AffiliateRequest, "headers">,
  { name, columns, lines }: { name: string; columns: string[]; lines: object[] },
): string {
  headers["content-disposition"] = `attachment; filename="${name}"`;
  return csvForPeople(lines, { header: true, columns });
}
