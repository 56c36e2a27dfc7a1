import { textsOf } from "../support/exports.ts";
import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { FOLDER } from "../support/build.ts";
import { runCli } from "../support/cli.ts";
import { ACCOUNT, startServer, temporaryFolder, v2, type Server } from "../support/server.ts";

let folder: string;
let remove: () => void;
let servers: Server[];
beforeEach(() => {
  ({ folder, remove } = temporaryFolder());
  servers = [];
});
afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  remove();
});

interface Build {
  dist: string;
  /** The texts of its script files, by their paths. */
  files: Record<string, string>;
}

/** The build in a folder. */
function buildIn(dist: string): Build {
  const script = readFileSync(join(dist, "svc.js"), "utf8");
  const more = readdirSync(dist).find((name) => name.startsWith("svc-more."))!;
  return {
    dist,
    files: { [`/svc.${hashOf(script)}.js`]: script, [`/${more}`]: readFileSync(join(dist, more), "utf8") },
  };
}

/** Makes a build whose script has another second file. */
function makeOtherBuild(name: string): Build {
  const dist = join(FOLDER, name, "dist");
  rmSync(dist, { recursive: true, force: true });
  cpSync("dist", dist, { recursive: true });
  cpSync("package.json", join(FOLDER, name, "package.json"));
  const former = readdirSync(dist).find((file) => file.startsWith("svc-more."))!;
  const text = `/* ${name} */${readFileSync(join(dist, former), "utf8")}`;
  const more = `svc-more.${hashOf(text)}.js`;
  rmSync(join(dist, former));
  writeFileSync(join(dist, more), text);
  const script = readFileSync(join(dist, "svc.js"), "utf8");
  writeFileSync(join(dist, "svc.js"), script.replace(former, more));
  return buildIn(dist);
}

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 12);

async function serve({ dist }: Build): Promise<Server> {
  const command: [string, string] = [process.execPath, join(dist, "server/main.js")];
  const server = await startServer(folder, {}, { command });
  servers.push(server);
  return server;
}

async function filesAt({ url }: Server, paths: string[]): Promise<Record<string, string>> {
  const texts = paths.map(async (path) => [path, await (await fetch(url + path)).text()] as const);
  return Object.fromEntries(await Promise.all(texts));
}

it("servers of two builds serve the script files of both, during an update and after it", async () => {
  const [former, today] = [makeOtherBuild("former-script"), buildIn("dist")];
  const all = { ...former.files, ...today.files };
  const old = await serve(former);
  const first = await serve(today);
  expect(await filesAt(first, Object.keys(all))).toEqual(all);
  expect(await filesAt(old, Object.keys(all))).toEqual(all);
  await old.stop();
  expect(await (await fetch(`${first.url}/svc.js`)).text()).toBe(today.files[Object.keys(today.files)[0]!]);
  await first.stop();
  const next = await serve(today);
  expect(await filesAt(next, Object.keys(all))).toEqual(all);
});

it("an account's own script finds its second file after an update", async () => {
  const former = makeOtherBuild("former-script");
  const old = await serve(former);
  expect((await v2(old, "PUT /account", { tracker: { script: "fpr.js" } })).status).toBe(200);
  const cached = await (await fetch(`${old.url}/fpr.js`)).text();
  const more = `/${/svc-more\.[\da-f]+\.js/.exec(cached)![0]}`;
  await old.stop();
  const next = await serve(buildIn("dist"));
  expect(await filesAt(next, [more])).toEqual({ [more]: former.files[more] });
});

it("kept script files are in no export, and `check` and `account remove` ignore them", async () => {
  const server = await serve(buildIn("dist"));
  await server.stop();
  const all = join(folder, "all");
  expect(await runCli(folder, ["export", all])).toMatchObject({ code: 0 });
  expect(Object.values(textsOf(all)).join("")).not.toContain("svc-more");
  expect((await runCli(folder, ["check"])).code).toBe(0);
  expect((await runCli(folder, ["account", "remove", ACCOUNT, "--yes"])).code).toBe(0);
});
