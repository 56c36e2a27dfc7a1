import { Failure } from "../../failure.ts";

/** A contract to be written as a file. */
export interface Paper {
  title: string;
  /** Safe HTML. */
  content: string;
  /** Who signed, when and from where. Null: it is not signed. */
  signature: string | null;
}

/**
 * A contract as the bytes of a PDF file. There is none yet: browsers print the HTML.
 *
 * @throws Failure `refused`
 */
export async function contractPdf(_paper: Paper): Promise<Uint8Array> {
  throw new Failure("refused", "Contracts are not available as PDF files yet. Ask for html, and print it.");
}
