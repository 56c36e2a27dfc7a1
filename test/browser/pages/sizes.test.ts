import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";

const sizeOf = (name: string) => gzipSync(readFileSync(`dist/pages/${name}`), { level: 9 }).length;

it.each(["dashboard", "portal", "join"])("%s shows its first page after little to load", (app) => {
  const names = JSON.parse(readFileSync(`dist/pages/${app}.json`, "utf8")) as {
    script: string;
    preloads: string[];
    style: string;
    languages: Record<string, string>;
    files: string[];
  };
  const first = [names.script, ...names.preloads];
  const languages = Object.values(names.languages);
  const others = names.files.filter(
    (name) => name.endsWith(".js") && ![...first, ...languages].includes(name),
  );
  const largest = (files: string[]) => Math.max(0, ...files.map(sizeOf));
  const script = first.map(sizeOf).reduce((sum, size) => sum + size, largest(others) + largest(languages));
  expect(script).toBeLessThanOrEqual(60 * 1024);
  expect(sizeOf(names.style)).toBeLessThanOrEqual(12 * 1024);
});
