import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { giveToFolderOwner } from "../storage/owner.ts";

/** Exports hold personal data, so only the owner may read them. */
const OWNER_ONLY = 0o600;

/** Writes lines to a new file; `-` is standard output. @throws Error if the file exists */
export async function writeNewFile(lines: AsyncIterable<string>, file: string): Promise<void> {
  const isPiped = file === "-";
  const target = isPiped ? process.stdout : createWriteStream(file, { flags: "wx", mode: OWNER_ONLY });
  try {
    await pipeline(Readable.from(lines), target);
    if (!isPiped) giveToFolderOwner(resolve(file));
  } catch (error) {
    // Delete only a file that we began; a file that existed before is not ours.
    const isTaken = (error as NodeJS.ErrnoException).code === "EEXIST";
    if (isTaken) throw new Error(`${file} already exists`, { cause: error });
    if (!isPiped) await rm(file, { force: true });
    throw error;
  }
}
