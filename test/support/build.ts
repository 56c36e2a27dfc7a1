import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

/** What tests make for each other. Within the project, so that its packages are found. */
export const FOLDER = resolve("node_modules/.cache/tidemark");

/** The storage layer as JavaScript, for processes that the tests start. */
export const STORAGE_MODULE = resolve(FOLDER, "module.js");

/** The file that SQLite's reading threads begin with. */
const SQLITE_READER = resolve(FOLDER, "sqlite-reader.js");

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
