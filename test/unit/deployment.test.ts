import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readConfig, SETTINGS } from "../../server/config.ts";
import { STOP_MS } from "../../server/process/serving.ts";
import { temporaryFolder } from "../support/server.ts";

const read = (file: string) => readFileSync(file, "utf8");
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name!);

it("keeps everything except the build's own files out of images", () => {
  const [all, ...kept] = read(".dockerignore")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  expect(all).toBe("*");
  for (const line of kept) expect(existsSync(line.slice(1)), line).toBe(true);
  const copied = matches(read("Dockerfile"), /^COPY (?!--from)(.*) \S+$/gm).flatMap((names) =>
    names.split(" "),
  );
  for (const name of copied.filter((each) => each !== ".")) expect(kept).toContain(`!${name}`);
});

it("gives containers only settings that exist", () => {
  const ofCompose = matches(read("compose.yaml"), /^ {6}([A-Z_]+): /gm).filter(
    (name) => !name.startsWith("POSTGRES"),
  );
  expect(ofCompose).toContain("PUBLIC_URL");
  const known = [...SETTINGS, "TIDEMARK_SECRET_FILE"];
  expect(known).toEqual(expect.arrayContaining([...Object.keys(imageSettings()), ...ofCompose]));
});

it("starts an image that browsers reach, whose store, key and owner's link are in its volume, and whose secret is in another", () => {
  expect(readConfig(imageSettings())).toMatchObject({
    host: "0.0.0.0",
    port: 3_000,
    public_url: "http://localhost:3000",
    storageUrl: "sqlite:/data",
    filesUrl: "/data/files",
    keyFile: "/data/first-key",
    secretFile: "/key/tidemark.key",
  });
});

it("lets only the machine itself reach the composed server, and has no password of its own", () => {
  const text = read("compose.yaml");
  expect(matches(text, /^ +ports: (.*)$/gm)).toEqual(['["127.0.0.1:${PORT:-3000}:3000"]']);
  const passwords = matches(text, /\$\{(POSTGRES_PASSWORD[^}]*)\}/g);
  expect(passwords).toHaveLength(2);
  for (const password of passwords) expect(password).toMatch(/^POSTGRES_PASSWORD:\?\w/);
});

it("gives composed services limited logs and more time to stop than they need", () => {
  const text = read("compose.yaml");
  const services = matches(
    text.slice(text.indexOf("\nservices:"), text.indexOf("\nvolumes:")),
    /^ {2}(\w+):$/gm,
  );
  expect(text).toContain('options: { max-size: 10m, max-file: "5" }');
  expect(matches(text, /^ {4}(logging: \*log)$/gm)).toHaveLength(services.length);
  const seconds = matches(text, /^ {4}stop_grace_period: (\d+)s$/gm);
  expect(seconds).toHaveLength(services.length);
  for (const each of seconds) expect(Number(each) * 1_000).toBeGreaterThan(STOP_MS);
});

describe("units for systemd", () => {
  const unit = read("docs/tidemark.service");
  /** Those that docs/going-live.md shows, each with its name in the first line. */
  const shown = [
    ...read("docs/going-live.md").matchAll(/```ini\n# \/etc\/systemd\/system\/(\S+)\n(.*?)```/gs),
  ];
  const units = [["tidemark.service", unit], ...shown.map(([, name, text]) => [name!, text!])] as const;

  it.runIf(hasSystemd())("have nothing that systemd finds wrong", () => {
    const { folder, remove } = temporaryFolder();
    for (const [name, text] of units) {
      // Not every machine has Litestream, nor Node at that place.
      writeFileSync(join(folder, name), text.replaceAll(/\/usr\/bin\/(node|litestream)/g, process.execPath));
    }
    const verify = (name: string) => {
      const file = join(folder, name);
      const { status, stdout, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", file]);
      return { status, said: `${stdout.toString()}${stderr.toString()}` };
    };
    expect(units.map(([name]) => name)).toEqual([
      "tidemark.service",
      "tidemark-backup.service",
      "tidemark-backup.timer",
      "tidemark-litestream.service",
    ]);
    for (const [name] of units) expect(verify(name), name).toEqual({ status: 0, said: "" });
    // systemd-analyze ends with 0 after most faults, so the text counts.
    writeFileSync(join(folder, "tidemark.service"), unit.replace("RestartSec=5", "RestartSec=often"));
    expect(verify("tidemark.service").said).toContain("ignoring: often");
    remove();
  });

  it("wait for the network and the database, try again, and have more time to stop than they need", () => {
    for (const line of [
      "After=network-online.target postgresql.service",
      "StartLimitIntervalSec=0",
      "EnvironmentFile=/etc/tidemark/tidemark.env",
      "Restart=on-failure",
      "RestartSec=5",
    ]) {
      expect(unit.split("\n")).toContain(line);
    }
    const [seconds] = matches(unit, /^TimeoutStopSec=(\d+)$/gm);
    expect(Number(seconds) * 1_000).toBeGreaterThan(STOP_MS);
  });
});

it("starts servers by node, because npm would build first and stand between them and their signals", () => {
  const production = [
    "docs/tidemark.service",
    "Dockerfile",
    "compose.yaml",
    "docs/operators.md",
    "docs/going-live.md",
  ];
  for (const file of production.filter(existsSync)) {
    const lines = read(file).split("\n");
    expect(
      lines.filter((line) => /npm (run )?start/.test(line) && !line.includes("--demo")),
      file,
    ).toEqual([]);
  }
});

it("switches off the telemetry of a package of the documents' viewer, which reports each installation", () => {
  expect(JSON.parse(read("package.json"))).toMatchObject({ scarfSettings: { enabled: false } });
  expect(read("package-lock.json")).toContain('"node_modules/@scarf/scarf"');
});

it("tells no one to run a package by a name that npm would look up", () => {
  const files = ["docs", "server", "client", "README.md", "CONTRIBUTING.md", "compose.yaml"].flatMap(
    (place) =>
      place.includes(".")
        ? [place]
        : readdirSync(place, { recursive: true, encoding: "utf8" }).map((name) => join(place, name)),
  );
  const found = files
    .filter((file) => /\.(md|tsx?|html|service|yaml)$/.test(file))
    .filter((file) => /\b(npx|npm exec|npm i(nstall)? -g|pnpm dlx|bunx) (-\S+ )*tidemark\b/.test(read(file)));
  expect(files.length).toBeGreaterThan(500);
  expect(found).toEqual([]);
});

function hasSystemd(): boolean {
  return spawnSync("systemd-analyze", ["--version"]).status === 0;
}

/** The settings that the Dockerfile makes, apart from Node's own. */
function imageSettings(): Record<string, string> {
  const pairs = [
    ...read("Dockerfile")
      .replace(/^#.*/gm, "")
      .matchAll(/\b([A-Z_]+)=(\S+)/g),
  ];
  return Object.fromEntries(
    pairs.map(([, name, value]) => [name!, value!]).filter(([name]) => name !== "NODE_ENV"),
  );
}
