import { Failure } from "./failure.ts";

/*
 * A small, safe part of HTML for documents: headings, paragraphs, tables and lines. Browsers show it, and
 * `paper/` makes PDF files of it. A text of any other kind is refused, so nothing in it can run, load or hide.
 */

/** The classes that change how a block looks. */
export const CLASSES = ["right", "small", "plain"] as const;
export type MarkupClass = (typeof CLASSES)[number];

/** Text within a block. A line break is `\n`. */
export interface Run {
  text: string;
  isBold: boolean;
}

/** A text with its looks. `if`: it is left out if this value is empty. */
export interface TextBlock {
  kind: "h1" | "h2" | "p";
  classes: MarkupClass[];
  runs: Run[];
  if: string | null;
}

export interface Cell {
  isHeading: boolean;
  classes: MarkupClass[];
  runs: Run[];
}

/** `each`: the list whose values repeat the row. */
export interface TableRow {
  cells: Cell[];
  if: string | null;
  each: string | null;
}

export interface TableBlock {
  kind: "table";
  classes: MarkupClass[];
  rows: TableRow[];
  if: string | null;
}

export type Block = TextBlock | TableBlock | { kind: "hr" };

/** The values of the placeholders in a document, and of the rows that repeat. */
export interface Values {
  texts: Record<string, string>;
  lists: Record<string, Record<string, string>[]>;
}

const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes a text for HTML and its attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

/** An element's start or end, a comment, or text. */
const TOKEN = /<!--[\s\S]*?-->|<(\/?)([a-zA-Z][a-zA-Z0-9]*)((?:\s+[a-zA-Z-]+="[^"<>]*")*)\s*\/?>|[^<]+|</g;
const ATTRIBUTE = /([a-zA-Z-]+)="([^"<>]*)"/g;
const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };
const ELEMENTS = ["h1", "h2", "p", "table", "tr", "th", "td", "hr", "br", "strong"];
const USED = `Use ${ELEMENTS.map((name) => `<${name}>`).join(", ")} only`;

interface Token {
  kind: "open" | "close" | "text";
  /** The element's name in lower case, or the text. */
  value: string;
  classes: MarkupClass[];
  if: string | null;
  each: string | null;
}

/** Reads a document. @throws Failure `invalid` for any other HTML, in a sentence that names it */
export function parseMarkup(html: string): Block[] {
  const tokens = tokensOf(html);
  const blocks: Block[] = [];
  while (tokens.length > 0) {
    const token = tokens.shift()!;
    if (token.kind === "text" && token.value.trim() === "") continue;
    if (token.kind === "open" && token.value === "hr") blocks.push({ kind: "hr" });
    else if (token.kind === "open" && token.value === "table") blocks.push(tableOf(tokens, token));
    else if (token.kind === "open" && isText(token.value)) {
      const { value: kind, classes } = token;
      blocks.push({ kind, classes, runs: runsOf(tokens, kind), if: token.if });
    } else throw misplaced(token);
  }
  return blocks;
}

/** Writes a document as HTML. Texts are escaped. */
export function markupHtml(blocks: Block[]): string {
  return blocks
    .map((block) => {
      if (block.kind === "hr") return "<hr>\n";
      if (block.kind !== "table") return `${element(block.kind, block, runsHtml(block.runs))}\n`;
      const rows = block.rows.map(
        ({ cells, ...row }) =>
          `  ${element("tr", { classes: [], ...row }, cells.map((cell) => element(cell.isHeading ? "th" : "td", cell, runsHtml(cell.runs))).join(""))}\n`,
      );
      return `${element("table", block, `\n${rows.join("")}`)}\n`;
    })
    .join("");
}

/** Replaces the placeholders of a document. A value is text, even if it contains markup. */
export function fillMarkup(blocks: Block[], values: Values): Block[] {
  const isKept = ({ if: name }: { if: string | null }) => name === null || values.texts[name] !== "";
  return blocks.flatMap((block): Block[] => {
    if (block.kind === "hr") return [block];
    if (!isKept(block)) return [];
    if (block.kind !== "table") return [{ ...block, if: null, runs: filled(block.runs, values.texts) }];
    const rows = block.rows.filter(isKept).flatMap((row) => {
      const all = row.each === null ? [{}] : values.lists[row.each]!;
      return all.map((own): TableRow => {
        const texts = { ...values.texts, ...own };
        const cells = row.cells.map((cell) => ({ ...cell, runs: filled(cell.runs, texts) }));
        return { cells, if: null, each: null };
      });
    });
    return rows.length === 0 ? [] : [{ ...block, if: null, rows }];
  });
}

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

/** Refuses placeholders that have no value. @throws Failure `invalid` */
export function checkPlaceholders(
  blocks: Block[],
  known: { texts: Record<string, unknown>; lists: Record<string, string[]> },
): void {
  const check = (runs: Run[], own: string[]) => {
    for (const { text } of runs)
      for (const [whole, name = ""] of text.matchAll(PLACEHOLDER))
        if (!Object.hasOwn(known.texts, name.trim()) && !own.includes(name.trim()))
          throw fault(`has the unknown placeholder ${whole}`);
  };
  const checkIf = ({ if: name }: { if: string | null }) => {
    if (name !== null && !Object.hasOwn(known.texts, name))
      throw fault(`has the unknown condition "${name}"`);
  };
  for (const block of blocks) {
    if (block.kind === "hr") continue;
    checkIf(block);
    if (block.kind !== "table") {
      check(block.runs, []);
      continue;
    }
    for (const row of block.rows) {
      checkIf(row);
      if (row.each !== null && !Object.hasOwn(known.lists, row.each))
        throw fault(`has the unknown list "${row.each}"`);
      for (const { runs } of row.cells) check(runs, row.each === null ? [] : known.lists[row.each]!);
    }
  }
}

