import { execFile } from "node:child_process";

/** What a command printed, and its exit code. */
export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the built command line on the store in a folder. */
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
