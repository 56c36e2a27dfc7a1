import { Parser } from "htmlparser2";
import type { Marks, PrintedRun } from "./lines.ts";
import type { PrintedBlock, PrintedCell, PrintedRow, PrintedText } from "./pdf.ts";

/** A step of lists and quotes, in points. */
const INDENT = 20;
const MOST_STEPS = 8;
/** Cells of further columns are lines of the last one. */
const MOST_COLUMNS = 20;

/** Elements that begin and end a block. */
const BLOCKS = new Set(
  "h1 h2 h3 h4 h5 h6 p div blockquote pre ul ol li dl dt dd table caption thead tbody tfoot tr th td hr".split(
    " ",
  ),
);
/** The document's title is above all headings of a text. */
const HEADINGS: Record<string, PrintedText["kind"]> = {
  h1: "h2",
  h2: "h2",
  h3: "h3",
  h4: "h3",
  h5: "h3",
  h6: "h3",
};

interface List {
  isNumbered: boolean;
  type: string;
  next: number;
}

interface Link {
  href: string;
  text: string;
}

/** The state of reading. */
interface Reader {
  blocks: PrintedBlock[];
  /** How many elements of each name are open. */
  open: Map<string, number>;
  lists: List[];
  links: Link[];
  /** The block that is being read. */
  runs: PrintedRun[];
  mark: string | undefined;
  /** The rows of the outermost table. */
  rows: PrintedRow[];
  /** How many more rows a cell above reaches into, by column. */
  taken: number[];
  cell: PrintedCell | null;
  marks: Map<string, Marks>;
}

/**
 * Reads sanitised HTML as blocks to print. Addresses of links stand behind their text, and tables within a table become
 * lines of its cells. A text that begins from right to left is on the right.
 */
export function htmlBlocks(html: string): PrintedBlock[] {
  const reader: Reader = {
    blocks: [],
    open: new Map(),
    lists: [],
    links: [],
    runs: [],
    mark: undefined,
    rows: [],
    taken: [],
    cell: null,
    marks: new Map(),
  };
  const parser = new Parser({
    onopentag: (name, attributes) => openElement(reader, name, attributes),
    onclosetag: (name) => closeElement(reader, name),
    ontext: (text) => addText(reader, text),
  });
  parser.write(html);
  parser.end();
  endBlock(reader);
  const { blocks } = reader;
  return isRightToLeft(blocks.map(textOf).join(" ")) ? blocks.map(onTheRight) : blocks;
}

/** Whether the first letter of a text is Hebrew or Arabic. */
export function isRightToLeft(text: string): boolean {
  return /^[\u0590-\u08ff]/.test(/\p{L}/u.exec(text)?.[0] ?? "");
}

function openElement(reader: Reader, name: string, attributes: Record<string, string>): void {
  if (BLOCKS.has(name)) endBlock(reader);
  reader.open.set(name, depth(reader, name) + 1);
  if (name === "br") addBreak(reader);
  else if (name === "hr" && reader.cell === null) reader.blocks.push({ kind: "hr" });
  else if (name === "a") reader.links.push({ href: attributes["href"] ?? "", text: "" });
  else if (name === "ul" || name === "ol") reader.lists.push(listOf(name, attributes));
  else if (name === "li") reader.mark = nextMark(reader);
  else if (depth(reader, "table") === 1) openTablePart(reader, name, attributes);
}

function openTablePart(reader: Reader, name: string, attributes: Record<string, string>): void {
  if (name === "table") {
    reader.rows = [];
    reader.taken = [];
  } else if (name === "tr") {
    reader.rows.push({ cells: [] });
    addTaken(reader);
  } else if (name === "td" || name === "th") {
    if (reader.rows.length === 0) reader.rows.push({ cells: [] });
    reader.cell = addCell(reader, { ...emptyCell(), isHeading: name === "th" }, attributes);
  }
}

