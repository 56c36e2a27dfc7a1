import { imageSize } from "image-size";
import type { Storage } from "unstorage";
import type { UploadedFile } from "../domain/program/account/account.ts";
import { Failure } from "../failure.ts";

/** The usual limit of mail servers, so that everything fits that promoters get by e-mail today. */
export const MAX_UPLOAD_BYTES = 20 * 1024 * 1024;

/** Characters of a file's name, with six random bits each, so that names can't be guessed. */
const NAME_LENGTH = 22;

/** The media types for browsers. No format may contain a script that would run at this server's address. */
const MEDIA = {
  png: "image/png",
  jpg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  ico: "image/x-icon",
  pdf: "application/pdf",
  zip: "application/zip",
} as const;

type Format = keyof typeof MEDIA;

/** What a file is for decides about its formats. SVG is in none: a browser that opens it runs its scripts. */
const FORMATS = {
  asset: {
    formats: ["png", "jpg", "gif", "webp", "pdf", "zip"],
    fault: "must be a PNG, JPEG, GIF or WebP image, a PDF file or a ZIP file (Office files are ZIP files)",
  },
  logo: { formats: ["png", "jpg", "gif", "webp"], fault: "must be a PNG, JPEG, GIF or WebP image" },
  favicon: { formats: ["png", "ico"], fault: "must be a PNG or ICO image" },
} satisfies Record<string, { formats: Format[]; fault: string }>;

/** Every page shows the images of a brand. A few kilobytes can hold so many pixels that browsers run out of memory. */
const MAX_SIDE = 4_000;

/** What an uploaded file is for. */
export type UploadUse = keyof typeof FORMATS;

const FILE_NAME = new RegExp(`^[\\w-]{${NAME_LENGTH}}\\.(${Object.keys(MEDIA).join("|")})$`);

/** Uploaded files, in any storage that unstorage supports. */
export interface Uploads {
  /**
   * Stores a file, an asset by default. Its format is detected from its bytes, not from its name.
   *
   * @throws Failure `invalid` for a format that its use does not allow
   */
  keep(bytes: Uint8Array, use?: UploadUse): Promise<UploadedFile>;
  /** A file by its name, or null. */
  read(name: string): Promise<{ bytes: Uint8Array<ArrayBuffer>; media: string; isImage: boolean } | null>;
  /** Removes a file if it exists. */
  remove(name: string): Promise<void>;
}

/** Stores uploads in a storage. `token` draws random characters. */
export function newUploads(storage: Storage, token: (length: number) => string): Uploads {
  return {
    async keep(bytes, use = "asset") {
      const { format, image } = describe(bytes, use);
      const name = `${token(NAME_LENGTH)}.${format}`;
      await inPlace(async () => {
        await storage.setItemRaw(name, Buffer.from(bytes)).catch(async (error: unknown) => {
          // A full place may have taken a part of it.
          await storage.removeItem(name).catch(() => {});
          throw error;
        });
      });
      return { name, format, bytes: bytes.length, image };
    },
    async read(name) {
      const format = FILE_NAME.exec(name)?.[1] as Format | undefined;
      if (format === undefined) return null;
      const found = await inPlace(async () => {
        const item = await storage.getItemRaw<Uint8Array | Error>(name);
        // unstorage's fs driver returns its errors.
        if (item instanceof Error) throw item;
        return item;
      });
      if (found === null || found === undefined) return null;
      const media = MEDIA[format];
      return { bytes: new Uint8Array(found), media, isImage: media.startsWith("image/") };
    },
    remove: (name) => inPlace(() => storage.removeItem(name)),
  };
}

/** @throws Failure `unavailable` if the place is full, unreachable, or read-only */
async function inPlace<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const failure = new Failure("unavailable", "The place of uploaded files (FILES_URL) can't be used");
    failure.cause = error;
    throw failure;
  }
}

/** @throws Failure `invalid` */
function describe(bytes: Uint8Array, use: UploadUse): { format: Format; image: UploadedFile["image"] } {
  const { formats, fault }: { formats: Format[]; fault: string } = FORMATS[use];
  const found = formatOf(bytes);
  const format = formats.find((each) => each === found.format);
  if (format === undefined) throw refusal(fault);
  const { width, height } = found.image ?? { width: 0, height: 0 };
  if (use !== "asset" && Math.max(width, height) > MAX_SIDE)
    throw refusal(`must have at most ${MAX_SIDE} pixels on each side`);
  return { format, image: found.image };
}

function refusal(fault: string): Failure {
  return new Failure("invalid", `Validation failed: file ${fault}`, { file: [fault] });
}

function formatOf(bytes: Uint8Array): { format: string | undefined; image: UploadedFile["image"] } {
  if (startsWith(bytes, "%PDF-")) return { format: "pdf", image: null };
  // Word processors' documents are ZIP files too.
  if (startsWith(bytes, "PK\u0003\u0004")) return { format: "zip", image: null };
  const { type, width, height } = sizeOf(bytes);
  return { format: type, image: { width, height } };
}

function sizeOf(bytes: Uint8Array): { type?: string | undefined; width: number; height: number } {
  try {
    return imageSize(bytes);
  } catch {
    return { width: 0, height: 0 }; // it is no image
  }
}

function startsWith(bytes: Uint8Array, mark: string): boolean {
  return Buffer.from(bytes.subarray(0, mark.length)).toString("latin1") === mark;
}
