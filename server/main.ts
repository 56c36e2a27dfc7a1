import cluster from "node:cluster";
import { parseArgs } from "node:util";
import type { Logger } from "pino";
import { readConfig, settingWarnings, type Config } from "./config.ts";
import { reasonOf } from "./failure.ts";
import { newLog } from "./process/log.ts";
import { supervise } from "./process/primary.ts";
import type { Started } from "./process/serving.ts";

// Files that this process writes are readable only by their owner, in any folder.
process.umask(0o077);

try {
  // `tidemark start` comes here too, with its own name as a positional.
  const { values } = parseArgs({ options: { demo: { type: "boolean" } }, allowPositionals: true });
  const settings = readConfig();
  const config = values.demo ? { ...settings, wantsDemoData: true } : settings;
  const log = newLog(config);
  if (cluster.isWorker) {
    const { work } = await import("./process/worker.ts");
    await work(config, log);
  } else {
    for (const warning of settingWarnings()) log.warn(warning);
    const { url, news } = await (config.workers > 1 ? supervise(config, log) : serveAlone(config, log));
    if (news !== null) process.stdout.write(`${news}\n`);
    process.stdout.write(`Tidemark listens on ${url}\n`);
  }
} catch (error) {
  process.stderr.write(`Tidemark can't start: ${reasonOf(error)}\n`);
  process.exit(1);
}

/** Only serving processes load the server. The primary of several workers does without it. */
async function serveAlone(config: Config, log: Logger): Promise<Started> {
  const { serve } = await import("./process/serving.ts");
  return serve(config, { log });
}
