import { readFileSync } from "node:fs";
import type { Logger } from "pino";
import { createApp, createMetricsApp, type Pages } from "../app.ts";
import type { Config } from "../config.ts";
import {
  openConfiguredFiles,
  openConfiguredStore,
  newWeaknessLog,
  upgradeStoreAtStart,
  watchStore,
  WEAKNESS_MS,
} from "./configured-store.ts";
import { PROCESS } from "../domain/access/audit/audit.ts";
import { findFirstAccount } from "../domain/program/account/account.ts";
import { recordSetup } from "../domain/people/sighting.ts";
import { systemChance } from "../domain/context.ts";
import { needsDemoData } from "../domain/seed/seed.ts";
import { demoNews, fillWithDemo, firstStart, requireAccounts } from "./first-start.ts";
import { newListener, type Listener } from "../http/listener.ts";
import {
  ALLOWED,
  newLimits,
  newAfterwards,
  newContext,
  newOutageLog,
  type Services,
} from "../request/services.ts";
import { newSightingRecorder } from "../request/sighting-recorder.ts";
import type { Figures, Metrics, ProcessMetrics } from "../request/metrics.ts";
import { openOutbox, type Dispatcher } from "../outbox/dispatcher.ts";
import { EMAIL_TEXTS, openTemplates, writeEmail } from "../outbox/email-template.ts";
import { loadReadiness, takeStock } from "../request/observation.ts";
import { openMail } from "../outgoing/mail.ts";
import { newFetchPage } from "../outgoing/page.ts";
import { newPost } from "../outgoing/post.ts";
import { newUploads } from "../outgoing/uploads.ts";
import { newAskVies } from "../outgoing/vies.ts";
import type { Makes } from "../storage/open.ts";
import type { Store } from "../storage/store.ts";
import { storeText } from "../http/answer.ts";
import { readBuiltPages } from "../web/pages.ts";
import { newJobs, type Scheduler } from "./jobs.ts";

/** The outcome of a start. */
export interface Started {
  url: string;
  /** Text about the first account, made by the store's first start, or null after later starts. */
  news: string | null;
}

/** The parts of a serving process that depend on how it was started. */
export interface Surroundings {
  log: Logger;
  /** What the start may make if there is no store. */
  makes?: Makes;
  /** Shares this process's metrics with the other workers. */
  shareMetrics?: (own: ProcessMetrics) => Metrics;
}

