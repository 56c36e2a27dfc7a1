import { pathToFileURL } from "node:url";
import { defineConfig } from "vitest/config";

/** Node can't start a thread on TypeScript sources, so SQLite's writer is the built one. */
const builtThread = {
  name: "built-thread",
  transform(code: string, id: string) {
    if (!id.endsWith("sqlite/committer.ts")) return null;
    return code.replace("./sqlite-thread.js", pathToFileURL("dist/server/sqlite-thread.js").href);
  },
};

export default defineConfig({
  plugins: [builtThread],
  test: {
    root: ".",
    testTimeout: 240_000,
    hookTimeout: 120_000,
    projects: [
      // Loading the server anew for each file took longer than its tests, which share nothing but its code.
      { extends: true, test: { name: "http", include: ["test/http/**/*.test.ts"], isolate: false } },
      {
        extends: true,
        test: { name: "others", include: ["test/{unit,storage,client,journey}/**/*.test.ts"] },
      },
    ],
  },
});
