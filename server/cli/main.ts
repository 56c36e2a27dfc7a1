#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { runCommand } from "./cli.ts";

// Only their owner may read stores and backups.
process.umask(0o077);

await runCommand(process.argv.slice(2), version());

/** The version from package.json. */
function version(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
