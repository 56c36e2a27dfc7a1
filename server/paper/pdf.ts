import PDFDocument from "pdfkit";
import type { MarkupClass } from "../markup.ts";
import {
  fontBytes,
  isOutlined,
  linesOf,
  widthOf,
  type FontName,
  type Measure,
  type Piece,
  type PrintedRun,
} from "./lines.ts";

/** Lengths are in points, 1/72 inch. */
const MARGIN = 56;
const LEADING = 1.4;
const CELL_GAP = 10;
/** The outline of bold letters that a font does not have, as a part of their size. */
const OUTLINE = 0.025;
const ROW_GAP = 6;
const COLORS = { text: "#111827", line: "#d1d5db", foot: "#6b7280" };
const STYLES = {
  h1: { size: 20, isBold: true, below: 14 },
  h2: { size: 12, isBold: true, below: 6 },
  h3: { size: 10, isBold: true, below: 4 },
  p: { size: 10, isBold: false, below: 8 },
  table: { size: 10, isBold: false, below: 16 },
} as const;
const SMALL = 8.5;
/** Between the mark of a list and its text. */
const MARK_GAP = 5;
/** A heading stays with that many lines of what is below it. */
const KEPT_LINES = 3;

export interface PrintedText {
  kind: "h1" | "h2" | "h3" | "p";
  classes: MarkupClass[];
  runs: PrintedRun[];
  /** The space before it, or behind it if it is on the right. */
  indent?: number;
  /** What stands in that space before the first line, such as the number of a list. */
  mark?: string | undefined;
}

export interface PrintedCell {
  isHeading: boolean;
  classes: MarkupClass[];
  runs: PrintedRun[];
}

export interface PrintedRow {
  cells: PrintedCell[];
}

export interface PrintedTable {
  kind: "table";
  classes: MarkupClass[];
  rows: PrintedRow[];
}

/** `room`: a new page begins if there is less room for what follows, in points. */
interface PrintedLine {
  kind: "hr";
  room?: number;
}

export type PrintedBlock = PrintedText | PrintedTable | PrintedLine;

/** A document to print. */
export interface PrintedDocument {
  title: string;
  /** The language that a screen reader reads it in. Absent: English. */
  language?: string | undefined;
  /** The day that the file says it was made on, so that the same document always gives the same bytes. */
  date: Date;
  blocks: PrintedBlock[];
}

/** The state of the page that is being written. */
interface Pen {
  doc: PDFDocument;
  /** The upper end of the free space. */
  y: number;
  width: number;
  /** The lower end of the free space. */
  bottom: number;
}

/** Makes a PDF file, A4, of a document. */
export async function printPdf({ title, language = "en", date, blocks }: PrintedDocument): Promise<Buffer> {
  const doc = new PDFDocument({
    size: "A4",
    margin: 0,
    bufferPages: true,
    lang: language,
    displayTitle: true,
    info: { Title: title, Creator: "Tidemark", Producer: "Tidemark", CreationDate: date, ModDate: date },
    font: null,
  });
  const parts: Buffer[] = [];
  const isOver = new Promise<void>((resolve, reject) => {
    doc.on("data", (part: Buffer) => parts.push(part));
    doc.on("end", resolve);
    doc.on("error", reject);
  });
  const { width, height } = doc.page;
  const pen: Pen = { doc, y: MARGIN, width: width - 2 * MARGIN, bottom: height - MARGIN };
  for (const block of blocks) {
    if (block.kind === "hr") writeLine(pen, block);
    else if (block.kind === "table") writeTable(pen, block);
    else writeText(pen, block);
  }
  numberPages(pen);
  doc.end();
  await isOver;
  return Buffer.concat(parts);
}

function writeText(pen: Pen, { kind, classes, runs, indent = 0, mark }: PrintedText): void {
  const style = STYLES[kind];
  const size = classes.includes("small") ? SMALL : style.size;
  const all = style.isBold ? runs.map((run) => ({ ...run, isBold: true })) : runs;
  const isRight = classes.includes("right");
  const width = pen.width - indent;
  const place = { size, x: isRight ? MARGIN : MARGIN + indent, width, isRight };
  linesOf(all, width, measureIn(pen, size)).forEach((line, rank) => {
    makeRoom(pen, size * LEADING * (rank === 0 && style.isBold ? KEPT_LINES : 1));
    if (rank === 0 && mark !== undefined) writeMark(pen, mark, { size, indent, isRight });
    writePieces(pen, line, place);
    pen.y += size * LEADING;
  });
  pen.y += style.below;
}

