import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { STORAGE_MODULE } from "../support/build.ts";

/** Makes every write past the first MiB (blocks of 512 or 1,024 bytes) of a file fail, as on a full disk. */
const LIMITED = 'ulimit -S -f 1024; exec "$@"';

// Lifting the limit needs prlimit, which only Linux has.
it.skipIf(!hasPrlimit()).each(["sqlite"])(
  "refuses writes while the disk is full, can be backed up, and writes again when there is room (%s)",
  async (scheme) => {
    const folder = mkdtempSync(join(tmpdir(), "tidemark-full-"));
    const child = [process.execPath, "test/support/storage-full.mjs", STORAGE_MODULE, `${scheme}:${folder}`];
    const { stdout } = await promisify(execFile)("sh", ["-c", LIMITED, "sh", ...child]);
    rmSync(folder, { recursive: true });
    const { kinds, refusedCount, refusedLaterCount, acknowledged, found, total, copied, acknowledgedCount } =
      JSON.parse(stdout);
    expect(kinds).toEqual(["unavailable: The store could not be written to; try again"]);
    expect(refusedCount).toBeGreaterThan(100);
    expect(refusedLaterCount).toBe(0);
    const pairs = acknowledged.flatMap((id: number) => [id, -id]);
    expect(copied.toSorted()).toEqual(pairs.slice(0, 2 * acknowledgedCount).toSorted());
    expect(found.toSorted()).toEqual(pairs.toSorted());
    expect(total).toBe(found.length);
  },
);

function hasPrlimit(): boolean {
  try {
    execFileSync("prlimit", ["--version"]);
    return true;
  } catch {
    return false; // not Linux: nothing else can lift the limit of a running process
  }
}
