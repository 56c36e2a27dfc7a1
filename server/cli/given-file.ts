import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";

/** Refuses a file that isn't there. @throws Error in one sentence */
export function requireFile(file: string): void {
  if (!existsSync(file)) throw new Error(`There is no file ${file}`);
}

/** Reads the text of a file that somebody names. @throws Error in one sentence if there is none */
export function readGivenFile(file: string): Promise<string> {
  requireFile(file);
  return readFile(file, "utf8");
}
