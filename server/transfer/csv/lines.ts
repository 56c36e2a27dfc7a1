import { Failure } from "../../failure.ts";

/** No real CSV file has longer lines. */
const MAX_LINE_CHARACTERS = 1_000_000;

/** A text in pieces, such as a stream of a file. */
export type Pieces = Iterable<string> | AsyncIterable<string>;

/** Yields the lines of a text, with any line ends, without them. @throws Failure `malformed` for endless ones */
export async function* readLines(pieces: Pieces): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of pieces) {
    // A carriage return at the end of a chunk may belong to a line feed in the next one.
    const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE_CHARACTERS)
      throw new Failure("malformed", `The file has a line of more than ${MAX_LINE_CHARACTERS} characters`);
    yield* lines;
  }
  if (rest !== "") yield rest.replace(/\r$/, "");
}
