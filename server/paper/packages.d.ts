/* The parts that we use of packages without types. */

declare module "pdfkit" {
  import type { Readable } from "node:stream";

  interface TextOptions {
    lineBreak: false;
    baseline: "alphabetic";
    oblique?: boolean;
    fill?: boolean;
    stroke?: boolean;
  }

  interface PDFDocument extends Readable {
    page: { width: number; height: number };
    registerFont(name: string, bytes: Buffer): this;
    font(name: string): this;
    fontSize(points: number): this;
    fillColor(color: string): this;
    strokeColor(color: string): this;
    lineWidth(points: number): this;
    moveTo(x: number, y: number): this;
    lineTo(x: number, y: number): this;
    stroke(): this;
    text(text: string, x: number, y: number, options: TextOptions): this;
    widthOfString(text: string): number;
    addPage(): this;
    bufferedPageRange(): { start: number; count: number };
    switchToPage(page: number): this;
    end(): void;
  }

  const PDFDocument: new (options: {
    size: "A4";
    margin: number;
    bufferPages: boolean;
    lang: string;
    displayTitle: boolean;
    info: { Title: string; Creator: string; Producer: string; CreationDate: Date; ModDate: Date };
    font: null;
  }) => PDFDocument;
  export default PDFDocument;
}

declare module "fontkit" {
  export function create(bytes: Buffer): { hasGlyphForCodePoint(point: number): boolean };
}

declare module "linebreak" {
  const LineBreaker: new (text: string) => {
    nextBreak(): { position: number; required: boolean } | null;
  };
  export default LineBreaker;
}

declare module "bidi-js" {
  const newBidi: () => {
    getEmbeddingLevels(text: string): { levels: Uint8Array };
    getMirroredCharacter(character: string): string | null;
  };
  export default newBidi;
}