function tokensOf(html: string): Token[] {
  const tokens: Token[] = [];
  for (const [whole, slash, name, attributes = ""] of html.matchAll(TOKEN)) {
    if (whole.startsWith("<!--")) continue;
    if (name === undefined) {
      if (whole === "<") throw fault(`has HTML that is not allowed. ${USED}`);
      tokens.push({ kind: "text", value: decoded(whole), classes: [], if: null, each: null });
      continue;
    }
    const value = name.toLowerCase();
    if (!ELEMENTS.includes(value)) throw fault(`has <${value}>, which is not allowed. ${USED}`);
    tokens.push({ kind: slash === "/" ? "close" : "open", value, ...attributesOf(value, attributes) });
  }
  return tokens;
}

function attributesOf(element: string, text: string): Pick<Token, "classes" | "if" | "each"> {
  const found: Pick<Token, "classes" | "if" | "each"> = { classes: [], if: null, each: null };
  for (const [, name = "", value = ""] of text.matchAll(ATTRIBUTE)) {
    const words = value.split(/\s+/).filter(Boolean);
    if (name === "class" && words.every(isClass)) found.classes = words as MarkupClass[];
    else if (name === "data-if" && element !== "td" && element !== "th") found.if = value;
    else if (name === "data-each" && element === "tr") found.each = value;
    else throw fault(`has ${name}="${value}" on <${element}>, which is not allowed`);
  }
  return found;
}

function isClass(word: string): boolean {
  return (CLASSES as readonly string[]).includes(word);
}

function isText(name: string): name is TextBlock["kind"] {
  return name === "h1" || name === "h2" || name === "p";
}

function tableOf(tokens: Token[], { classes, if: condition }: Token): TableBlock {
  const rows: TableRow[] = [];
  for (;;) {
    const token = nextElement(tokens, "table");
    if (token.kind === "close" && token.value === "table") break;
    if (token.kind !== "open" || token.value !== "tr") throw misplaced(token);
    rows.push({ cells: cellsOf(tokens), if: token.if, each: token.each });
  }
  return { kind: "table", classes, rows, if: condition };
}

function cellsOf(tokens: Token[]): Cell[] {
  const cells: Cell[] = [];
  for (;;) {
    const token = nextElement(tokens, "tr");
    if (token.kind === "close" && token.value === "tr") return cells;
    if (token.kind !== "open" || (token.value !== "th" && token.value !== "td")) throw misplaced(token);
    const { value, classes } = token;
    cells.push({ isHeading: value === "th", classes, runs: runsOf(tokens, value) });
  }
}

function nextElement(tokens: Token[], within: string): Token {
  while (tokens[0]?.kind === "text" && tokens[0].value.trim() === "") tokens.shift();
  return tokens.shift() ?? unfinished(within);
}

/** The texts up to the end of an element. Blanks are one space, as in browsers. */
function runsOf(tokens: Token[], within: string): Run[] {
  const runs: Run[] = [];
  let isBold = false;
  for (;;) {
    const token = tokens.shift() ?? unfinished(within);
    if (token.kind === "text") runs.push({ text: token.value.replace(/[ \t\r\n]+/g, " "), isBold });
    else if (token.value === "br" && token.kind === "open") runs.push({ text: "\n", isBold });
    else if (token.value === "strong") isBold = token.kind === "open";
    else if (token.kind === "close" && token.value === within) return runs;
    else throw misplaced(token);
  }
}

function unfinished(within: string): never {
  throw fault(`has no </${within}>`);
}

function misplaced({ kind, value }: Token): Failure {
  if (kind === "text")
    return fault(`has text outside of <p>, <h1>, <h2>, <th> and <td>: ${value.trim().slice(0, 40)}`);
  return fault(`has <${kind === "close" ? "/" : ""}${value}> where it is not allowed`);
}

/** A document that is refused. */
export function fault(words: string): Failure {
  return new Failure("invalid", `Validation failed: html ${words}`, { html: [words] });
}

function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|([a-z]{2,4}));/g, (whole, code: string | undefined, name = "") => {
    if (code === undefined) return ENTITIES[name] ?? whole;
    const point = Number(code);
    return point >= 32 && point <= 0x10ffff ? String.fromCodePoint(point) : " ";
  });
}

function element(
  name: string,
  {
    classes,
    if: condition = null,
    each = null,
  }: { classes: string[]; if?: string | null; each?: string | null },
  inner: string,
): string {
  const attributes = [
    classes.length > 0 ? ` class="${classes.join(" ")}"` : "",
    condition === null ? "" : ` data-if="${escapeHtml(condition)}"`,
    each === null ? "" : ` data-each="${escapeHtml(each)}"`,
  ];
  return `<${name}${attributes.join("")}>${inner}</${name}>`;
}

function runsHtml(runs: Run[]): string {
  return runs
    .map(({ text, isBold }) => {
      const inner = escapeHtml(text).replaceAll("\n", "<br>");
      return isBold && text !== "\n" ? `<strong>${inner}</strong>` : inner;
    })
    .join("");
}

function filled(runs: Run[], texts: Record<string, string>): Run[] {
  return runs.map(({ text, isBold }) => ({
    text: text.replace(PLACEHOLDER, (_, name: string) => texts[name.trim()] ?? ""),
    isBold,
  }));
}
