// Prints what the pages for people load at first, and what the browser script costs a page: the bytes of its two files, their
// processor time, and its requests. `node test/bench/script.mjs OTHER.js …` measures other scripts in the same run, for
// example the build before; a second file is looked for beside each.
//
// The time is processor time of the page's main thread, as Chromium's own trace counts it, with a processor that is not slowed
// down. It includes compiling and all tasks of the script, but not the network, layout and paint, nor waiting for other
// processes. Each page is loaded by a new process that has nothing in its caches. The scripts take turns, and the least time
// tells most, because nothing interrupted it.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { chromium } from "playwright-core";

const LOADS = 15;
/** How long a page is left alone, so that the tasks of its script come to an end. */
const PAGE_MS = 200;
const SCRIPT = readFileSync("dist/svc.js", "utf8");
const SECOND_NAME = /svc-more\.[\da-f]+\.js/;
const MORE = readFileSync(`dist/${SECOND_NAME.exec(SCRIPT)[0]}`, "utf8");
const STUB =
  "window.svc=window.svc||function(){(svc.q=svc.q||[]).push(arguments)};svc('init',{cid:'bench'});svc('click');";
const TID = "7f1b2c3d-1111-4222-8333-444455556666";
const KNOWN = { _svc_tid: TID, _svc_ref: "jane" };
const ANSWER = { status: "recorded", tid: TID, ref_id: "jane", cookie_days: 60, has_cookies: false };
/** The events of a trace that are work of a script. Those within others are counted with these. */
const WORK = /^(EvaluateScript|FunctionCall|RunMicrotasks|TimerFire|EventDispatch)$/;

const sizes = Object.entries({ "svc.js": SCRIPT, "svc-more.js": MORE }).map(([name, text]) => {
  const [raw, gzip, brotli] = [text, gzipSync(text, { level: 9 }), brotliCompressSync(text)].map(
    (each) => each.length,
  );
  console.log(`${name}: ${raw} bytes raw, ${gzip} gzip, ${brotli} brotli`);
  return gzip;
});
console.log(`both: ${sizes[0] + sizes[1]} gzip`);
for (const app of ["dashboard", "portal", "join"]) {
  const { script, preloads, style, files } = JSON.parse(readFileSync(`dist/pages/${app}.json`, "utf8"));
  const size = (name) => gzipSync(readFileSync(`dist/pages/${name}`), { level: 9 }).length;
  const first = [script, ...preloads];
  const pages = files.filter((name) => name.endsWith(".js") && !first.includes(name));
  const largest = Math.max(0, ...pages.map(size));
  const own = first.map(size).reduce((sum, each) => sum + each, 0);
  console.log(`${app}: ${own} bytes gzip of script and up to ${largest} for a page, ${size(style)} of style`);
}
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
const others = process.argv.slice(2);
const rows = [
  { name: "bare stub", script: STUB },
  { name: "svc.js, never run", script: `() => {${SCRIPT}}` },
  ...["dist/svc.js", ...others].flatMap((file) => {
    const row = { script: readFileSync(file, "utf8"), folder: dirname(file) };
    return [
      { ...row, name: `${file}, no referral` },
      { ...row, name: `${file}, referral link`, query: "?via=jane" },
    ];
  }),
  { name: "svc.js, known visitor", script: SCRIPT, cookies: KNOWN },
].map((row) => ({ folder: "dist", cookies: {}, query: "", costs: [], ...row }));
try {
  for (let load = 0; load < LOADS; load++) for (const row of rows) row.costs.push(await costOf(row));
} finally {
  await browser.close();
}
console.log(
  "Processor time in ms, least (median): while the page loads it, in later tasks, in the second file",
);
for (const { name, costs } of rows) {
  const parts = ["first", "later", "second", "all"].map((part) => {
    const sorted = costs.map((cost) => cost[part]).toSorted((one, other) => one - other);
    return `${part} ${sorted[0].toFixed(2)} (${sorted[Math.floor(LOADS / 2)].toFixed(2)})`;
  });
  console.log(`${name.padEnd(36)} ${parts.join(", ")}; ${costs[0].requests} requests`);
}

/** Loads a page with the script's tag in a new context, and adds up what the script did there. */
async function costOf({ script, folder, cookies, query }) {
  const context = await browser.newContext();
  const page = await context.newPage();
  let requests = 0;
  await page.route("**/*", (route) => {
    const url = route.request().url();
    const contentType = "text/javascript";
    if (url.endsWith("/svc.js")) return route.fulfill({ contentType, body: script });
    const second = SECOND_NAME.exec(url);
    if (second) return route.fulfill({ contentType, path: join(folder, second[0]) });
    if (route.request().resourceType() === "document") {
      const tag = '<script src="https://track.example.test/svc.js" data-cid="bench"></script>';
      return route.fulfill({ contentType: "text/html", body: `<link rel="icon" href="data:,">${tag}` });
    }
    requests++;
    return route.fulfill({ json: ANSWER, headers: { "access-control-allow-origin": "*" } });
  });
  await context.addCookies(
    Object.entries(cookies).map(([name, value]) => ({ name, value, domain: ".example.test", path: "/" })),
  );
  await browser.startTracing(page, { categories: ["devtools.timeline"] });
  await page.goto(`https://www.example.test/${query}`);
  await page.waitForTimeout(PAGE_MS);
  const { traceEvents } = JSON.parse(await browser.stopTracing());
  await context.close();
  return { ...sumsOf(traceEvents), requests };
}

function sumsOf(events) {
  const isScript = ({ name, args }, file) => name === "EvaluateScript" && args.data?.url?.match(file);
  const began = events.find((event) => isScript(event, "/svc.js"));
  const work = events
    .filter(
      ({ name, pid, tid, ts }) => WORK.test(name) && pid === began.pid && tid === began.tid && ts >= began.ts,
    )
    .toSorted((one, other) => one.ts - other.ts || other.dur - one.dur);
  const sums = { first: 0, later: 0, second: 0, all: 0 };
  let end = 0;
  for (const event of work) {
    if (event.ts < end) continue;
    end = event.ts + event.dur;
    const part = event === began ? "first" : isScript(event, SECOND_NAME) ? "second" : "later";
    // `tdur` is the thread's own time in microseconds. `dur` also has the time in which other threads ran.
    for (const name of [part, "all"]) sums[name] += (event.tdur ?? 0) / 1_000;
  }
  return sums;
}
