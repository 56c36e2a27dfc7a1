import { availableParallelism } from "node:os";
import { pathToFileURL } from "node:url";
import { defineConfig } from "vitest/config";
import { buildStorage, SQLITE_THREAD } from "./support/build.ts";
import { IS_QUICK } from "./support/rounds.ts";

await buildStorage();

/** SQLite's writer runs on a thread, which needs JavaScript. */
const builtThread = {
  name: "built-thread",
  transform(code: string, id: string) {
    if (!id.endsWith("sqlite/committer.ts")) return null;
    return code.replace("./sqlite-thread.js", pathToFileURL(SQLITE_THREAD).href);
  },
};

/** A third of the time of the quick tests went to these few. */
const LEFT_OUT = IS_QUICK ? ["test/http/**/{races-*,money-laws,typed-clients}.test.ts"] : [];

export default defineConfig({
  plugins: [builtThread],
  test: {
    root: ".",
    testTimeout: 240_000,
    hookTimeout: 120_000,
    // Vitest would leave one core free. Tests that start processes often wait, so more files than cores run.
    maxWorkers: availableParallelism() + 2,
    projects: [
      // Loading the server again for each file takes longer than its tests, which share nothing except its
      // code.
      {
        extends: true,
        test: {
          name: "in process",
          include: ["test/{http,unit}/**/*.test.ts"],
          exclude: LEFT_OUT,
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: "others", include: ["test/{storage,client,journey}/**/*.test.ts"] },
      },
    ],
  },
});