/** Serves until a signal stops it. Resolves when it listens. */
export async function serve(
  config: Config,
  { log, makes = "store", shareMetrics = (own) => own }: Surroundings,
): Promise<Started> {
  const { metricsAt, metricsToken } = config;
  const areMetricsShown = metricsAt !== null || metricsToken !== null;
  const counts = { commits: 0, conflicts: 0 };
  const opened = await openConfiguredStore(config, {
    makes,
    notify: (notice) => log.warn(notice),
    prepare: (engine) => upgradeStoreAtStart(engine, config, log),
  });
  const store = areMetricsShown ? countedStore(opened, counts) : opened;
  await requireAccounts(store);
  const lookAtWeaknesses = newWeaknessLog(store, log);
  await lookAtWeaknesses();
  const sightings = newSightingRecorder({ store, log, clock: () => new Date() });
  const isReady = async () => (await loadReadiness(store)).obstacle === null;
  const metrics = areMetricsShown
    ? shareMetrics(
        await openMetrics({
          counts,
          isReady,
          sightings,
          stock: async () => ((await isReady()) ? takeStock(store, new Date()) : null),
        }),
      )
    : null;
  const limits = newLimits({ ...ALLOWED, ...config.rateLimits }, store.limits);
  const isFirstStart = (await findFirstAccount(store)) === null;
  const needsDemo = await needsDemoData(store, config.wantsDemoData);
  const answersEarly = !isFirstStart && !needsDemo;
  const files = openConfiguredFiles(config);
  const templates = await openTemplates(files, { log });
  const scripts = readScripts();
  await keepScripts(scripts, { store, log });
  const listener = newListener();
  const port = await openPort(listener, config, `HOST ${config.host} and PORT ${config.port}`);
  const url = `http://${config.host}:${port}`;
  const publicUrl = config.public_url ?? url;
  const write: Services["writeEmail"] = (email) => writeEmail(templates() ?? EMAIL_TEXTS, email);
  const uploads = newUploads(files.uploads, systemChance.token);
  const parts = { store, log, sightings, metrics, public_url: publicUrl, limits, uploads, writeEmail: write };
  const services = newServices(config, parts);
  const app = appOf(services, { config, scripts });
  const answer = () => listener.serve(app.fetch);
  // Workers share the port, so one that joins the others must answer from the moment its port is open. That
  // is why nothing is awaited between the opening and this line.
  if (answersEarly) answer();
  const outbox = openOutbox({ ...services, templates });
  const metricsListeners = await serveMetrics(config, services);
  // Anything that can fail comes before this, because the key that it prints is never shown again.
  const news = [await firstStart(newContext(services, PROCESS), { ...config, public_url: publicUrl })];
  if (needsDemo) await fillWithDemo(newContext(services), process.stderr);
  if (config.wantsDemoData) news.push(demoNews(publicUrl, { isFirstStart }));
  if (!answersEarly) answer();
  const jobs = newJobs(services, undefined, files.migrations);
  outbox.start();
  jobs.start();
  // With several workers the primary handles SIGHUP. Without a handler, a single process would die while it answers.
  process.on("SIGHUP", () => log.info("SIGHUP is ignored: only WORKERS=2 and more can be renewed"));
  const stopOnce = newStop({ listeners: [listener, ...metricsListeners], outbox, jobs }, services);
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stopOnce(0));
  watchStore(store, log, () => stopOnce(1));
  setInterval(lookAtWeaknesses, WEAKNESS_MS).unref();
  await noteSetup({ ...config, public_url: publicUrl }, services);
  return { url, news: news.join("") || null };
}

/** A store that counts its commits, and the transactions that it had to repeat. */
function countedStore(store: Store, counts: { commits: number; conflicts: number }): Store {
  return {
    ...store,
    async transact(work) {
      let runs = 0;
      const result = await store.transact((tx) => {
        runs += 1;
        return work(tx);
      });
      counts.commits += 1;
      counts.conflicts += runs - 1;
      return result;
    },
  };
}

/** Most servers expose no metrics, and the library takes a while to load. */
async function openMetrics(figures: Figures): Promise<ProcessMetrics> {
  const { newMetrics } = await import("../request/metrics.ts");
  return newMetrics(figures);
}

/** Records this server's set-up, for `tidemark doctor`. A full store does not prevent a start. */
async function noteSetup(
  { public_url, trust_proxy_hops, smtpUrl }: Config & { public_url: string },
  { store, clock, log }: Services,
): Promise<void> {
  const setup = {
    public_url,
    trust_proxy_hops,
    has_mail: smtpUrl !== null,
    started_at: clock().toISOString(),
  };
  await recordSetup(store, setup).catch((error: unknown) =>
    log.debug({ err: error }, "the set-up could not be recorded"),
  );
}

/** Reads a file that the build put beside the server. */
function readBuilt(name: string): string {
  return readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
}

/** The browser script's two files. The first one names the second. */
function readScripts(): Pick<Pages, "script" | "more"> {
  const script = readBuilt("svc.js");
  const more = readBuilt(/svc-more\.[\da-f]+\.js/.exec(script)![0]);
  return { script: storeText(script), more: storeText(more) };
}

/** This build's script files and those of the last two builds before it. */
const MOST_SCRIPTS = 3;

/**
 * Lets all servers of the store serve this build's script files, also after an update. The port opens afterwards, so that
 * other servers know the second file before a browser gets the first. A full store does not prevent a start.
 */
async function keepScripts(
  { script, more }: Pick<Pages, "script" | "more">,
  { store, log }: Pick<Services, "store" | "log">,
): Promise<void> {
  try {
    for (const [kind, { hash, forms }] of Object.entries({ svc: script, "svc-more": more })) {
      const text = new TextDecoder().decode(forms.identity);
      await store.kept.keep({ kind, name: hash, text }, { mostCount: MOST_SCRIPTS, now: new Date() });
    }
  } catch (error) {
    log.warn({ err: error }, "the script files could not be kept for servers of other builds");
  }
}

