// Prints what the pages for people load at first, and the cost of the browser script for a page: the bytes of its two files, their time (the median of 15
// page loads with the processor slowed down six times, next to a bare queue stub), and its requests.
import { readFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { chromium } from "playwright-core";

const LOADS = 15;
const SLOWDOWN = 6;
const SCRIPT = readFileSync("dist/svc.js", "utf8");
const [MORE_NAME] = /svc-more\.[\da-f]+\.js/.exec(SCRIPT);
const MORE = readFileSync(`dist/${MORE_NAME}`, "utf8");
const STUB =
  "window.svc=window.svc||function(){(svc.q=svc.q||[]).push(arguments)};svc('init',{cid:'bench'});svc('click');";
const TID = "7f1b2c3d-1111-4222-8333-444455556666";
const KNOWN = `_svc_tid=${TID};_svc_ref=jane`;
const ANSWER = { status: "recorded", tid: TID, ref_id: "jane", cookie_days: 60, has_cookies: false };

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
  args: ["--no-sandbox"],
});
try {
  await report("bare stub", { code: STUB });
  await report("svc.js, never run", { code: `() => {${SCRIPT}}` });
  await report("svc.js, no referral", {});
  await report("svc.js, known visitor", { cookie: KNOWN });
  await report("svc.js, referral link", { query: "?via=jane" });
} finally {
  await browser.close();
}

async function report(name, { code = SCRIPT, cookie = "", query = "" }) {
  const times = [];
  const moreTimes = [];
  let requests = 0;
  for (let load = 0; load < LOADS; load++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await page.route("**/*", (route) => {
      if (!route.request().url().includes("/t/")) {
        return route.fulfill({
          contentType: "text/html",
          body: '<script type="none" data-cid="bench"></script>',
        });
      }
      requests++;
      return route.fulfill({ json: ANSWER, headers: { "access-control-allow-origin": "*" } });
    });
    await page.goto("https://www.example.test/");
    await page.evaluate((text) => text.split(";").map((pair) => (document.cookie = pair)), cookie);
    await page.goto(`https://www.example.test/${query}`);
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
    times.push(await page.evaluate(timeOf, { code, more: MORE }));
    await page.evaluate("!window.svc || svc.q || new Promise((resolve) => svc('onReady', resolve))");
    moreTimes.push(await page.evaluate("window.moreMs ?? 0"));
    await session.send("Emulation.setCPUThrottlingRate", { rate: 1 });
    await context.close();
  }
  // On a busy machine the least tells more: it was not interrupted.
  const both = times.map((ms, load) => ms + moreTimes[load]);
  const [first, second, sum] = [times, moreTimes, both].map((each) => {
    const sorted = each.toSorted((one, other) => one - other);
    return `${sorted[Math.floor(LOADS / 2)].toFixed(1)} ms (least ${sorted[0].toFixed(1)})`;
  });
  const parts = second.startsWith("0.0 ") ? first : `${sum}: first file ${first}, second ${second}`;
  console.log(`${name.padEnd(22)} ${parts}, ${requests / LOADS} requests a page`);
}

/** Runs in the page. The second file is put into the page like the first, so that neither waits for the network. */
function timeOf({ code, more }) {
  const { head } = document;
  const { append } = head;
  head.append = (loader) =>
    setTimeout(() => {
      const second = document.createElement("script");
      Object.assign(second, { parts: loader.parts, textContent: more });
      const began = performance.now();
      append.call(head, second);
      window.moreMs = performance.now() - began;
      loader.onload();
    });
  const script = document.createElement("script");
  script.dataset.cid = "bench";
  script.textContent = code;
  const began = performance.now();
  append.call(head, script);
  return performance.now() - began;
}
