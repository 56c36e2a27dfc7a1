import { defineConfig } from "vitest/config";
export default defineConfig({
  test: {
    root: ".",
    setupFiles: ["test/support/seed.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    isolate: false,
    expect: { poll: { timeout: 20_000 } },
  },
});
