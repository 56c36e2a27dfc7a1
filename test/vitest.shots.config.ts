import { defineConfig } from "vitest/config";
import { buildStorage, builtThread } from "./support/build.ts";

await buildStorage();

export default defineConfig({
  plugins: [builtThread],
  test: {
    root: ".",
    include: ["test/shots/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