/** Writes the mark beside a text, towards it. */
function writeMark(
  pen: Pen,
  mark: string,
  { size, indent, isRight }: { size: number; indent: number; isRight: boolean },
): void {
  const [pieces = []] = linesOf([{ text: mark, isBold: false }], pen.width, measureIn(pen, size));
  const x = isRight ? MARGIN + pen.width - indent + MARK_GAP : MARGIN;
  writePieces(pen, pieces, { size, x, width: indent - MARK_GAP, isRight: !isRight });
}

function writeLine(pen: Pen, { room = ROW_GAP * 2 }: PrintedLine): void {
  makeRoom(pen, room);
  rule(pen, pen.y);
  pen.y += ROW_GAP * 2;
}

/** Only rows that are higher than a page are split. A row of headings is repeated on each page. */
function writeTable(pen: Pen, table: PrintedTable): void {
  const size = table.classes.includes("small") ? SMALL : STYLES.table.size;
  const widths = columnWidths(pen, table, size);
  const isPlain = table.classes.includes("plain");
  const [first] = table.rows;
  const height = (lines: Piece[][][]) => rowLines(lines) * size * LEADING + (isPlain ? 0 : ROW_GAP * 2);
  const full = pen.bottom - MARGIN;
  const hasHeading = first !== undefined && first.cells.every(({ isHeading }) => isHeading);
  const headingLines = hasHeading ? cellLines(pen, first, { widths, size }) : [];
  const isRepeated = hasHeading && height(headingLines) < full / 2;
  const room = full - (isRepeated ? height(headingLines) : 0) - ROW_GAP * 2;
  for (const row of table.rows) {
    for (const lines of split(cellLines(pen, row, { widths, size }), Math.floor(room / (size * LEADING)))) {
      if (makeRoom(pen, height(lines)) && isRepeated && row !== first)
        writeRow(pen, first, { widths, size, isPlain, lines: headingLines });
      writeRow(pen, row, { widths, size, isPlain, lines });
    }
  }
  pen.y += STYLES.table.below;
}

/** The lines of a row's highest cell. */
function rowLines(lines: Piece[][][]): number {
  return Math.max(1, ...lines.map(({ length }) => length));
}

/** The lines of a row's cells in parts that fit on a page. */
function split(lines: Piece[][][], most: number): Piece[][][][] {
  const count = Math.ceil(rowLines(lines) / most);
  return Array.from({ length: count }, (_, at) =>
    lines.map((cell) => cell.slice(at * most, (at + 1) * most)),
  );
}

function cellLines(
  pen: Pen,
  { cells }: PrintedRow,
  { widths, size }: Pick<RowForm, "widths" | "size">,
): Piece[][][] {
  return cells.map((cell, at) => linesOf(cellRuns(cell), innerWidth(widths, at), measureIn(pen, size)));
}

/** The width of a column without the gap to the next one. */
function innerWidth(widths: number[], at: number): number {
  return widths[at]! - (at === widths.length - 1 ? 0 : CELL_GAP);
}

interface RowForm {
  widths: number[];
  size: number;
  isPlain: boolean;
  /** The lines of each cell. */
  lines: Piece[][][];
}

function writeRow(pen: Pen, row: PrintedRow, { widths, size, isPlain, lines }: RowForm): void {
  const gap = isPlain ? 0 : ROW_GAP;
  const top = pen.y + gap;
  let x = MARGIN;
  row.cells.forEach((cell, at) => {
    const width = innerWidth(widths, at);
    lines[at]!.forEach((line, rank) => {
      pen.y = top + rank * size * LEADING;
      writePieces(pen, line, { size, x, width, isRight: cell.classes.includes("right") });
    });
    x += widths[at]!;
  });
  pen.y = top + Math.max(1, ...lines.map(({ length }) => length)) * size * LEADING + gap;
  if (!isPlain) rule(pen, pen.y);
}

/**
 * Shares the page's width: each column gets what its longest text needs, and if that is too much, a fair part. Spare
 * width is shared too, unless the first column is on the right: then the table moves there.
 */
