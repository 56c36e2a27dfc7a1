import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

const DEBIAN_FOLDER = "/usr/lib/postgresql";

/** The folder of Postgres' programs. null: there is none on this machine. */
export const POSTGRES_FOLDER = findPrograms();

if (POSTGRES_FOLDER === null) {
  if (process.env.CI)
    throw new Error("CI tests on Postgres, and found no initdb, postgres and pg_basebackup");
  console.warn("Tests on Postgres are left out: no initdb, postgres and pg_basebackup found");
}

function findPrograms(): string | null {
  const installed = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER).sort().toReversed() : [];
  const folders = [
    ...(process.env.PATH ?? "").split(delimiter),
    ...installed.map((version) => join(DEBIAN_FOLDER, version, "bin")),
  ];
  return (
    folders.find((folder) =>
      ["initdb", "postgres", "pg_basebackup"].every((name) => existsSync(join(folder, name))),
    ) ?? null
  );
}

/** Postgres refuses to run as root. */
export function unprivileged(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  for (const user of ["postgres", "nobody"]) {
    try {
      const id = (flag: string) =>
        Number(execFileSync("id", [flag, user], { stdio: ["ignore", "pipe", "ignore"] }));
      return { uid: id("-u"), gid: id("-g") };
    } catch {
      // There is no such user on this machine.
    }
  }
  return null;
}
