import { Failure } from "../../failure.ts";

/** A file as a stream of pieces, which can be read repeatedly. */
export type CsvFile = () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** The first bytes of spreadsheets: ZIP, and the older binary format. */
const WORKBOOKS = ["504b0304", "d0cf11e0"];

/**
 * Yields the text of a CSV file. It is UTF-8, or UTF-16 if it begins with a byte order mark, which some spreadsheets write.
 *
 * @throws Failure `malformed` if it is not text
 */
export async function* readText(file: CsvFile): AsyncGenerator<string> {
  let decoder: TextDecoder | null = null;
  for await (const bytes of file()) {
    decoder ??= new TextDecoder(encodingOf(bytes), { fatal: true });
    const text = decode(decoder, bytes);
    if (text.includes("\0")) throw new Failure("malformed", "The file is not text; save it as CSV (UTF-8)");
    if (text !== "") yield text;
  }
  if (decoder === null) throw new Failure("malformed", "The file is empty");
  const rest = decode(decoder);
  if (rest !== "") yield rest;
}

function encodingOf(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 4)).toString("hex");
  if (WORKBOOKS.some((mark) => start.startsWith(mark)))
    throw new Failure("malformed", "The file is a workbook or an archive; save the sheet as CSV (UTF-8)");
  if (start.startsWith("fffe")) return "utf-16le";
  return start.startsWith("feff") ? "utf-16be" : "utf-8";
}

/** Without bytes, it returns the rest. */
function decode(decoder: TextDecoder, bytes?: Uint8Array): string {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
  } catch {
    throw new Failure("malformed", "The file is neither UTF-8 nor UTF-16; save it as CSV (UTF-8)");
  }
}

const DELIMITERS = [",", ";", "\t", "|"];

/** The separator that a header contains most often outside of quotes. */
export function delimiterOf(header: string): string {
  const plain = header.replace(/"[^"]*"/g, "");
  const counts = DELIMITERS.map((delimiter) => plain.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ",";
}
