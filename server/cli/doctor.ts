import type { Command } from "commander";
import { accountProblems } from "./doctor-account.ts";
import { withStore } from "./store.ts";
import { listAccounts, SYSTEM } from "../domain/account/account.ts";
import { findSetup, findSightings, type ServerSetup } from "../domain/sighting/sighting.ts";
import type { Store } from "../storage/store.ts";
import { isLoopback, parseUrl } from "../url.ts";

/** A page that has visitors asks for the script every hour. */
const SCRIPT_DAYS = 7;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Adds the command that finds problems of a set-up. */
export function doctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("show what is wrong with the set-up and what to do; exits with 1 if anything is")
    .action(() =>
      withStore(async ({ store, now }) => {
        const problems = await findProblems(store, now);
        for (const problem of problems) process.stdout.write(`${problem}\n`);
        if (problems.length > 0) process.exitCode = 1;
        else process.stdout.write("Nothing is wrong.\n");
      }),
    );
}

/** The problems of a set-up, with a remedy: one line each. */
export async function findProblems(store: Store, now: Date): Promise<string[]> {
  const setup = await findSetup(store);
  if (setup === null)
    return ["No server has run on this store yet: start one, let it run for a while, and try again."];
  const problems = [
    ...(await addressProblems(store, setup)),
    ...(await proxyProblems(store, setup)),
    ...(await scriptProblems(store, setup, now)),
  ];
  for (const account of await listAccounts(store)) {
    problems.push(...(await accountProblems(store, { account, setup, now })));
  }
  return problems;
}

async function addressProblems(store: Store, { publicUrl, startedAt }: ServerSetup): Promise<string[]> {
  const { host, hostname } = new URL(publicUrl);
  if (hostname === "0.0.0.0" || hostname === "[::]") {
    return [
      `PUBLIC_URL is ${publicUrl}, which browsers elsewhere can't open: set it to the address at which they reach the server.`,
    ];
  }
  const seen = await findSightings(store, SYSTEM, "host");
  const other = seen.find(
    ({ value, lastAt }) => lastAt >= startedAt && value !== host && !isLoopback(hostnameOf(value)),
  );
  if (other === undefined) return [];
  return [
    `PUBLIC_URL is ${publicUrl}, but browsers reach the server as ${other.value}: set PUBLIC_URL to that address, ` +
      "or make the proxy pass on the Host header that browsers send.",
  ];
}

/** A host without its port. */
function hostnameOf(host: string): string {
  return parseUrl(`http://${host}`)?.hostname ?? host;
}

async function proxyProblems(store: Store, { trustProxyHops, startedAt }: ServerSetup): Promise<string[]> {
  const seen = await findSightings(store, SYSTEM, "proxy");
  const isSeen = (what: string) => seen.some(({ value, lastAt }) => value === what && lastAt >= startedAt);
  if (isSeen("unexpected")) {
    return [
      "Requests come through a proxy (they have X-Forwarded-For), but TRUST_PROXY is 0, so all visitors share the " +
        "proxy's address and its limits: set TRUST_PROXY to the number of proxies in front.",
    ];
  }
  if (!isSeen("missing")) return [];
  return [
    `TRUST_PROXY is ${trustProxyHops}, but some requests passed fewer proxies that write X-Forwarded-For: ` +
      "set TRUST_PROXY to their number, and make sure that nobody can reach the server without them.",
  ];
}

async function scriptProblems(store: Store, { publicUrl }: ServerSetup, now: Date): Promise<string[]> {
  const [last] = await findSightings(store, SYSTEM, "script");
  if (last === undefined) {
    return [
      `No page has loaded the script yet: put <script async src="${publicUrl}/svc.js" data-cid="ACCOUNT_ID"></script> ` +
        "on every page of your site, and open one.",
    ];
  }
  if (now.getTime() - Date.parse(last.lastAt) < SCRIPT_DAYS * DAY_MS) return [];
  return [
    `No page has loaded the script since ${last.lastAt.slice(0, 10)}: check that its tag is still on every page ` +
      "of your site.",
  ];
}
