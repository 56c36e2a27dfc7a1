// `npm start` and the tests build only if a source is newer than what was built from it.
import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";

const SOURCES = [
  "client",
  "server",
  "rollup.config.mjs",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
];
/** Each build removes it first and writes it last, with the time of its beginning. */
const MARK = "dist/built";

if (newest(SOURCES) > (statSync(MARK, { throwIfNoEntry: false })?.mtimeMs ?? 0)) {
  const { status } = spawnSync("npm", ["run", "--silent", "build"], { stdio: "inherit" });
  process.exitCode = status ?? 1;
}

/** When any of these files changed last. A folder changes when a file in it comes or goes. */
function newest(paths) {
  const found = [...paths];
  for (const path of paths) {
    if (!statSync(path).isDirectory()) continue;
    for (const name of readdirSync(path, { recursive: true })) found.push(`${path}/${name}`);
  }
  return Math.max(...found.map((path) => statSync(path).mtimeMs));
}
