import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { pathToFileURL } from "node:url";
import { basename, resolve } from "node:path";

/** What tests make for each other. Within the project, so that its packages are found. Several work trees may share those. */
export const FOLDER = resolve("node_modules/.cache/tidemark", basename(process.cwd()));

/** A folder that Linux keeps in memory. */
const IN_MEMORY = "/dev/shm";
const ENOUGH_BYTES = 4 * 2 ** 30;

/** Where the stores, clusters and other files of the tests are: if possible where no commit waits for a disk. */
export const TMPDIR = roomIn(IN_MEMORY) > ENOUGH_BYTES ? IN_MEMORY : tmpdir();

/** Modules without their types are kept from run to run, by the hash of their content: making them takes a fifth of the time. */
export const MODULE_CACHE = { fsModuleCache: true, fsModuleCachePath: resolve(FOLDER, "modules") };

/** The environment of tests. The servers that they start, and the stores that they open themselves, have one key. */
export const ENVIRONMENT = { TMPDIR, TIDEMARK_SECRET: Buffer.alloc(32, "k").toString("base64") };

/** The storage layer as JavaScript, for processes that the tests start. */
export const STORAGE_MODULE = resolve(FOLDER, "module.js");

/** The file that SQLite's reading threads begin with. */
const SQLITE_READER = resolve(FOLDER, "sqlite-reader.js");

/** The free bytes of a file system. 0: there is none. */
function roomIn(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/** Lets tests that run a server within their own process start those threads. */
export const builtThread = {
  name: "built-thread",
  transform(code: string, id: string) {
    if (!id.endsWith("sqlite/readers.ts")) return null;
    return code.replace("./sqlite-reader.js", pathToFileURL(SQLITE_READER).href);
  },
};

/** Bundles both: Node can start neither threads nor processes on TypeScript. Takes a quarter of a second. */
export async function buildStorage(): Promise<void> {
  // Tests that need only the paths are spared the loading.
  const { build } = await import("vite");
  await build({
    configFile: false,
    logLevel: "error",
    build: {
      ssr: true,
      minify: false,
      outDir: FOLDER,
      // Another run may be using the files.
      emptyOutDir: false,
      rollupOptions: {
        input: {
          module: "test/support/storage-module.ts",
          "sqlite-reader": "server/storage/engines/sqlite/reader-thread.ts",
        },
        // The module starts the thread from the file beside it.
        output: { entryFileNames: "[name].js", chunkFileNames: "[name].js" },
      },
    },
  });
}
