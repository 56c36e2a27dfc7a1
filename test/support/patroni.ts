import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { vi } from "vitest";
import { childrenOf, endNow } from "./child-processes.ts";
import { freePort } from "./free-port.ts";
import { unprivileged } from "./postgres-programs.ts";

const PAGE = "docs/patroni.md";
const NAMES = ["a", "b"] as const;
const PATIENT = { timeout: 180_000, interval: 200 };

/** The name of a node. */
export type NodeName = (typeof NAMES)[number];

/** Two Postgres nodes that Patroni leads, with etcd and HAProxy, as the page of the docs sets them up. */
export interface PatroniCluster {
  /** The `STORAGE_URL` that names both nodes. */
  url: string;
  /** The `STORAGE_URL` of HAProxy. */
  proxyUrl: string;
  /** Resolves to the leader, when Patroni has one with a synchronous standby. */
  whole(): Promise<NodeName>;
  /** Resolves when a node is the leader. */
  leads(name: NodeName): Promise<void>;
  /** Ends Patroni and Postgres of a node at once, like a machine that loses power. */
  kill(name: NodeName): Promise<void>;
  start(name: NodeName): void;
  /** Runs a query on a node, as its superuser. */
  query(name: NodeName, text: string, database?: string): Promise<Record<string, unknown>[]>;
  remove(): Promise<void>;
}

export function hasPatroni(): boolean {
  const isThere = (program: string, flag: string) => {
    try {
      execFileSync(program, [flag], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  };
  const found = isThere("patroni", "--version") && isThere("etcd", "--version") && isThere("haproxy", "-v");
  if (!found && process.env.CI)
    throw new Error("CI tests on Patroni, and found no patroni, etcd and haproxy");
  if (!found) console.warn("Tests on Patroni are left out: no patroni, etcd and haproxy found");
  return found;
}

/** Starts everything, and makes the database with the page's SQL. */
// eslint-disable-next-line max-lines-per-function -- one cluster, whose parts nothing else uses
export async function startPatroni(): Promise<PatroniCluster> {
  const owner = unprivileged();
  const folder = mkdtempSync(join(tmpdir(), "tidemark-patroni-"));
  mkdirSync(join(folder, "etcd"), { mode: 0o700 });
  for (const each of [folder, join(folder, "etcd")]) if (owner) chownSync(each, owner.uid, owner.gid);
  const addresses = await localAddresses();
  const data = (name: NodeName) => join(folder, name, "patroni");
  const running = new Map<string, ChildProcess>();

  function run(name: string, [program, ...words]: [string, ...string[]], more: NodeJS.ProcessEnv = {}): void {
    const env = { PATH: process.env.PATH, LC_ALL: "C", ...more };
    const child = spawn(program, words, { ...owner, cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => appendFileSync(join(folder, `${name}.log`), chunk));
    running.set(name, child);
  }

  async function end(name: string): Promise<void> {
    const child = running.get(name);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }

  /** A file with a block of the page, at this machine's ports and folders. */
  function write(file: string, text: string): string {
    const path = join(folder, file);
    writeFileSync(path, text);
    if (owner) chownSync(path, owner.uid, owner.gid);
    return path;
  }

  for (const name of NAMES) {
    mkdirSync(join(folder, name));
    if (owner) chownSync(join(folder, name), owner.uid, owner.gid);
    const ofNode = blockOf("yaml")
      .replace("name: a", `name: ${name}`)
      .replaceAll("10.0.0.1:", name === "a" ? "10.0.0.1:" : "10.0.0.2:")
      .replaceAll("/var/lib/postgresql/15/", `${join(folder, name)}/`);
    // The page's machines have this folder in /run.
    write(`${name}.yml`, `${addresses(ofNode)}  parameters:\n    unix_socket_directories: ${folder}\n`);
  }
  const settings = addresses(blockOf("ini"))
    .trim()
    .split("\n")
    .map((line) => line.split(/=(.*)/).slice(0, 2) as [string, string]);
  run("etcd", ["etcd", "--data-dir", join(folder, "etcd")], Object.fromEntries(settings));
  const start = (name: NodeName) => run(name, ["patroni", join(folder, `${name}.yml`)]);
  for (const name of NAMES) start(name);
  run("haproxy", ["haproxy", "-db", "-f", write("haproxy.cfg", addresses(blockOf("haproxy")))]);

  async function kill(name: NodeName): Promise<void> {
    await end(name);
    const file = join(data(name), "postmaster.pid");
    if (!existsSync(file)) return;
    const pid = Number(readFileSync(file, "utf8").split("\n")[0]);
    const pids = childrenOf(pid);
    for (const each of [pid, ...pids]) endNow(each);
    await vi.waitUntil(() => !existsSync(`/proc/${pid}`), PATIENT);
  }

  async function rolesNow(): Promise<Record<string, string>> {
    for (const name of NAMES) {
      try {
        const response = await fetch(
          addresses(`http://${name === "a" ? "10.0.0.1" : "10.0.0.2"}:8008/cluster`),
        );
        const { members } = (await response.json()) as { members: { name: string; role: string }[] };
        return Object.fromEntries(members.map((member) => [member.role, member.name]));
      } catch {
        // It is down.
      }
    }
    return {};
  }

  async function query(
    name: NodeName,
    text: string,
    database = "postgres",
  ): Promise<Record<string, unknown>[]> {
    const host = name === "a" ? "10.0.0.1" : "10.0.0.2";
    const client = new Client(addresses(`postgres://postgres:secret-of-postgres@${host}:5432/${database}`));
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query(text)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  }

  async function whole(): Promise<NodeName> {
    const roles = await vi.waitUntil(async () => {
      const found = await rolesNow();
      return found["leader"] && found["sync_standby"] ? found : null;
    }, PATIENT);
    return roles["leader"] as NodeName;
  }

  const leader = await whole();
  for (const statement of blockOf("sql").split(";")) if (statement.trim()) await query(leader, statement);
  const [, listed = ""] = /STORAGE_URL=(\S+)/.exec(page()) ?? [];
  return {
    url: addresses(listed.replace("10.0.0.1,10.0.0.2", "10.0.0.1:5432,10.0.0.2:5432")),
    proxyUrl: addresses(listed.replace("10.0.0.1,10.0.0.2", "10.0.0.4:5432")),
    whole,
    async leads(name) {
      await vi.waitUntil(async () => (await rolesNow())["leader"] === name, PATIENT);
    },
    kill,
    start,
    query,
    async remove() {
      for (const name of NAMES) await kill(name);
      await Promise.all([end("haproxy"), end("etcd")]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const page = () => readFileSync(PAGE, "utf8");

/** The page's block of a language. */
function blockOf(language: string): string {
  return new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(page())![1]!;
}

/** Makes a function that puts this machine's address and free ports in the place of the page's. */
async function localAddresses(): Promise<(text: string) => string> {
  const used = ["1:8008", "1:5432", "2:8008", "2:5432", "3:2379", "3:2380", "4:5432"];
  const ports = new Map<string, number>();
  for (const each of used) ports.set(`10.0.0.${each}`, await freePort());
  const check = (name: string, host: number) => (text: string) =>
    text.replace(new RegExp(`(server ${name} .* check port )8008`), `$1${ports.get(`10.0.0.${host}:8008`)}`);
  const [checkA, checkB] = [check("a", 1), check("b", 2)];
  return (text) =>
    checkA(checkB(text))
      .replace(/10\.0\.0\.\d:\d+/g, (address) => `127.0.0.1:${ports.get(address)}`)
      .replaceAll("10.0.0.0/24", "127.0.0.1/32");
}
