import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { childrenOf, endNow } from "./child-processes.ts";
import { freePort } from "./free-port.ts";
import { POSTGRES_FOLDER, unprivileged } from "./postgres-programs.ts";

/** A Postgres of its own, in a temporary folder. */
export interface Cluster {
  port: number;
  /** Of the process whose children serve the connections; undefined while it does not run. */
  pid(): number | undefined;
  /** The `STORAGE_URL` of its only database; by way of another port where a proxy stands before it. */
  url(port?: number): string;
  start(): Promise<void>;
  /** Ends it as a power cut would: the server and every process that serves a connection, at once. */
  kill(): Promise<void>;
  /** Makes it hang, as a machine or a network that takes everything and answers nothing. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** What it has told since it was started first. */
  log(): string;
  /** Looks on from a connection of its own. */
  watch(): Promise<{
    /** Resolves when so many connections wait for a lock. */
    waiting(count: number): Promise<void>;
    end(): Promise<void>;
  }>;
  /** Asks it something, on a connection of its own. */
  query(text: string): Promise<{ rows: Record<string, unknown>[] }>;
  /** Ends it for good, with its folder. */
  remove(): Promise<void>;
}

export const SUPERUSER = "tidemark";

/**
 * Starts a cluster. Where nothing but this machine's own end is tested, `isSynced: false` spares the disk.
 * With a certificate it takes connections with TLS alone.
 */
export async function startCluster({
  isSynced = false,
  certificate,
}: { isSynced?: boolean; certificate?: { key: string; cert: string } } = {}): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-postgres-"));
  const owner = unprivileged();
  if (owner) chownSync(folder, owner.uid, owner.gid);
  chmodSync(folder, 0o700);
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  if (owner) chownSync(data, owner.uid, owner.gid);
  const options = { ...owner, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: "C" } };
  execFileSync(
    join(POSTGRES_FOLDER!, "initdb"),
    [
      "-D",
      data,
      "-U",
      SUPERUSER,
      "-A",
      "trust",
      "-E",
      "UTF8",
      "--no-locale",
      "--no-sync",
      "--no-instructions",
    ],
    { ...options, stdio: ["ignore", "ignore", "inherit"] },
  );
  if (certificate) encrypt(data, certificate, owner);
  const port = await freePort();
  let server: ChildProcess | null = null;
  let log = "";

  async function start(): Promise<void> {
    const settings = {
      fsync: isSynced ? "on" : "off",
      max_connections: "60",
      shared_buffers: "64MB",
      ssl: certificate ? "on" : "off",
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    // Right after a kill, the shared memory may be held for a moment by what has not quite ended.
    for (let tries = 0; tries < 50; tries++) {
      const words = ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", folder, ...flags];
      server = spawn(join(POSTGRES_FOLDER!, "postgres"), words, {
        ...options,
        stdio: ["ignore", "ignore", "pipe"],
      });
      server.stderr!.on("data", (chunk: Buffer) => void (log += chunk.toString()));
      if (await isListening(server)) return;
      await sleep(100);
    }
    throw new Error("Postgres does not start");
  }

  async function kill(): Promise<void> {
    if (server === null) return;
    const ended = new Promise((resolve) => server?.once("close", resolve));
    const pids = childrenOf(server.pid!);
    server.kill("SIGKILL");
    for (const pid of pids) endNow(pid);
    server = null;
    await ended;
  }

  /** The server and every process that serves a connection; new ones may come while it goes on. */
  async function signal(name: NodeJS.Signals): Promise<void> {
    if (server === null) return;
    for (const pid of [server.pid!, ...childrenOf(server.pid!)]) process.kill(pid, name);
  }

  const url = (at = port) => `postgres://${SUPERUSER}@127.0.0.1:${at}/postgres`;
  await start();
  return {
    port,
    pid: () => server?.pid,
    url,
    start,
    kill,
    freeze: () => signal("SIGSTOP"),
    thaw: () => signal("SIGCONT"),
    log: () => log,
    async watch() {
      const client = new Client(url());
      await client.connect();
      const text = "select count(*) as found from pg_stat_activity where wait_event_type = 'Lock'";
      return {
        async waiting(count) {
          while (Number((await client.query(text)).rows[0].found) !== count);
        },
        end: () => client.end(),
      };
    },
    async query(text) {
      const client = new Client(url());
      await client.connect();
      try {
        return await client.query(text);
      } finally {
        await client.end();
      }
    },
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

/** Postgres refuses a key that others may read. */
function encrypt(
  data: string,
  { key, cert }: { key: string; cert: string },
  owner: { uid: number; gid: number } | null,
): void {
  for (const [name, text] of [
    ["server.key", key],
    ["server.crt", cert],
    ["pg_hba.conf", "hostssl all all 127.0.0.1/32 trust\nhostssl all all ::1/128 trust\n"],
  ] as const) {
    writeFileSync(join(data, name), text, { mode: 0o600 });
    if (owner) chownSync(join(data, name), owner.uid, owner.gid);
  }
}

function isListening(server: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    let output = "";
    server.once("close", () => resolve(false));
    server.stderr!.on("data", (chunk: Buffer) => {
      if (output.includes("ready to accept connections")) return;
      output += chunk.toString();
      if (output.includes("ready to accept connections")) resolve(true);
    });
  });
}
