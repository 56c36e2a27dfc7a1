import { createReadStream } from "node:fs";
import { Failure } from "../../failure.ts";

/** No real CSV file has longer lines. */
const MAX_LINE_CHARACTERS = 1_000_000;

/**
 * Yields the lines of a UTF-8 text file, with any line ends, without them. @throws Failure `malformed` for
 * endless ones
 */
export async function* readLines(file: string): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of createReadStream(file, "utf8")) {
    // A carriage return at the end of a chunk may belong to a line feed in the next one.
    const lines = (rest + (chunk as string)).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE_CHARACTERS)
      throw new Failure("malformed", `The file has a line of more than ${MAX_LINE_CHARACTERS} characters`);
    yield* lines;
  }
  if (rest !== "") yield rest.replace(/\r$/, "");
}
