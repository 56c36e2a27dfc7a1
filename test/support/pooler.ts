import { spawn } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { freePort } from "./free-port.ts";
import { SUPERUSER, type Cluster } from "./postgres.ts";
import { unprivileged } from "./postgres-programs.ts";

/** Debian installs it where only administrators look. */
const FOLDERS = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"];

/** The path of PgBouncer. undefined: it is not installed. */
export const POOLER = FOLDERS.map((folder) => join(folder, "pgbouncer")).find((file) => existsSync(file));

if (POOLER === undefined) console.warn("Tests by way of PgBouncer are left out: it is not installed");

/** A pooler in front of a cluster. */
export interface Pooler {
  port: number;
  pid: number;
  end(): Promise<void>;
}

/** Starts PgBouncer in transaction mode, in which each transaction may get another connection. */
export async function startPooler(cluster: Cluster): Promise<Pooler> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "tidemark-pooler-"));
  const owner = unprivileged();
  const users = join(folder, "users");
  const settings = {
    listen_addr: "127.0.0.1",
    listen_port: port,
    unix_socket_dir: "",
    auth_type: "trust",
    auth_file: users,
    pool_mode: "transaction",
    default_pool_size: 4,
    ignore_startup_parameters: "statement_timeout,idle_in_transaction_session_timeout",
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const databases = `[databases]\npostgres = host=127.0.0.1 port=${cluster.port} dbname=postgres\n`;
  writeFileSync(users, `"${SUPERUSER}" ""\n`);
  writeFileSync(join(folder, "settings.ini"), `${databases}[pgbouncer]\n${lines.join("\n")}\n`);
  if (owner)
    for (const name of ["", "users", "settings.ini"]) chownSync(join(folder, name), owner.uid, owner.gid);
  chmodSync(folder, 0o700);
  const child = spawn(POOLER!, [join(folder, "settings.ini")], {
    ...owner,
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  let output = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes("process up")) resolve();
    });
    void ended.then(() => reject(new Error(`PgBouncer does not start: ${output}`)));
  });
  return {
    port,
    pid: child.pid!,
    async end() {
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
