import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LAYOUT, OLDEST_SERVED } from "../../server/storage/layout.ts";
import { FOLDER } from "./build.ts";

/** The layout of the made-up release. */
export const NEXT_LAYOUT = LAYOUT + 1;

/**
 * Makes a copy of the build that stands for the next release: its layout calls a promoter's `profile` by the name
 * `person`, which today's build can't read. It reads both names, and writes the one of the store's layout. With
 * `servesFormer: false` it serves only stores of its own layout. Returns the folder.
 */
export function makeNextRelease(name: string, { servesFormer }: { servesFormer: boolean }): string {
  const folder = join(FOLDER, name, "dist");
  rmSync(folder, { recursive: true, force: true });
  cpSync("dist", folder, { recursive: true });
  cpSync("package.json", join(FOLDER, name, "package.json"));
  const file = storageOf(join(folder, "server"));
  let text = readFileSync(file, "utf8");
  function change(before: string, after: string): void {
    if (text.split(before).length !== 2) throw new Error(`The build has ${before} not once`);
    text = text.replace(before, after);
  }
  change(`const LAYOUT = ${LAYOUT};`, `const LAYOUT = ${NEXT_LAYOUT};`);
  change(
    `const OLDEST_SERVED = ${OLDEST_SERVED};`,
    `const OLDEST_SERVED = ${servesFormer ? LAYOUT : NEXT_LAYOUT};`,
  );
  change("freeze(JSON.parse(text))", "freeze(readForm(text))");
  change(
    "return entries.map(([, text]) => JSON.parse(text));",
    "return entries.map(([, text]) => readForm(text));",
  );
  const found = "texts.filter((text) => text !== null)";
  change(`${found}.map((text) => JSON.parse(text));`, `${found}.map((text) => readForm(text));`);
  change("JSON.stringify(after));\n}", "writtenForm(after));\n}");
  change(
    "const watched = watchLayout(driver);",
    "const watched = watchLayout(driver); layoutNow = watched.layout;",
  );
  writeFileSync(file, `${text}\n${FORMS}`);
  return folder;
}

/** The file of the build that holds the storage layer. Its name depends on how the build is cut. */
function storageOf(folder: string): string {
  const files = readdirSync(folder).filter((name) => name.endsWith(".js"));
  const found = files
    .map((name) => join(folder, name))
    .filter((file) => /^const LAYOUT = /m.test(readFileSync(file, "utf8")));
  if (found.length !== 1) throw new Error("The build defines LAYOUT not once");
  return found[0]!;
}

const FORMS = `
let layoutNow = () => LAYOUT;
function readForm(text) {
  const record = JSON.parse(text);
  if (record.person === undefined) return record;
  const { person, ...rest } = record;
  return { ...rest, profile: person };
}
function writtenForm(record) {
  if (record.profile === undefined || layoutNow() < LAYOUT) return JSON.stringify(record);
  const { profile, ...rest } = record;
  return JSON.stringify({ ...rest, person: profile });
}
`;
