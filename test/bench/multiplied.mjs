// Makes a large store on SQLite out of a small one, by way of an export with one of its commissions many times.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { KEY, post, startTidemark } from "./servers.mjs";

const run = promisify(execFile);

/** Runs a command on a store in the folder. */
export function tidemark(folder, store, ...words) {
  const env = { ...process.env, STORAGE_URL: `sqlite:${join(folder, store)}` };
  return run(process.execPath, ["dist/server/cli.js", ...words], { env, maxBuffer: 1e9 });
}

/**
 * Makes the store `large` in a folder.
 *
 * @param {{promoters: number, commissions: number, change: (id: number) => object, others?: (promoters: object[]) => Iterable<{file: string, record: object}>}} options
 * `change`: what differs in a commission. `others`: further records of the export.
 */
export async function multiply(folder, { promoters, commissions, change, others = () => [] }) {
  const server = await startTidemark(`sqlite:${join(folder, "small")}`);
  const seed = ["seed", "bench", "--promoters", String(promoters), "--leads", "0", "--sales", "0"];
  await tidemark(folder, "small", ...seed);
  await post(server.url, "/api/v1/rewards/create", KEY, "promotion_id=1&reward_type=cash&amount=1000");
  server.child.kill("SIGTERM");
  await server.ended;
  const [from, to] = ["small-export", "large-export"].map((name) => join(folder, name));
  await tidemark(folder, "small", "export", from);
  const manifest = JSON.parse(readFileSync(join(from, "tidemark.json"), "utf8"));
  manifest.next_ids.commission = commissions + 1_000;
  const files = newFiles(to);
  const read = (name) =>
    readFileSync(join(from, name), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  for (const name of Object.keys(manifest.files)) {
    if (name !== "commissions.jsonl") for (const record of read(name)) await files.write(name, record);
  }
  const owners = read("promoters.jsonl");
  const [commission] = read("commissions.jsonl");
  for (let id = 1; id <= commissions; id++) {
    const promoter = owners[id % owners.length];
    const owner = { promoter_id: promoter.id, promoter_campaign_id: promoter.default_promoter_campaign_id };
    await files.write("commissions.jsonl", { ...commission, ...owner, id, ...change(id) });
  }
  for (const { file, record } of others(owners)) await files.write(file, record);
  manifest.files = await files.end();
  writeFileSync(join(to, "tidemark.json"), JSON.stringify(manifest));
  const startedAt = performance.now();
  await tidemark(folder, "large", "import", to);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(`${commissions} commissions of ${promoters} promoters: imported in ${seconds} s`);
}

/** Writes the files of an export. */
function newFiles(folder) {
  mkdirSync(folder);
  const files = new Map();
  return {
    async write(name, record) {
      if (!files.has(name)) {
        files.set(name, {
          stream: createWriteStream(join(folder, name)),
          hash: createHash("sha256"),
          records: 0,
        });
      }
      const file = files.get(name);
      const line = `${JSON.stringify(record)}\n`;
      file.hash.update(line);
      file.records += 1;
      if (!file.stream.write(line)) await once(file.stream, "drain");
    },
    async end() {
      const ends = [...files].map(async ([name, { stream, hash, records }]) => {
        stream.end();
        await once(stream, "finish");
        return [name, { records, sha256: hash.digest("hex") }];
      });
      return Object.fromEntries(await Promise.all(ends));
    },
  };
}
