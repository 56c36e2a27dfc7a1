import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LAYOUT, OLDEST_SERVED } from "../../server/storage/layout.ts";
import { FOLDER } from "./build.ts";

/** The layout of the made-up release. */
export const NEXT_LAYOUT = LAYOUT + 1;

/**
 * Makes a copy of the build that stands for the next release: its layout calls a promoter's `profile` by the name
 * `person`, which today's build can't read. It reads both names, and writes the one of the store's layout. With
 * `servesFormer: false` it serves only stores of its own layout: its migration makes all promoters anew, with one column more.
 * Returns the folder.
 */
export function makeNextRelease(name: string, { servesFormer }: { servesFormer: boolean }): string {
  const folder = join(FOLDER, name, "dist");
  rmSync(folder, { recursive: true, force: true });
  cpSync("dist", folder, { recursive: true });
  cpSync("package.json", join(FOLDER, name, "package.json"));
  const server = join(folder, "server");
  edit(server, /^const LAYOUT = /m, "", [
    [`const LAYOUT = ${LAYOUT};`, `const LAYOUT = ${NEXT_LAYOUT};`],
    [
      `const OLDEST_SERVED = ${OLDEST_SERVED};`,
      `const OLDEST_SERVED = ${servesFormer ? LAYOUT : NEXT_LAYOUT};`,
    ],
    [
      "const watched = watchLayout(engine, elapsedMs);",
      "const watched = watchLayout(engine, elapsedMs); globalThis.layoutNow = watched.layout;",
    ],
  ]);
  const plain = "if (declared === undefined || isSealed(record) || !declared.isSecret(record)) return ";
  edit(server, /^function docOf\(/m, WRITTEN_FORM, [
    [`${plain}JSON.stringify(record);`, `${plain}writtenForm(record);`],
  ]);
  if (!servesFormer) {
    const migration = `{ layout: ${NEXT_LAYOUT}, remade: [{ table: tableNamed("promoter"), change: (record) => record }] }`;
    edit(server, /^const MIGRATIONS = /m, `MIGRATIONS.push(${migration});\n`, []);
    const columns = 'name: "promoter",\n\tcolumns: {';
    const added = 'nickname: ["text", ({ profile }) => profile.firstName],';
    edit(server, /^const promoters(\$\d+)? = table/m, "", [[columns, `${columns} ${added}`]]);
  }
  const parse = "function parseStored(kind, text) {\n\ttry {\n\t\treturn ";
  edit(server, /^function parseStored/m, READ_FORM, [
    [`${parse}JSON.parse(text);`, `${parse}readForm(text);`],
  ]);
  return folder;
}

/**
 * Changes the one file of the build that matches, and appends to it. Which code is in which file depends on how the build is
 * cut.
 */
function edit(
  folder: string,
  pattern: RegExp,
  appended: string,
  changes: [before: string, after: string][],
): void {
  const files = readdirSync(folder).filter((name) => name.endsWith(".js"));
  const found = files
    .map((name) => join(folder, name))
    .filter((file) => pattern.test(readFileSync(file, "utf8")));
  if (found.length !== 1) throw new Error(`The build has ${pattern} not once`);
  let text = readFileSync(found[0]!, "utf8");
  for (const [before, after] of changes) {
    if (text.split(before).length !== 2) throw new Error(`The build has ${before} not once`);
    text = text.replace(before, after);
  }
  writeFileSync(found[0]!, `${text}\n${appended}`);
}

const READ_FORM = `
function readForm(text) {
  const record = JSON.parse(text);
  if (record.person === undefined) return record;
  const { person, ...rest } = record;
  return { ...rest, profile: person };
}
`;

/** Only a server has a store whose layout may be the former one. */
const WRITTEN_FORM = `
function writtenForm(record) {
  const layout = globalThis.layoutNow?.() ?? ${NEXT_LAYOUT};
  if (record.profile === undefined || layout < ${NEXT_LAYOUT}) return JSON.stringify(record);
  const { profile, ...rest } = record;
  return JSON.stringify({ ...rest, person: profile });
}
`;