function closeElement(reader: Reader, name: string): void {
  if (BLOCKS.has(name)) endBlock(reader);
  const isTable = depth(reader, "table") === 1;
  reader.open.set(name, depth(reader, name) - 1);
  if (name === "a") endLink(reader);
  else if (name === "ul" || name === "ol") reader.lists.pop();
  else if (name === "li") reader.mark = undefined;
  else if (isTable && (name === "td" || name === "th")) reader.cell = null;
  else if (isTable && name === "table") endTable(reader);
}

function depth({ open }: Reader, name: string): number {
  return open.get(name) ?? 0;
}

function isWithin(reader: Reader, ...names: string[]): boolean {
  return names.some((name) => depth(reader, name) > 0);
}

/** Adds text to the block or the cell that is being read. Outside of `pre`, blanks are one space. */
function addText(reader: Reader, text: string): void {
  const runs = reader.cell?.runs ?? reader.runs;
  const shown = isWithin(reader, "pre") ? preserved(text) : text.replace(/[ \t\r\n\f]+/g, " ");
  const before = runs.at(-1)?.text ?? "\n";
  const own = /[ \n]$/.test(before) && !isWithin(reader, "pre") ? shown.replace(/^ /, "") : shown;
  if (own === "") return;
  if (reader.cell !== null && reader.mark !== undefined) {
    runs.push({ text: `${reader.mark} `, isBold: false });
    reader.mark = undefined;
  }
  const link = reader.links.at(-1);
  if (link !== undefined) link.text += own;
  runs.push({ text: own, isBold: isWithin(reader, "b", "strong", "dt"), marks: marksOf(reader) });
}

/** Blanks that lines keep. */
function preserved(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll("\t", "    ")
    .replace(/^ +| {2,}/gm, (blanks) => "\u00a0".repeat(blanks.length));
}

function marksOf(reader: Reader): Marks {
  const isItalic = isWithin(reader, "i", "em");
  const isUnderlined = isWithin(reader, "u");
  const isStruck = isWithin(reader, "s");
  const key = [isItalic, isUnderlined, isStruck].join();
  const marks = reader.marks.get(key) ?? { isItalic, isUnderlined, isStruck };
  reader.marks.set(key, marks);
  return marks;
}

function addBreak({ cell, runs }: Reader): void {
  (cell?.runs ?? runs).push({ text: "\n", isBold: false });
}

function endLink(reader: Reader): void {
  const { href, text } = reader.links.pop() ?? { href: "", text: "" };
  const address = href.replace(/^mailto:/i, "");
  if (address === "" || text.trim() === address || text.trim() === href) return;
  addText(reader, ` (${address})`);
}

/** Ends the block that is being read. In a cell, it is a line. */
function endBlock(reader: Reader): void {
  const { cell, runs } = reader;
  if (cell !== null) {
    if (isVisible(cell.runs) && cell.runs.at(-1)?.text !== "\n") addBreak(reader);
    return;
  }
  reader.runs = [];
  if (!isVisible(runs)) return;
  const heading = Object.keys(HEADINGS).find((name) => isWithin(reader, name));
  const steps = reader.lists.length + depth(reader, "blockquote") + depth(reader, "dd");
  reader.blocks.push({
    kind: heading === undefined ? "p" : HEADINGS[heading]!,
    classes: [],
    runs: withoutLastBreak(runs),
    indent: Math.min(steps, MOST_STEPS) * INDENT,
    mark: reader.mark,
  });
  reader.mark = undefined;
}

function isVisible(runs: PrintedRun[]): boolean {
  return runs.some(({ text }) => text.trim() !== "");
}

function withoutLastBreak(runs: PrintedRun[]): PrintedRun[] {
  const last = runs.findLastIndex(({ text }) => text.trim() !== "");
  return runs.slice(0, last + 1);
}

function listOf(name: string, { start = "1", type = "1" }: Record<string, string>): List {
  const first = Number.parseInt(start, 10);
  return { isNumbered: name === "ol", type, next: Math.abs(first) < 1_000_000 ? first : 1 };
}

function nextMark({ lists }: Reader): string {
  const list = lists.at(-1);
  if (list === undefined || !list.isNumbered) return "•";
  return `${numeral(list.next++, list.type)}.`;
}

