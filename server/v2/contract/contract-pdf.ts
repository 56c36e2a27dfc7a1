import type { ContractDocument } from "../../domain/people/contract/document.ts";
import type { ContractVersion } from "../../domain/people/contract/contract.ts";
import type { PrintedBlock, PrintedCell } from "../../paper/pdf.ts";

/** The usual height of a signature, in points, so that it stays on one page. */
const SIGNATURE_HEIGHT = 190;

/** A contract to be written as a file. */
interface Paper {
  title: string;
  /** Safe HTML with the names in it. */
  content: string;
  version: ContractVersion;
  /** Null: it is not signed. */
  document: ContractDocument | null;
}

/** A contract as a PDF file with its signature, always the same bytes. */
export async function contractPdf({ title, content, version, document }: Paper): Promise<Buffer> {
  // The library and its fonts are large, and few processes need them.
  const [{ printPdf }, { htmlBlocks, isRightToLeft }] = await Promise.all([
    import("../../paper/pdf.ts"),
    import("../../paper/html.ts"),
  ]);
  const heading: PrintedBlock = {
    kind: "h1",
    classes: isRightToLeft(title) ? ["right"] : [],
    runs: [{ text: title, isBold: true }],
  };
  return printPdf({
    title,
    date: new Date(document?.signed_at ?? version.added_at),
    blocks: [heading, ...htmlBlocks(content), ...signatureBlocks(version, document)],
  });
}

/** Who signed which version, when and from where. */
function signatureBlocks(version: ContractVersion, document: ContractDocument | null): PrintedBlock[] {
  const heading = document === null ? "Not signed" : "Signature";
  const rows = [
    ...(document === null ? [] : signerRows(document, version.checkbox_label)),
    ["Version", `${version.id} of ${timeOf(version.added_at)}`],
  ];
  return [
    { kind: "hr", room: SIGNATURE_HEIGHT },
    { kind: "h2", classes: [], runs: [{ text: heading, isBold: true }] },
    {
      kind: "table",
      classes: [],
      rows: rows.map(([name = "", value = ""]) => ({ cells: [cellOf(name, true), cellOf(value, false)] })),
    },
  ];
}

/** An erased promoter has no name, and an old signature may have no address. */
function signerRows(
  { signed_name, signed_email, signed_at, signed_ip }: ContractDocument,
  label: string,
): string[][] {
  return [
    [
      "Signed by",
      signed_name === null ? "a promoter whose data was erased" : signerOf(signed_name, signed_email),
    ],
    ["Agreed to", label],
    ["Date", timeOf(signed_at)],
    ...(signed_ip === null ? [] : [["Network address", signed_ip]]),
  ];
}

function signerOf(name: string, email: string | null): string {
  return email === null || email === name ? name : `${name} (${email})`;
}

function cellOf(text: string, isBold: boolean): PrintedCell {
  return { isHeading: false, classes: [], runs: [{ text, isBold }] };
}

/** The same on every server, in any time zone. */
function timeOf(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
}
