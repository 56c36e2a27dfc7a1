import { expect, it } from "vitest";
import { htmlBlocks } from "../../server/paper/html.ts";
import type { PrintedBlock, PrintedRow } from "../../server/paper/pdf.ts";

/** A block in short: `kind indent mark: text`, and for a table its cells. */
function shown(block: PrintedBlock): string {
  if (block.kind === "hr") return "hr";
  if (block.kind === "table") return block.rows.map(rowText).join("\n");
  const place = [block.kind, block.indent, block.mark, ...block.classes].filter(Boolean).join(" ");
  return `${place}: ${textOf(block)}`;
}

function rowText({ cells }: PrintedRow): string {
  return cells.map((cell) => `${cell.isHeading ? "*" : ""}${textOf(cell)}`).join(" | ");
}

function textOf({ runs }: { runs: { text: string; isBold: boolean }[] }): string {
  return runs.map(({ text, isBold }) => (isBold ? `*${text}*` : text)).join("");
}

it.each([
  ["<h1>One</h1><h4>Two</h4><p> a \n b<br>c </p>", ["h2: One", "h3: Two", "p: a b\nc "]],
  ["<p>a <b>b</b> &amp; &lt;c&gt;</p>", ["p: a *b* & <c>"]],
  ['<a href="https://a.example/">a</a>', ["p: a (https://a.example/)"]],
  ['<a href="mailto:a@b.example">a@b.example</a>', ["p: a@b.example"]],
  [
    '<ol type="a" start="26"><li>x</li><li><p>y</p><p>z</p></li></ol>',
    ["p 20 z.: x", "p 20 aa.: y", "p 20: z"],
  ],
  ['<ol type="I" start="4"><li>x<ul><li>y</li></ul></li></ol>', ["p 20 IV.: x", "p 40 •: y"]],
  ['<ol start="x"><li>a</li></ol><li>b</li>', ["p 20 1.: a", "p •: b"]],
  ["<blockquote><p>q</p></blockquote><hr><pre>a\n  b</pre>", ["p 20: q", "hr", "p: a\n\u00a0\u00a0b"]],
  [
    '<table><caption>c</caption><tr><th>h</th><th>i</th></tr><tr><td rowspan="2">a</td><td>b</td></tr><tr><td>d</td></tr><tr><td colspan="2">e</td></tr></table>',
    ["p: c", "*h | *i\na | b\n | d\ne | "],
  ],
  [
    "<table><tr><td><p>a</p><ul><li>b</li></ul><table><tr><td>c</td><td>d</td></tr></table>e</td></tr></table>",
    ["a\n• b\nc\nd\ne"],
  ],
  [
    "<p>הסכם Acme</p><ol><li>א</li></ol><table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>",
    ["p right: הסכם Acme", "p 20 .1 right: א", "b | a\n | c"],
  ],
])("reads %s", (html, blocks) => {
  expect(htmlBlocks(html).map(shown)).toEqual(blocks);
});

it("loses no text of a table that is wider than a page", () => {
  const [table] = htmlBlocks(`<table><tr>${"<td>x</td>".repeat(50)}</tr></table>`);
  expect(shown(table!).match(/x/g)).toHaveLength(50);
});

it.each([
  "</p></table>",
  "<td>",
  "<table><td><li>",
  "<ol><tr>x",
  '<table><tr><td colspan="-9" rowspan="1e9">',
])("throws for no HTML, such as %s", (html) => {
  expect(() => htmlBlocks(html)).not.toThrow();
});
