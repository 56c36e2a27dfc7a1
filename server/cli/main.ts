#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { runCommand } from "./cli.ts";

// Stores and backups are readable by their owner alone, in whatever folder they are.
process.umask(0o077);

await runCommand(process.argv.slice(2), version());

/** Reads the version from package.json, so that it is written in one place only. */
function version(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
