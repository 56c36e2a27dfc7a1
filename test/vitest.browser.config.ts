import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { buildStorage, builtThread, ENVIRONMENT, MODULE_CACHE } from "./support/build.ts";
import { longestFirst } from "./support/longest-first.ts";
import { IS_LONG } from "./support/rounds.ts";

await buildStorage();

/**
 * These take long and concern few changes: Firefox and WebKit, the Tab key on every page, the viewer of `/docs`, and what the
 * script meets rarely: each of the guide's tags, links followed twice, a server or a second file that does not come. Quicker
 * tests check the script's rules in happy-dom, and its main paths in Chromium.
 */
const RARE = [
  "docs",
  "engines",
  "pages/every-control",
  "repeated-visits",
  "script-cases",
  "survival",
  "tags",
  "two-files",
];
const LEFT_TO_CI = IS_LONG ? [] : RARE.map((file) => `test/browser/${file}.test.ts`);

export default defineConfig({
  plugins: [builtThread],
  test: {
    root: ".",
    env: ENVIRONMENT,
    include: ["test/browser/**/*.test.ts"],
    exclude: LEFT_TO_CI,
    experimental: MODULE_CACHE,
    // A busy machine takes long, and only what doesn't come at all should meet these limits.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    maxWorkers: availableParallelism(),
    // The files of a worker share a browser, and load the server once.
    isolate: false,
    sequence: { sequencer: longestFirst(/\/(engines|script-cases|every-\w+)\.test\.ts$/) },
    expect: { poll: { timeout: 120_000 } },
    // CI may keep only the message of a failure, so it shows values whole, unless they are as large as a page of Playwright.
    chaiConfig: { truncateThreshold: 100_000 },
  },
});
