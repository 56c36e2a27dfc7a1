// Prints the files of server/ that a warm V1 sign-up on SQLite passes through from socket to answer: those
// with a function that runs in every one of several sign-ups. This leaves out timers that run in between.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import ts from "typescript";
import { KEY, post } from "./servers.mjs";

const SIGNUPS = 10;
const PAUSE_MS = 50;
const BUILT = resolve("dist/test/server");

buildApart();
const folder = mkdtempSync(join(tmpdir(), "tidemark-files-"));
Object.assign(process.env, {
  PORT: "0",
  STORAGE_URL: `sqlite:${folder}`,
  TIDEMARK_API_KEY: "bench-key",
  RATE_LIMIT_V1: "0",
  LOG_LEVEL: "error",
});
const url = await startHere();
await post(url, "/api/v1/promoters/create", KEY, "email=bench%40example.com&ref_id=bench");
for (let at = 0; at < SIGNUPS; at++) await signUp(`warm-${at}`);

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
let passed = null;
for (let at = 0; at < SIGNUPS; at++) {
  await sleep(PAUSE_MS);
  await session.post("Profiler.takePreciseCoverage");
  await signUp(`new-${at}`);
  const run = filesIn((await session.post("Profiler.takePreciseCoverage")).result);
  passed = passed === null ? run : new Set([...passed].filter((name) => run.has(name)));
}
const names = [...passed].toSorted();
console.log(names.join("\n"));
console.log(`\n${names.length} files`);
process.once("exit", () => rmSync(folder, { recursive: true }));
process.kill(process.pid, "SIGTERM");

function signUp(name) {
  const person = `email=${name}%40example.com&uid=${name}&ref_id=bench&first_name=Lee`;
  return post(url, "/api/v1/track/signup", KEY, person);
}

function filesIn(scripts) {
  const run = scripts.filter(({ url: from, functions }) => {
    // The first function of a module is its top level, which ran when the module was loaded.
    return from.includes(BUILT) && functions.some(({ ranges }) => ranges[0].count > 0);
  });
  return new Set(run.map(({ url: from }) => from.slice(from.indexOf(BUILT) + BUILT.length + 1)));
}

/** Builds each file of the server separately, because the usual build bundles them. */
function buildApart() {
  const compilerOptions = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2022,
    rewriteRelativeImportExtensions: true,
  };
  for (const name of readdirSync("server", { recursive: true }).filter((file) => file.endsWith(".ts"))) {
    const { outputText } = ts.transpileModule(readFileSync(join("server", name), "utf8"), {
      compilerOptions,
    });
    const file = join(BUILT, name.replace(/\.ts$/, ".js"));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, outputText);
  }
  // Where the files expect each other in the build.
  writeFileSync(
    join(BUILT, "storage/engines/sqlite/sqlite-reader.js"),
    `export * from "./reader-thread.js";`,
  );
  const scripts = readdirSync("dist").filter((name) => name.startsWith("svc"));
  for (const name of [...scripts, "docs.js", "pages"]) {
    cpSync(join("dist", name), join(BUILT, name), { recursive: true });
  }
}

/** Starts the server in this process and returns its address. */
async function startHere() {
  const write = process.stdout.write.bind(process.stdout);
  let output = "";
  process.stdout.write = (text) => (output += text) !== "";
  await import(join(BUILT, "main.js"));
  while (!output.includes("listens on")) await sleep(PAUSE_MS);
  process.stdout.write = write;
  return /listens on (http:\S+)/.exec(output)[1];
}
