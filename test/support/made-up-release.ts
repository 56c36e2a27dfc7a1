import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LAYOUT } from "../../server/storage/layout.ts";
import type { Migration } from "../../server/storage/migrations.ts";
import { FOLDER } from "./build.ts";

/** The layout of the made-up release. */
export const NEXT_LAYOUT = LAYOUT + 1;

/** Its migration: promoters get a nickname, which is their first name at first, and an index on it. */
const NICKNAME: Migration = {
  about: "Promoters have a nickname.",
  sqlite: [
    "alter table promoters add column nickname text",
    "update promoters set nickname = profile ->> '$.first_name'",
    "create index promoters_nickname on promoters (account_id, nickname, id)",
  ],
  postgres: [
    'alter table promoters add column nickname text collate "C"',
    "update promoters set nickname = profile ->> 'first_name'",
    "create index promoters_nickname on promoters (account_id, nickname, id)",
  ],
};

/** Makes a copy of the build that stands for the next release, and returns its folder. */
export function makeNextRelease(): string {
  const folder = join(FOLDER, "next-release", "dist");
  rmSync(folder, { recursive: true, force: true });
  cpSync("dist", folder, { recursive: true });
  cpSync("package.json", join(folder, "../package.json"));
  edit(folder, /^const MIGRATIONS = \[\];$/m, `const MIGRATIONS = ${JSON.stringify([NICKNAME])};`);
  edit(
    folder,
    /(table\("promoter", promoterFields(?:\$\d+)?, \{\n\tderived: \{)/,
    '$1 nickname: ["text", ({ profile }) => profile.first_name],',
  );
  return folder;
}

/** Changes the one place of the server's build that matches. Which code is in which file depends on how the build is cut. */
function edit(folder: string, before: RegExp, after: string): void {
  const files = readdirSync(join(folder, "server"))
    .filter((name) => name.endsWith(".js"))
    .map((name) => join(folder, "server", name))
    .filter((file) => before.test(readFileSync(file, "utf8")));
  if (files.length !== 1) throw new Error(`The build has ${before} not once`);
  const text = readFileSync(files[0]!, "utf8");
  writeFileSync(files[0]!, text.replace(before, after));
}
