import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: ".",
    include: ["test/{unit,storage,http,client,journey}/**/*.test.ts"],
    testTimeout: 240_000,
    hookTimeout: 120_000,
  },
});
