import { execFile } from "node:child_process";
import { afterEach, beforeEach } from "vitest";
import { runCommand } from "../../server/cli/cli.ts";
import { createAccount } from "../../server/domain/access/account-creation.ts";
import { openStore } from "../../server/storage/open.ts";
import { TABLES } from "../../server/tables.ts";
import { NOW, countedChance } from "./app.ts";
import { temporaryFolder } from "./server.ts";
import { TEST_SEAL } from "./memory-engine.ts";

/** Gives each test of the calling block the folder of a store with the account `acme`. */
export function useAccountOnDisk(): () => string {
  let made: ReturnType<typeof temporaryFolder>;
  beforeEach(async () => {
    made = temporaryFolder();
    const store = await openStore(`sqlite:${made.folder}`, { tables: TABLES, seal: TEST_SEAL });
    const context = { store, now: new Date(NOW), chance: countedChance() };
    const landingUrl = "https://www.acme.example/";
    await createAccount(context, { name: "Acme", public_id: "acme", landing_url: landingUrl });
    await store.close();
  });
  afterEach(() => made.remove());
  return () => made.folder;
}

/** What a command printed, and its exit code. */
export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the built command line, as a separate process, on the store in a folder. */
export function runCli(
  folder: string,
  words: string[],
  environment: Record<string, string> = {},
): Promise<CommandResult> {
  const env = { ...process.env, STORAGE_URL: `sqlite:${folder}`, ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, ["dist/server/cli.js", ...words], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/**
 * Runs a command in this process, which is much quicker. Only one at a time, because they share streams and
 * environment.
 */
export async function callCli(
  folder: string,
  words: string[],
  environment: Record<string, string> = {},
): Promise<CommandResult> {
  const before = { env: process.env, exitCode: process.exitCode };
  const stdout = capture(process.stdout);
  const stderr = capture(process.stderr);
  process.env = { ...before.env, STORAGE_URL: `sqlite:${folder}`, ...environment };
  process.exitCode = undefined;
  try {
    await runCommand(words, "0.0.0");
    return { code: Number(process.exitCode ?? 0), stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    Object.assign(process, before);
    stdout.end();
    stderr.end();
  }
}

/** Keeps the text that is written to a stream instead of showing it. */
function capture(stream: NodeJS.WriteStream): { text(): string; end(): void } {
  const { write } = stream;
  let text = "";
  stream.write = (chunk: string | Uint8Array) => {
    text += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    return true;
  };
  return { text: () => text, end: () => void (stream.write = write) };
}
