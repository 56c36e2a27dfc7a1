import { closeSync, copyFileSync, existsSync, openSync, readdirSync, readSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { makeWholeSync } from "../../whole-file.ts";

/**
 * Keeps a copy of a damaged log, because SQLite soon overwrites what it can't read. Returns a sentence for each copy beside the
 * file, also for those that were kept before.
 */
export function keepDamagedLog(file: string): string[] {
  const log = `${file}-wal`;
  const prefix = `${log}.damaged-`;
  const damage = damageIn(log);
  if (damage !== null) keep(log, `${prefix}${damage.salts}-${damage.at}`);
  const folder = dirname(file);
  const copies = readdirSync(folder).filter((name) => name.startsWith(basename(prefix)));
  return copies.map(
    (name) =>
      `The log of ${file} was damaged at byte ${name.split("-").at(-1)}, and the changes after it are lost. ` +
      `${join(folder, name)} is a copy: compare with your backups, and delete it when that is settled`,
  );
}

/** The same damage has the same name, so it is kept once. */
function keep(log: string, copy: string): void {
  if (!existsSync(copy)) makeWholeSync(copy, (path) => copyFileSync(log, path));
}

interface Damage {
  /** The first byte of the first frame that is not as it was written. */
  at: number;
  /** All frames since the log last began anew have the same ones. */
  salts: string;
}

/** Looks again at what seems damaged, because a server may be writing there. By then it has moved on. */
function damageIn(log: string): Damage | null {
  const first = lookForDamage(log);
  const second = first && lookForDamage(log);
  return first?.at === second?.at && first?.salts === second?.salts ? second : null;
}

/**
 * Tells a damaged log from one that merely ends. SQLite reads a log up to the first frame whose checksum is wrong, because a
 * power cut leaves such a frame at the end. But a commit begins only when the one before it is on the disk. So if a wrong frame
 * is followed by a whole commit and the beginning of the next one, it was right once.
 */
function lookForDamage(log: string): Damage | null {
  if (!existsSync(log)) return null;
  const file = openSync(log, "r");
  try {
    const header = readHeader(file);
    const at = firstWrong(file, header);
    const { salts, frameBytes } = header;
    let isCommitted = false;
    for (let next = at; ; next += frameBytes) {
      const frame = bytesAt(file, next, FRAME_HEADER_BYTES);
      // The damage may have hit the salts of the wrong frame itself.
      if (frame.length < FRAME_HEADER_BYTES || (next > at && saltsIn(frame, 8) !== salts)) return null;
      if (isCommitted) return { at, salts };
      isCommitted = frame.readUInt32BE(4) !== 0;
    }
  } finally {
    closeSync(file);
  }
}

const HEADER_BYTES = 32;
/** Its number of a page, the size of the database if it ends a commit, two salts and two checksums. */
const FRAME_HEADER_BYTES = 24;
/** The first four bytes of a log whose checksums are of big-endian numbers. */
const BIG_ENDIAN = 0x377f0683;
/** The size of the pages in stores, which all have SQLite's default. */
const PAGE_BYTES = 4_096;

type Sums = readonly [number, number];

/** @see https://www.sqlite.org/fileformat.html#the_write_ahead_log */
interface Header {
  salts: string;
  frameBytes: number;
  isLittleEndian: boolean;
  /** Null if the header itself is damaged. Its frames still have their salts. */
  sums: Sums | null;
}

function readHeader(file: number): Header {
  const header = Buffer.concat([bytesAt(file, 0, HEADER_BYTES)], HEADER_BYTES);
  const isLittleEndian = header.readUInt32BE(0) !== BIG_ENDIAN;
  const sums = sumsOf([header.subarray(0, 24)], { from: [0, 0], isLittleEndian });
  const isWhole = hasSums(header, 24, sums);
  const salts = isWhole ? saltsIn(header, 16) : saltsIn(bytesAt(file, HEADER_BYTES, FRAME_HEADER_BYTES), 8);
  return {
    salts,
    frameBytes: FRAME_HEADER_BYTES + PAGE_BYTES,
    isLittleEndian,
    sums: isWhole ? sums : null,
  };
}

/** The place of the first frame that SQLite does not read, or the end. */
function firstWrong(file: number, { salts, frameBytes, isLittleEndian, sums }: Header): number {
  let at = HEADER_BYTES;
  for (let from = sums; from !== null; at += frameBytes) {
    const frame = bytesAt(file, at, frameBytes);
    if (frame.length < frameBytes || saltsIn(frame, 8) !== salts) break;
    from = sumsOf([frame.subarray(0, 8), frame.subarray(FRAME_HEADER_BYTES)], { from, isLittleEndian });
    if (!hasSums(frame, 16, from)) break;
  }
  return at;
}

/** Adds bytes to the checksums of those before them. */
function sumsOf(
  parts: readonly Buffer[],
  { from, isLittleEndian }: { from: Sums; isLittleEndian: boolean },
): Sums {
  let [one, two] = from;
  for (const part of parts) {
    const numbers = new DataView(part.buffer, part.byteOffset, part.length);
    for (let at = 0; at < part.length; at += 8) {
      one = (one + numbers.getUint32(at, isLittleEndian) + two) >>> 0;
      two = (two + numbers.getUint32(at + 4, isLittleEndian) + one) >>> 0;
    }
  }
  return [one, two];
}

function hasSums(bytes: Buffer, at: number, [one, two]: Sums): boolean {
  return bytes.readUInt32BE(at) === one && bytes.readUInt32BE(at + 4) === two;
}

function saltsIn(bytes: Buffer, at: number): string {
  return bytes.toString("hex", at, at + 8);
}

/** Fewer bytes at the end of the file. */
function bytesAt(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, at));
}
