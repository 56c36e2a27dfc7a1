import { spawn } from "node:child_process";
import { mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const ACCOUNT = "acme";
export const KEY = "key-of-acme";

/** A server in a separate process. */
export interface Server {
  url: string;
  port: number;
  pid: number;
  output(): string;
  /** Resolves when its output matches. */
  printed(pattern: RegExp): Promise<void>;
  /** Stops it cleanly and resolves to its exit code. */
  stop(): Promise<number | null>;
  /** Kills it at once. */
  kill(): Promise<void>;
}

/** A folder for a store, and a function that removes it. */
export function temporaryFolder(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Starts the built server on a store in a folder. Resolves when it listens. `logFile` gets its log; `command`
 * starts it in another way.
 */
export function startServer(
  folder: string,
  environment: Record<string, string> = {},
  {
    logFile,
    command: [program, ...words] = [process.execPath, "dist/server/main.js"],
  }: { logFile?: string; command?: [string, ...string[]] } = {},
): Promise<Server> {
  const child = spawn(program, words, {
    env: {
      ...process.env,
      PORT: "0",
      STORAGE_URL: `sqlite:${folder}`,
      TIDEMARK_ACCOUNT_ID: ACCOUNT,
      TIDEMARK_API_KEY: KEY,
      RATE_LIMIT_V1: "0",
      RATE_LIMIT_V2: "0",
      LOG_LEVEL: "error",
      VIES_URL: "off",
      ...environment,
    },
    stdio: ["ignore", "pipe", logFile === undefined ? "pipe" : openSync(logFile, "a")],
  });
  let output = "";
  const watchers = new Set<() => void>();
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return new Promise((resolve, reject) => {
    void ended.then((code) => reject(new Error(`The server ended with ${code}: ${output}`)));
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      for (const look of watchers) look();
      const [, url, port] = /listens on (http:\/\/\S+:(\d+))/.exec(output) ?? [];
      if (url === undefined) return;
      resolve({
        url,
        port: Number(port),
        pid: child.pid!,
        output: () => output,
        printed: (pattern) =>
          new Promise((seen) => {
            const look = () => pattern.test(output) && seen();
            watchers.add(look);
            look();
          }),
        stop: () => (child.kill("SIGTERM"), ended),
        kill: async () => {
          child.kill("SIGKILL");
          await ended;
        },
      });
    };
    child.stdout!.on("data", read);
    child.stderr?.on("data", read);
  });
}

/** Posts a V1 form with the first account's key or another one. */
export async function v1(
  { url, key = KEY }: { url: string; key?: string },
  path: string,
  params: Record<string, string>,
) {
  const response = await fetch(`${url}/api/v1${path}`, {
    method: "POST",
    headers: { "x-api-key": key },
    body: new URLSearchParams(params),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Calls a V2 company operation with the first account's key. */
export async function v2({ url }: Pick<Server, "url">, request: string, body?: unknown) {
  const [method = "", path = ""] = request.split(" ");
  const response = await fetch(`${url}/api/v2/company${path}`, {
    method,
    headers: { authorization: `Bearer ${KEY}`, "account-id": ACCOUNT, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as unknown };
}
