// Makes a large store on SQLite out of a small one, by way of an export with one of its commissions many times.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createWriteStream, readFileSync } from "node:fs";
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
 * @param {{promoters: number, commissions: number, change: (id: number) => object, others?: (promoters: object[]) => Iterable<object>}} options
 * `change`: what differs in a commission. `others`: further lines of the export.
 */
export async function multiply(folder, { promoters, commissions, change, others = () => [] }) {
  const server = await startTidemark(`sqlite:${join(folder, "small")}`);
  const seed = ["seed", "bench", "--promoters", String(promoters), "--leads", "0", "--sales", "0"];
  await tidemark(folder, "small", ...seed);
  await post(server.url, "/api/v1/rewards/create", KEY, "promotion_id=1&reward_type=cash&amount=1000");
  server.child.kill("SIGTERM");
  await server.ended;
  await tidemark(folder, "small", "export", join(folder, "small.jsonl"));
  const [header, ...lines] = readFileSync(join(folder, "small.jsonl"), "utf8").trimEnd().split("\n");
  const items = lines.slice(0, -1).map((line) => JSON.parse(line));
  await write(join(folder, "large.jsonl"), header, many(items, { commissions, change, others }));
  const startedAt = performance.now();
  await tidemark(folder, "large", "import", join(folder, "large.jsonl"));
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(`${commissions} commissions of ${promoters} promoters: imported in ${seconds} s`);
}

function* many(items, { commissions, change, others }) {
  const promoters = items.filter(({ collection }) => collection === "promoter").map(({ record }) => record);
  for (const { collection, record } of items) {
    if (collection === "ids" && record.kind === "commission") record.next = commissions + 1_000;
    if (collection !== "commission") {
      yield { collection, record };
      continue;
    }
    for (let id = 1; id <= commissions; id++) {
      const promoter = promoters[id % promoters.length];
      const owner = { promoter_id: promoter.id, promoter_campaign_id: promoter.default_promoter_campaign_id };
      yield { collection, record: { ...record, ...owner, id, ...change(id) } };
    }
  }
  yield* others(promoters);
}

async function write(path, header, items) {
  const file = createWriteStream(path);
  const hash = createHash("sha256");
  let entries = 0;
  file.write(`${header}\n`);
  for (const item of items) {
    const line = `${JSON.stringify(item)}\n`;
    hash.update(line);
    entries += 1;
    if (!file.write(line)) await once(file, "drain");
  }
  file.end(`${JSON.stringify({ entries, sha256: hash.digest("hex") })}\n`);
  await once(file, "finish");
}
