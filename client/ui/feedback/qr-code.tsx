import { encode } from "uqr";

/** Modules of white around the code, which scanners need. */
const BORDER = 2;

/** A link as a QR code. It is black on white in dark mode too, because many phones need that. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { path, size } = drawn(text);
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <path d={path} fill="#000" />
    </svg>
  );
}

/** The dark modules of a code as the path of an SVG, and the width of the code in modules. */
function drawn(text: string): { path: string; size: number } {
  const { data, size } = encode(text, { border: BORDER });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  return { path, size };
}

/** The code as an SVG file, for print of any size. */
export function qrSvg(text: string): Blob {
  const { path, size } = drawn(text);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>\n`;
  return new Blob([svg], { type: "image/svg+xml" });
}

/** Wide enough for a screen or a small print. */
const LEAST_PIXELS = 1_000;

/** The code as a PNG file of at least a thousand pixels. */
export function qrPng(text: string): Promise<Blob> {
  const { path, size } = drawn(text);
  const canvas = document.createElement("canvas");
  // A whole number of pixels for each module keeps the edges sharp.
  const scale = Math.ceil(LEAST_PIXELS / size);
  canvas.width = canvas.height = size * scale;
  const context = canvas.getContext("2d")!;
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.scale(scale, scale);
  context.fillStyle = "#000";
  const modules = new Path2D(path);
  context.fill(modules);
  // It is null only for images that are larger than the browser can draw.
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob!), "image/png"));
}
