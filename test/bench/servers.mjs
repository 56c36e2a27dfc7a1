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

/** As `npm start` has them. */
const NODE_OPTIONS = ["--max-semi-space-size=32"];

/** The built server on a store, without limits. `build`: the folder of the build. */
export function startTidemark(storageUrl, { nodeOptions = [], environment = {}, build = "dist" } = {}) {
  const settings = {
    PORT: "0",
    STORAGE_URL: storageUrl,
    TIDEMARK_ACCOUNT_ID: "bench",
    TIDEMARK_API_KEY: "bench-key",
    RATE_LIMIT_V1: "0",
    RATE_LIMIT_V2: "0",
    RATE_LIMIT_CLICKS: "0",
    LOG_LEVEL: "error",
    ...environment,
  };
  return start(`${build}/server/main.js`, settings, [...NODE_OPTIONS, ...nodeOptions]);
}

/**
 * An empty store: `sqlite`, `postgres`, for which a cluster is started that syncs each commit, or `pooled`, the same
 * by way of PgBouncer. `pids` are the processes of the database.
 */
export async function startStorage(kind) {
  if (kind === "sqlite") {
    const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
    // The key of its secrets is beside the store.
    const url = `sqlite:${join(folder, "store")}`;
    return { url, pids: [], remove: () => rmSync(folder, { recursive: true }) };
  }
  if (kind !== "postgres" && kind !== "pooled")
    throw new Error(`The store ${kind} is unknown; use sqlite, postgres or pooled`);
  const names = ["build", "postgres", "postgres-programs", "pooler", "child-processes", "free-port"];
  compile("test/support", names);
  const { startCluster } = await import("../../dist/test/postgres.js");
  if (kind === "pooled") return startPooled(startCluster);
  const cluster = await startCluster({ isSynced: true });
  return { url: cluster.url(), pids: [cluster.pid()], remove: cluster.remove };
}

async function startPooled(startCluster) {
  const { POOLER, startPooler } = await import("../../dist/test/pooler.js");
  if (POOLER === undefined) throw new Error("PgBouncer is not installed");
  const cluster = await startCluster({ isSynced: true });
  const pooler = await startPooler(cluster);
  return {
    url: cluster.url(pooler.port),
    pids: [cluster.pid(), pooler.pid],
    async remove() {
      await pooler.end();
      await cluster.remove();
    },
  };
}

/** Compiles modules of a folder into `dist/test`, because Node can't load TypeScript as it is. */
export function compile(folder, names) {
  const options = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2022,
    rewriteRelativeImportExtensions: true,
  };
  mkdirSync("dist/test", { recursive: true });
  for (const name of names) {
    const source = readFileSync(`${folder}/${name}.ts`, "utf8");
    const { outputText } = ts.transpileModule(source, { compilerOptions: options });
    writeFileSync(`dist/test/${name}.js`, outputText);
  }
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

/**
 * The user and system time of a process, and of its children that have ended. It is exact to a hundredth of a second.
 * @see proc(5)
 */
export function cpuMicros(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * 10_000;
}

/** A process and its children. */
export function processesBelow(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
  return [pid, ...children];
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
