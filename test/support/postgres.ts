import { execFile, execFileSync, spawn, type ChildProcess } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { FOLDER } from "./build.ts";
import { childrenOf, endNow } from "./child-processes.ts";
import { freePort } from "./free-port.ts";
import { POSTGRES_FOLDER, unprivileged } from "./postgres-programs.ts";

/** A Postgres cluster in a temporary folder. */
export interface Cluster {
  port: number;
  /** The id of the process whose children serve the connections. undefined: it is not running. */
  pid(): number | undefined;
  /** The `STORAGE_URL` of its only database. `port`: of a proxy in front of it. */
  url(port?: number): string;
  start(): Promise<void>;
  /** Ends it like a power cut: the server and every process that serves a connection, at once. */
  kill(): Promise<void>;
  /** Makes it hang, like a machine or network that accepts everything and answers nothing. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Throws its data away and becomes a standby of another cluster. */
  follow(primary: Pick<Cluster, "port">): Promise<void>;
  /** Makes a standby accept writes. */
  promote(): Promise<void>;
  /** Its log since the first start. */
  log(): string;
  /** Watches it from a separate connection. */
  watch(): Promise<{
    /** Resolves when this many connections wait for a lock. */
    waiting(count: number): Promise<void>;
    end(): Promise<void>;
  }>;
  /** Runs a query on a separate connection. */
  query(text: string): Promise<{ rows: Record<string, unknown>[] }>;
  /** Stops it and removes its folder. */
  remove(): Promise<void>;
}

export const SUPERUSER = "tidemark";

/** An empty cluster, made once in a run. A copy takes a quarter of the time. */
const TEMPLATE = join(FOLDER, "postgres");
const INITDB_FLAGS = `-U ${SUPERUSER} -A trust -E UTF8 --no-locale --no-sync --no-instructions`.split(" ");
/** Small, so that copies are quick. A log of small files also makes Postgres write all of its pages back often. */
const SMALL = { initdb: ["--wal-segsize=1"], settings: { fsync: "off", shared_buffers: "64MB" } };

/**
 * Starts a cluster. `isSynced: false` spares the disk in tests that never end the whole machine. Otherwise it has
 * Postgres' own settings, for benches. With a certificate it only accepts TLS connections.
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
  const options = { ...owner, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: "C" } };
  if (!isSynced && existsSync(TEMPLATE)) copyFolder(TEMPLATE, data);
  else {
    const flags = [...INITDB_FLAGS, ...(isSynced ? [] : SMALL.initdb)];
    execFileSync(join(POSTGRES_FOLDER!, "initdb"), ["-D", data, ...flags], {
      ...options,
      stdio: ["ignore", "ignore", "inherit"],
    });
    if (!isSynced) keepTemplate(data);
  }
  if (certificate) encrypt(data, certificate, owner);
  const port = await freePort();
  let server: ChildProcess | null = null;
  let log = "";

  async function start(): Promise<void> {
    const settings = {
      ...(isSynced ? {} : SMALL.settings),
      max_connections: "60",
      ssl: certificate ? "on" : "off",
      // A standby that lost its primary looks for it at once.
      wal_retrieve_retry_interval: "100ms",
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    // Right after a kill, processes that have not quite ended may hold the shared memory for a moment.
    for (let tries = 0; tries < 500; tries++) {
      const words = ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", folder, ...flags];
      server = spawn(join(POSTGRES_FOLDER!, "postgres"), words, {
        ...options,
        stdio: ["ignore", "ignore", "pipe"],
      });
      server.stderr!.on("data", (chunk: Buffer) => void (log += chunk.toString()));
      if (await isListening(server)) return;
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

  /** Signals the server and every process that serves a connection. New ones may start meanwhile. */
  async function signal(name: NodeJS.Signals): Promise<void> {
    if (server === null) return;
    for (const pid of [server.pid!, ...childrenOf(server.pid!)]) process.kill(pid, name);
  }

  async function follow(primary: Pick<Cluster, "port">): Promise<void> {
    await kill();
    rmSync(data, { recursive: true });
    const from = `host=127.0.0.1 port=${primary.port} user=${SUPERUSER}`;
    const words = ["-D", data, "-d", from, "-R", "-c", "fast", "--no-sync"];
    await promisify(execFile)(join(POSTGRES_FOLDER!, "pg_basebackup"), words, options);
    // The copy would wait for a standby of its own when it is promoted.
    appendFileSync(join(data, "postgresql.auto.conf"), "synchronous_standby_names = ''\n");
    await start();
  }

  async function query(text: string) {
    const client = new Client(url());
    await client.connect();
    try {
      return await client.query(text);
    } finally {
      await client.end();
    }
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
    follow,
    async promote() {
      await query("select pg_promote()");
    },
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
    query,
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

function keepTemplate(data: string): void {
  const own = `${TEMPLATE}-${process.pid}`;
  copyFolder(data, own);
  try {
    renameSync(own, TEMPLATE);
  } catch {
    rmSync(own, { recursive: true }); // another process was first
  }
}

/** Keeps owners, and the permissions that Postgres demands. */
function copyFolder(from: string, to: string): void {
  execFileSync("cp", ["-a", from, to]);
}

/** Postgres refuses a key file that others may read. */
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
      output += chunk.toString();
      if (/ready to accept (read-only )?connections/.test(output)) resolve(true);
    });
  });
}
