import { defineConfig } from "vitest/config";
import { buildStorage, builtThread, ENVIRONMENT } from "./support/build.ts";

await buildStorage();

export default defineConfig({
  plugins: [builtThread],
  test: {
    root: ".",
    env: ENVIRONMENT,
    include: ["test/browser/**/*.test.ts"],
    // A busy machine takes long. What doesn't come at all is noticed after half a minute.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    fileParallelism: false,
    // The files share a browser, and load the server once.
    isolate: false,
    expect: { poll: { timeout: 30_000 } },
  },
});