/** A number in the way that the `type` of a list asks for. */
function numeral(number: number, type: string): string {
  if (number < 1 || number > 1000 || !/^[aAiI]$/.test(type)) return String(number);
  const small = /^a$/i.test(type) ? letters(number) : roman(number);
  return type === type.toUpperCase() ? small.toUpperCase() : small;
}

function letters(number: number): string {
  const [rest, last] = [Math.floor((number - 1) / 26), (number - 1) % 26];
  return `${rest > 0 ? letters(rest) : ""}${String.fromCharCode(97 + last)}`;
}

const ROMAN: [value: number, digits: string][] = [
  [1000, "m"],
  [900, "cm"],
  [500, "d"],
  [400, "cd"],
  [100, "c"],
  [90, "xc"],
  [50, "l"],
  [40, "xl"],
  [10, "x"],
  [9, "ix"],
  [5, "v"],
  [4, "iv"],
  [1, "i"],
];

function roman(number: number): string {
  const [value, digits] = ROMAN.find(([each]) => each <= number) ?? [0, ""];
  return value === 0 ? "" : `${digits}${roman(number - value)}`;
}

/** Adds a cell, and empty ones for the further columns and rows that it takes. Returns where its text belongs. */
function addCell(
  reader: Reader,
  cell: PrintedCell,
  { colspan = "1", rowspan = "1" }: Record<string, string>,
): PrintedCell {
  const { cells } = reader.rows.at(-1)!;
  if (cells.length >= MOST_COLUMNS) return cells.at(-1)!;
  const columns = Math.min(spanOf(colspan), MOST_COLUMNS - cells.length);
  for (let column = 0; column < columns; column++) {
    reader.taken[cells.length] = spanOf(rowspan) - 1;
    cells.push(column === 0 ? cell : { ...emptyCell(), isHeading: cell.isHeading });
  }
  addTaken(reader);
  return cell;
}

/** Adds empty cells below cells that reach into this row. */
function addTaken({ rows, taken }: Reader): void {
  const cells = rows.at(-1)!.cells;
  while ((taken[cells.length] ?? 0) > 0) {
    taken[cells.length] = taken[cells.length]! - 1;
    cells.push(emptyCell());
  }
}

function emptyCell(): PrintedCell {
  return { isHeading: false, classes: [], runs: [] };
}

function spanOf(text: string): number {
  const span = Number.parseInt(text, 10);
  return span >= 1 && span <= 1000 ? span : 1;
}

function endTable(reader: Reader): void {
  const rows = reader.rows
    .filter(({ cells }) => cells.length > 0)
    .map(({ cells }) => cells.map((cell) => ({ ...cell, runs: withoutLastBreak(cell.runs) })));
  const columns = Math.max(...rows.map(({ length }) => length));
  if (rows.length > 0)
    reader.blocks.push({ kind: "table", classes: [], rows: rows.map((cells) => padded(cells, columns)) });
}

/** Rows of the same length, so that columns stay below one another on the right too. */
function padded(cells: PrintedCell[], columns: number): PrintedRow {
  return { cells: [...cells, ...Array.from({ length: columns - cells.length }, emptyCell)] };
}

function textOf(block: PrintedBlock): string {
  if (block.kind === "hr") return "";
  const all = block.kind === "table" ? block.rows.flatMap(({ cells }) => cells) : [block];
  return all.flatMap(({ runs }) => runs.map(({ text }) => text)).join("");
}

function onTheRight(block: PrintedBlock): PrintedBlock {
  if (block.kind === "hr") return block;
  // The full stop of a list's number is behind it, too.
  if (block.kind !== "table")
    return { ...block, classes: ["right"], mark: block.mark?.replace(/^(.+)\.$/, ".$1") };
  const rows = block.rows.map(({ cells }) => ({
    cells: cells.map((cell): PrintedCell => ({ ...cell, classes: ["right"] })).toReversed(),
  }));
  return { ...block, rows };
}
