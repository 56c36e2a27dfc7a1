// Prints where the microseconds of a request go on the main thread of the built server: its processor time for each
// request, divided by the shares in a CPU profile of a second run. BENCH_STORAGE: `sqlite` (default) or `postgres`.
// BENCH_SECONDS (4): the length of each run. BENCH_ONLY: a single request. The time of built-in functions (JSON.parse,
// hashes) counts as their callers'.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BUYERS, prepareSales } from "./sales.mjs";
import { KEY, load, post, row, startStorage, startTidemark } from "./servers.mjs";

const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const ONLY = process.env.BENCH_ONLY;
const LEAST_SHARE = 0.01;
const BROWSER = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36",
  origin: "https://www.example.com",
};
const SCENARIOS = [
  {
    name: "sign-up",
    path: "/api/v1/track/signup",
    headers: KEY,
    body: "email=lead-{n}%40example.com&uid=cus_{n}&ref_id=bench&first_name=Lee",
  },
  {
    name: "click",
    path: "/t/click",
    headers: BROWSER,
    body: "cid=bench&tid={uuid}&ref_id=bench&url=https%3A%2F%2Fwww.example.com%2F%3Fvia%3Dbench",
  },
  {
    name: "sale, three tiers",
    path: "/api/v1/track/sale",
    headers: KEY,
    body: "email=buyer-{known}%40example.com&event_id=sale-{n}&amount=9900",
    known: BUYERS,
    prepare: prepareSales,
  },
  {
    name: "promoter create",
    path: "/api/v1/promoters/create",
    headers: KEY,
    body: "email=promoter-{n}%40example.com&ref_id=p-{n}&first_name=Pat&last_name=Doe",
  },
  {
    name: "promoter details",
    method: "GET",
    path: "/api/v2/company/promoters/bench?find_by=ref_token",
    headers: { authorization: "Bearer bench-key", "account-id": "bench" },
    body: "",
  },
];
const maps = new Map();

for (const scenario of SCENARIOS) {
  if (ONLY && scenario.name !== ONLY) continue;
  const { micros } = await drive(scenario, []);
  const folder = mkdtempSync(join(tmpdir(), "tidemark-profile-"));
  await drive(scenario, ["--cpu-prof", `--cpu-prof-dir=${folder}`]);
  print(scenario.name, micros, sharesOf(mainProfile(folder)));
  rmSync(folder, { recursive: true });
}

/** Drives a new server and returns its main thread's processor time for each request. */
async function drive({ method = "POST", path, headers, body, known, prepare }, nodeOptions) {
  const storage = await startStorage(process.env.BENCH_STORAGE ?? "sqlite");
  const { child, url, ended } = await startTidemark(storage.url, { nodeOptions });
  await post(url, "/api/v1/promoters/create", KEY, "email=bench%40example.com&ref_id=bench");
  await prepare?.(url);
  const run = (seconds) => load({ url, method, path, headers, body, known, seconds });
  await run(2);
  const before = mainThreadMicros(child.pid);
  const { statuses } = await run(SECONDS);
  const micros = (mainThreadMicros(child.pid) - before) / statuses[200];
  if (Object.keys(statuses).length !== 1) throw new Error(JSON.stringify(statuses));
  child.kill("SIGTERM");
  await ended;
  await storage.remove();
  return { micros };
}

/**
 * The first figure is the nanoseconds on a processor. @see https://docs.kernel.org/scheduler/sched-stats.html
 */
function mainThreadMicros(pid) {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1_000;
}

/** The threads that answer questions have profiles too, but without HTTP. */
function mainProfile(folder) {
  const profiles = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
  return profiles.find(({ nodes }) => nodes.some(({ callFrame }) => callFrame.url === "node:_http_server"));
}

function sharesOf({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  for (const node of nodes) for (const id of node.children ?? []) byId.get(id).parent = node;
  const places = new Map(nodes.map((node) => [node.id, placeOf(node)]));
  const spent = new Map();
  let total = 0;
  samples.forEach((id, at) => {
    const place = places.get(id);
    if (place === "(idle)") return;
    total += timeDeltas[at];
    spent.set(place, (spent.get(place) ?? 0) + timeDeltas[at]);
  });
  return [...spent].map(([place, time]) => [place, time / total]).sort(([, one], [, other]) => other - one);
}

/** The file or package of a function. */
function placeOf(node) {
  const { url, lineNumber, columnNumber, functionName } = node.callFrame;
  if (url === "") {
    const isOwn = node.parent === undefined || node.parent.callFrame.functionName === "(root)";
    return isOwn ? functionName : placeOf(node.parent);
  }
  if (url.startsWith("node:")) return "node";
  const [, dependency] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (dependency !== undefined) return dependency;
  const map = maps.get(url) ?? new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, "utf8")));
  maps.set(url, map);
  const { originalSource = url } = map.findEntry(lineNumber, columnNumber);
  return originalSource.replace(/^.*server\//, "");
}

function print(name, micros, shares) {
  console.log(row([`\n${name}: ${micros.toFixed(1)} µs`, "µs", "share"], 44));
  const shown = shares.filter(([, share]) => share >= LEAST_SHARE);
  const rest = 1 - shown.reduce((sum, [, share]) => sum + share, 0);
  for (const [place, share] of [...shown, ["the rest", rest]])
    console.log(row([place, (share * micros).toFixed(1), `${(share * 100).toFixed(1)} %`], 44));
}
