#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { runCommand } from "./cli.ts";

// Whatever is written, a store or a backup, is for its owner alone, in whatever folder.
process.umask(0o077);

await runCommand(process.argv.slice(2), version());

/** The package is the one place that knows it. */
function version(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
