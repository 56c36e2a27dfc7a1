// Measures sign-ups and clicks beside 200 sign-ins under way, against the built server on SQLite. Each sign-in comes from
// a network of its own, so no limit but that of the hashes holds them back. BENCH_SECONDS (15), BENCH_SIGN_INS (200).
import { randomUUID } from "node:crypto";
import { loadavg } from "node:os";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { KEY, post, row, startStorage, startTidemark } from "./servers.mjs";

const SECONDS = Number(process.env.BENCH_SECONDS ?? 15);
const SIGN_INS = Number(process.env.BENCH_SIGN_INS ?? 200);
const PAUSE_MS = 20;
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const BROWSER = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36" };

const storage = await startStorage("sqlite");
const { child, url, ended } = await startTidemark(storage.url, { environment: { TRUST_PROXY: "1" } });
const agent = new Agent({ keepAlive: true });
const statuses = {};
const run = { isOver: false, networks: 0, people: 0 };
try {
  await post(url, "/api/v1/promoters/create", KEY, "email=jane@example.com&ref_id=jane");
  console.log(row(["", "requests", "p50 ms", "p99 ms", "max ms"], 28));
  await measure("alone");
  const guesses = Array.from({ length: SIGN_INS }, guess);
  await sleep(1_000);
  await measure(`beside ${SIGN_INS} sign-ins`);
  run.isOver = true;
  await Promise.all(guesses);
  console.log(
    `sign-ins by status: ${JSON.stringify(statuses)}; load of the machine: ${loadavg()[0].toFixed(1)}`,
  );
} finally {
  run.isOver = true;
  agent.destroy();
  child.kill("SIGTERM");
  await ended;
  await storage.remove();
}

/** Tries one password after the other, and waits after a 503 for as long as the server says. */
async function guess() {
  while (!run.isOver) {
    const at = ++run.networks;
    const headers = {
      "content-type": "application/json",
      "x-forwarded-for": `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`,
    };
    const body = JSON.stringify({ email: `person-${at}@example.com`, password: "a wrong password" });
    const { status } = await send("/api/v2/company/session", headers, body);
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status === 503) await sleep(2_000);
  }
}

async function measure(name) {
  const times = { clicks: [], "sign-ups": [] };
  const endsAt = performance.now() + SECONDS * 1_000;
  while (performance.now() < endsAt) {
    const person = ++run.people;
    const click = `cid=bench&tid=${randomUUID()}&ref_id=jane`;
    times.clicks.push((await send("/t/click", { ...FORM, ...BROWSER }, click)).ms);
    const signup = `email=lead-${person}@example.com&ref_id=jane`;
    times["sign-ups"].push((await send("/api/v1/track/signup", { ...FORM, ...KEY }, signup)).ms);
    await sleep(PAUSE_MS);
  }
  for (const [kind, all] of Object.entries(times)) {
    const sorted = all.toSorted((left, right) => left - right);
    const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(1);
    console.log(row([`${kind} ${name}`, sorted.length, at(0.5), at(0.99), at(1)], 28));
  }
}

function send(path, headers, body) {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const call = request(url + path, { method: "POST", agent, headers }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve({ status: answer.statusCode, ms: performance.now() - began }));
    });
    call.on("error", reject);
    call.end(body);
  });
}
