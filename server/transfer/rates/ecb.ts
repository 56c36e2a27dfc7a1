import { z } from "zod";
import { Failure } from "../../failure.ts";
import type { RateRow } from "./row.ts";

/** All rates of the European Central Bank are for one euro. */
const BASE = "EUR";

const envelope = z.object({
  Envelope: z.object({
    Cube: z.tuple([
      z.object({
        Cube: z
          .array(
            z.object({
              time: z.string(),
              Cube: z.array(z.object({ currency: z.string(), rate: z.string() })),
            }),
          )
          .min(1),
      }),
    ]),
  }),
});

/**
 * The rates of a file of the European Central Bank: that of a day, of ninety days, or of all days since 1999.
 *
 * @throws Failure `malformed` for any other file
 * @see https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates
 */
export async function ratesOfEcb(text: string): Promise<RateRow[]> {
  const { XMLParser } = await import("fast-xml-parser");
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: "",
    // A number would lose digits.
    parseAttributeValue: false,
    removeNSPrefix: true,
    processEntities: false,
    isArray: (name) => name === "Cube",
  });
  const parsed = envelope.safeParse(read(parser, text));
  if (!parsed.success)
    throw new Failure("malformed", "The file does not hold exchange rates of the European Central Bank");
  return parsed.data.Envelope.Cube[0].Cube.flatMap(({ time, Cube }) =>
    Cube.map((cube) => ({ line: null, date: time, base: BASE, ...cube })),
  );
}

function read(parser: { parse(text: string): unknown }, text: string): unknown {
  try {
    return parser.parse(text);
  } catch {
    return null; // Broken XML is not a file of rates either.
  }
}
