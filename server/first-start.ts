import { accessSync, constants, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { createFirstAccount } from "./domain/account.ts";
import type { Context } from "./domain/context.ts";

/** What the operator is told when the store gets its first account; never again. */
export interface FirstStart {
  publicUrl: string;
  accountId: string | null;
  apiKey: string | null;
  /** Where its key is written, since logs are kept and read. null: it is shown. */
  keyFile: string | null;
}

/**
 * Makes the first account of an empty store and gives the text that names it, or null.
 *
 * @throws Error for a file that the key can't be written to, before anything is made
 */
export async function firstStart(context: Context, input: FirstStart): Promise<string | null> {
  const { publicUrl, keyFile } = input;
  if (keyFile !== null) requireFolderOf(keyFile);
  const first = await createFirstAccount(context, {
    name: "First account",
    publicId: input.accountId ?? undefined,
    key: input.apiKey ?? undefined,
    landingUrl: `${publicUrl}/demo`,
  });
  if (first === null) return null;
  return [
    "",
    "  The first account was made:",
    "",
    `  Account ID   ${first.account.publicId}`,
    `  API key      ${handOver(input, first.key)}`,
    `  Script tag   <script async src="${publicUrl}/svc.js" data-cid="${first.account.publicId}"></script>`,
    `  Demo page    ${publicUrl}/demo`,
    "",
    "",
  ].join("\n");
}

/** Says where the key is; one that the operator has chosen needs no telling. */
function handOver({ apiKey, keyFile }: FirstStart, key: string): string {
  if (apiKey !== null) return "that of TIDEMARK_API_KEY";
  if (keyFile === null) return `${key}   (shown this once)`;
  writeFileSync(keyFile, `${key}\n`, { mode: 0o600 });
  return `in ${keyFile}`;
}

function requireFolderOf(keyFile: string): void {
  try {
    accessSync(dirname(keyFile), constants.W_OK);
  } catch (error) {
    throw new Error(`TIDEMARK_KEY_FILE ${keyFile} can't be written: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
