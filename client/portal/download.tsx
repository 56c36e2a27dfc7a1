import { qrPng, qrSvg } from "../ui/feedback/qr-code.tsx";
import { saveFile } from "../ui/feedback/save-file.ts";
import { t } from "../languages/messages.ts";

/** Saves a list as a file of this name. */
export function DownloadButton({ name, load }: { name: string; load: () => Promise<string> }) {
  const make = async () => new Blob([await load()], { type: "text/csv" });
  return (
    <button class="button" onClick={() => void saveFile(name, make)}>
      {t("download_csv")}
    </button>
  );
}

const FILES = [
  ["SVG", "svg", qrSvg],
  ["PNG", "png", qrPng],
] as const;

/** Saves the QR code of a link as a file, for print (SVG) or for screens (PNG). */
export function QrDownloads({ url, name }: { url: string; name: string }) {
  const file = `qr-${name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-")}`;
  return (
    <div class="row tight">
      {FILES.map(([kind, ending, make]) => (
        <button
          key={kind}
          class="button little"
          aria-label={t("links.qr.file", { kind, name })}
          onClick={() => void saveFile(`${file}.${ending}`, () => make(url))}
        >
          {kind}
        </button>
      ))}
    </div>
  );
}
