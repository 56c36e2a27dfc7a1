import { crc32 } from "node:zlib";

/** A file in a ZIP file. */
export interface ZippedFile {
  name: string;
  bytes: Buffer;
  date: Date;
}

/** The most files that a ZIP file without extensions holds, with some to spare. */
export const MAX_ZIPPED = 65_000;

const SIGNATURES = { file: 0x04034b50, entry: 0x02014b50, end: 0x06054b50 };
const VERSION = 20;
/** Names are in UTF-8. */
const FLAGS = 0x0800;

/**
 * Writes a ZIP file part by part. The files are stored as they are, because PDF files are compressed already.
 *
 * @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.3
 */
export async function* zipParts(files: AsyncIterable<ZippedFile>): AsyncGenerator<Buffer> {
  const entries: Buffer[] = [];
  let offset = 0;
  for await (const file of files) {
    const name = Buffer.from(file.name);
    const common = commonFields(file, name.length);
    const local = Buffer.concat([uint32(SIGNATURES.file), common, name, file.bytes]);
    entries.push(
      Buffer.concat([
        uint32(SIGNATURES.entry),
        uint16(VERSION),
        common,
        // No comment, first disk, no attributes.
        Buffer.alloc(10),
        uint32(offset),
        name,
      ]),
    );
    offset += local.length;
    yield local;
  }
  const directory = Buffer.concat(entries);
  yield Buffer.concat([
    directory,
    uint32(SIGNATURES.end),
    Buffer.alloc(4),
    uint16(entries.length),
    uint16(entries.length),
    uint32(directory.length),
    uint32(offset),
    uint16(0),
  ]);
}

/** The fields that stand before a file and in the directory alike. */
function commonFields({ bytes, date }: ZippedFile, nameLength: number): Buffer {
  return Buffer.concat([
    uint16(VERSION),
    uint16(FLAGS),
    // Stored, not compressed.
    uint16(0),
    uint16((date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1)),
    uint16(((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate()),
    uint32(crc32(bytes)),
    uint32(bytes.length),
    uint32(bytes.length),
    uint16(nameLength),
    // No extra field.
    uint16(0),
  ]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
