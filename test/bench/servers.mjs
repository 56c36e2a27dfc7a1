// Starts the servers to measure, and calls them.
import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";

export const KEY = { "x-api-key": "bench-key", authorization: "Bearer bench-key", "account-id": "bench" };

/** Starts a server and waits for its address. */
export function start(file, environment, nodeOptions = []) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...nodeOptions, file], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  return new Promise((resolve) => {
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
      const url = /listens on (http:\S+)/.exec(output)?.[1];
      if (url) resolve({ child, url, ended, readyMs: performance.now() - startedAt });
    });
  });
}

/** The built server on a store, without limits. */
export function startTidemark(storageUrl, { nodeOptions = [], environment = {} } = {}) {
  const settings = {
    PORT: "0",
    STORAGE_URL: storageUrl,
    TIDEMARK_ACCOUNT_ID: "bench",
    TIDEMARK_API_KEY: "bench-key",
    RATE_LIMIT_V1: "0",
    RATE_LIMIT_CLICKS: "0",
    LOG_LEVEL: "error",
    ...environment,
  };
  return start("dist/server/main.js", settings, nodeOptions);
}

/** An empty store, `sqlite` or `postgres`, for which a cluster is started that syncs each commit. */
export async function startStorage(kind) {
  if (kind === "sqlite") {
    const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
    return { url: `sqlite:${folder}`, remove: () => rmSync(folder, { recursive: true }) };
  }
  if (kind !== "postgres") throw new Error(`The store ${kind} is unknown; use sqlite or postgres`);
  // The tests' own cluster. Node can't load its TypeScript as it is.
  const options = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2022,
    rewriteRelativeImportExtensions: true,
  };
  mkdirSync("dist/test", { recursive: true });
  for (const name of ["build", "postgres", "postgres-programs", "child-processes", "free-port"]) {
    const source = readFileSync(`test/support/${name}.ts`, "utf8");
    const { outputText } = ts.transpileModule(source, { compilerOptions: options });
    writeFileSync(`dist/test/${name}.js`, outputText);
  }
  const { startCluster } = await import("../../dist/test/postgres.js");
  const cluster = await startCluster({ isSynced: true });
  return { url: cluster.url(), pid: cluster.pid(), remove: cluster.remove };
}

/** Posts a form and returns the text of the answer. */
export async function post(url, path, headers, body) {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body,
  });
  return response.text();
}

/** Drives a server from a separate process and returns the result. */
export async function load(options) {
  const file = new URL("load.mjs", import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [file, JSON.stringify(options)]);
  return JSON.parse(stdout);
}

/** The user and system time of a process. It is exact to a hundredth of a second. @see proc(5) */
export function cpuMicros(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

/** One line of a table. */
export function row(cells, width = 18) {
  return cells
    .map((cell, index) => (index === 0 ? String(cell).padEnd(width) : String(cell).padStart(11)))
    .join("");
}

export function median(values, of = (value) => value) {
  return values.toSorted((left, right) => of(left) - of(right))[Math.floor(values.length / 2)];
}