function columnWidths(pen: Pen, { rows }: PrintedTable, size: number): number[] {
  const count = Math.max(1, ...rows.map(({ cells }) => cells.length));
  const measure = measureIn(pen, size);
  const wanted = Array.from({ length: count }, (_, at) =>
    Math.max(
      0,
      ...rows.map(({ cells }) =>
        cells[at] === undefined ? 0 : widthOf(cellRuns(cells[at]), measure) + CELL_GAP,
      ),
    ),
  );
  const total = wanted.reduce((sum, width) => sum + width, 0);
  if (total <= pen.width) {
    const isOnRight = rows.every(({ cells }) => cells[0]?.classes.includes("right"));
    const parts = isOnRight ? 1 : count;
    return wanted.map((width, at) => (at < parts ? width + (pen.width - total) / parts : width));
  }
  const fair = pen.width / count;
  const spare = wanted.reduce((sum, width) => sum + Math.max(0, fair - width), 0);
  const lacking = wanted.reduce((sum, width) => sum + Math.max(0, width - fair), 0);
  return wanted.map((width) => (width <= fair ? width : fair + (spare * (width - fair)) / lacking));
}

function cellRuns({ isHeading, runs }: PrintedCell): PrintedRun[] {
  return isHeading ? runs.map((run) => ({ ...run, isBold: true })) : runs;
}

/** Begins a new page if a height does not fit. Returns whether it did. */
function makeRoom(pen: Pen, height: number): boolean {
  if (pen.y + height <= pen.bottom || pen.y === MARGIN) return false;
  pen.doc.addPage();
  pen.y = MARGIN;
  return true;
}

function writePieces(
  { doc, y }: Pen,
  line: Piece[],
  { size, x, width, isRight }: { size: number; x: number; width: number; isRight: boolean },
): void {
  const widths = line.map((piece) => measured(doc, piece, size));
  let at = isRight ? x + width - widths.reduce((sum, each) => sum + each, 0) : x;
  doc.fillColor(COLORS.text);
  line.forEach((piece, rank) => {
    useFont(doc, piece.font);
    const { isItalic = false, isUnderlined = false, isStruck = false } = piece.marks ?? {};
    const stroke = isOutlined(piece.font);
    if (stroke) doc.strokeColor(COLORS.text).lineWidth(size * OUTLINE);
    doc.fontSize(size).text(piece.text, at, y + size, {
      lineBreak: false,
      baseline: "alphabetic",
      oblique: isItalic,
      fill: true,
      stroke,
    });
    const to = at + widths[rank]!;
    if (isUnderlined) drawLine(doc, { from: at, to, y: y + size * 1.12, color: COLORS.text });
    if (isStruck) drawLine(doc, { from: at, to, y: y + size * 0.7, color: COLORS.text });
    at = to;
  });
}

function rule({ doc, width }: Pen, y: number): void {
  drawLine(doc, { from: MARGIN, to: MARGIN + width, y, color: COLORS.line });
}

function drawLine(
  doc: PDFDocument,
  { from, to, y, color }: { from: number; to: number; y: number; color: string },
): void {
  doc.strokeColor(color).lineWidth(0.5).moveTo(from, y).lineTo(to, y).stroke();
}

function numberPages({ doc, width }: Pen): void {
  const { start, count } = doc.bufferedPageRange();
  if (count < 2) return;
  for (let page = start; page < start + count; page++) {
    doc.switchToPage(page);
    const piece: Piece = { text: `${page - start + 1} / ${count}`, font: "0 regular" };
    const at = MARGIN + width - measured(doc, piece, SMALL);
    doc.fillColor(COLORS.foot);
    doc.text(piece.text, at, doc.page.height - MARGIN / 2, { lineBreak: false, baseline: "alphabetic" });
  }
}

function measureIn({ doc }: Pen, size: number): Measure {
  return (piece) => measured(doc, piece, size);
}

function measured(doc: PDFDocument, { text, font }: Piece, size: number): number {
  useFont(doc, font);
  return doc.fontSize(size).widthOfString(text);
}

const registered = new WeakMap<PDFDocument, Set<FontName>>();

function useFont(doc: PDFDocument, name: FontName): void {
  const known = registered.get(doc) ?? new Set();
  registered.set(doc, known);
  if (!known.has(name)) doc.registerFont(name, fontBytes(name));
  known.add(name);
  doc.font(name);
}