/** The routes of the server, with the files that were built for it. */
function appOf(
  services: Services,
  { config, scripts }: { config: Config; scripts: Pick<Pages, "script" | "more"> },
) {
  return createApp(services, {
    ...scripts,
    built: readBuiltPages(new URL("../pages/", import.meta.url)),
    docsViewer: readBuilt("docs.js"),
    hasDemo: config.hasDemo,
    // They may have an address of their own.
    metricsToken: config.metricsAt === null ? config.metricsToken : null,
    securityContact: config.securityContact,
  });
}

/** Serves the metrics at their own address if it is configured. */
async function serveMetrics({ metricsAt, metricsToken }: Config, services: Services): Promise<Listener[]> {
  if (metricsAt === null) return [];
  const listener = newListener();
  await openPort(listener, metricsAt, `METRICS_URL ${metricsAt.host}:${metricsAt.port}`);
  listener.serve(createMetricsApp(services, metricsToken).fetch);
  return [listener];
}

/** @throws Error that begins with the name of the setting */
async function openPort(
  listener: Listener,
  at: { host: string; port: number },
  name: string,
): Promise<number> {
  try {
    return await listener.listen(at);
  } catch (error) {
    const reason = (error as Error).message;
    throw new Error(`${name} can't be listened on: ${reason}`, { cause: error });
  }
}

function newServices(
  { smtpUrl, mailFrom, mailDomains, ...config }: Config,
  parts: Pick<
    Services,
    "store" | "log" | "sightings" | "metrics" | "public_url" | "limits" | "uploads" | "writeEmail"
  >,
): Services {
  const clock = () => new Date();
  return {
    ...parts,
    logOutage: newOutageLog(parts.log, clock),
    afterwards: newAfterwards(parts.log),
    post: newPost({ allowsPrivate: config.allowsPrivateWebhooks }),
    fetchPage: newFetchPage({ allowsPrivate: config.allowsPrivateWebhooks }),
    // The demo's promoters are made up, and a try-out asks VIES nothing about them.
    vies: config.viesUrl === null || config.wantsDemoData ? null : newAskVies(config.viesUrl),
    clock,
    chance: systemChance,
    seal: parts.store.seal,
    mail: smtpUrl === null ? null : openMail({ smtpUrl, from: mailFrom, domains: mailDomains }),
    trust_proxy_hops: config.trust_proxy_hops,
  };
}

/** The maximum duration of a stop. */
export const STOP_MS = 10_000;
/** After this time a hanging stop is aborted. */
const GIVE_UP_MS = STOP_MS - 500;
/** How long a stop waits for receivers. Deliveries without an answer by then are sent again later. */
const SENDING_GRACE_MS = 3_000;

/** The parts of a serving process that have to end before it does. */
interface Running {
  listeners: Listener[];
  outbox: Dispatcher;
  jobs: Scheduler;
}

/** Returns a function that stops the process. Later calls change nothing. */
export function newStop(
  running: Running,
  services: Pick<Services, "store" | "log" | "afterwards">,
): (exitCode: number) => void {
  let isStopping = false;
  return (exitCode) => {
    if (isStopping) return;
    isStopping = true;
    stop(running, services).then(
      () => process.exit(exitCode),
      (error: unknown) => {
        services.log.error({ err: error }, "the stop failed");
        process.exit(1);
      },
    );
  };
}

/** Answers open requests, finishes what is being sent, then closes the store. */
async function stop(
  { listeners, outbox, jobs }: Running,
  { store, log, afterwards }: Pick<Services, "store" | "log" | "afterwards">,
): Promise<void> {
  log.info("draining");
  setTimeout(() => {
    // Closing a store during a commit would crash. Left open, it is as safe as after a power cut.
    log.error("requests are still running; the store is left as it is");
    process.exit(1);
  }, GIVE_UP_MS);
  const drained = listeners.map((listener) => listener.drain());
  await Promise.all([...drained, outbox.stop(SENDING_GRACE_MS), jobs.stop()]);
  await afterwards.settle();
  await store.close();
}
