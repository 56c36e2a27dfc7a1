import { inflateSync } from "node:zlib";

/**
 * The lines of a PDF file of ours, from top to bottom, as its fonts say that their glyphs are read. Pieces stand as on the
 * paper, from left to right; an Arabic word, whose glyphs do too, is turned round.
 */
export function pdfLines(bytes: Buffer): string[] {
  const objects = objectsIn(bytes.toString("latin1"));
  const texts = [...objects.values()].filter(({ head }) => /\/Type \/Page\b/.test(head));
  return texts.flatMap(({ head }) => {
    const resources = objects.get(referenceIn(head, "Resources")!)!.head;
    const fonts = new Map<string, Map<string, string>>();
    for (const [, name, id] of resources.matchAll(/\/(F\d+) (\d+) 0 R/g))
      fonts.set(name!, unicodeOf(objects, objects.get(id!)!.head));
    return linesIn(objects.get(referenceIn(head, "Contents")!)!.content(), fonts);
  });
}

interface PdfObject {
  head: string;
  content: () => string;
}

function objectsIn(file: string): Map<string, PdfObject> {
  const found = new Map<string, PdfObject>();
  for (const [, id, text] of file.matchAll(/^(\d+) 0 obj\n(.*?)\nendobj/gms)) {
    const at = text!.indexOf("\nstream\n");
    const head = at < 0 ? text! : text!.slice(0, at);
    const content = () => {
      const stream = Buffer.from(text!.slice(at + 8), "latin1");
      return (head.includes("/FlateDecode") ? inflateSync(stream) : stream).toString("latin1");
    };
    found.set(id!, { head, content });
  }
  return found;
}

function referenceIn(head: string, name: string): string | undefined {
  return new RegExp(`/${name} (\\d+) 0 R`).exec(head)?.[1];
}

/** The characters of each glyph of a font. */
function unicodeOf(objects: Map<string, PdfObject>, font: string): Map<string, string> {
  const map = objects.get(referenceIn(font, "ToUnicode")!)!.content();
  const found = new Map<string, string>();
  for (const [, from, entries] of map.matchAll(/<([\da-f]+)> <[\da-f]+> \[(.*?)\]/gis)) {
    const texts = [...entries!.matchAll(/<([\da-f ]*)>/gi)].map(([, codes]) =>
      Buffer.from(codes!.replaceAll(" ", ""), "hex").swap16().toString("utf16le"),
    );
    texts.forEach((text, at) => found.set((parseInt(from!, 16) + at).toString(16).padStart(4, "0"), text));
  }
  return found;
}

/** Each piece has a block, which begins with its place. Accents have places of their own within it. */
function linesIn(content: string, fonts: Map<string, Map<string, string>>): string[] {
  const lines = new Map<string, string>();
  for (const [block] of content.matchAll(/^BT$.*?^ET$/gms)) {
    const y = /1 0 \S+ 1 \S+ (\S+) Tm/.exec(block)![1]!;
    const font = fonts.get(/\/(F\d+) \S+ Tf/.exec(block)![1]!)!;
    const codes = [...block.matchAll(/<([\da-f]+)>/gi)].map(([, hex]) => hex!.toLowerCase()).join("");
    const glyphs = (codes.match(/.{4}/g) ?? []).map((code) => font.get(code) ?? "?");
    const isArabic = glyphs.some((glyph) => /\p{Script=Arabic}/u.test(glyph));
    lines.set(y, (lines.get(y) ?? "") + (isArabic ? glyphs.toReversed() : glyphs).join(""));
  }
  return [...lines.values()];
}
