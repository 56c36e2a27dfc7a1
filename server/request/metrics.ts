import { AggregatorRegistry, Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";

/** From a read of one record to a report over a year. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
/**
 * How often the event loop's delay is sampled: half as often as prom-client does, because each sample wakes
 * the process.
 */
const DELAY_SAMPLE_MS = 20;

/** An answered request. */
export interface AnsweredRequest {
  method: string;
  /** The route's pattern. Paths would be unbounded and could contain personal data. */
  route: string;
  status: number;
  seconds: number;
}

/** The page that Prometheus reads. */
export interface MetricsPage {
  text: string;
  contentType: string;
}

/** The counts of a server. */
export interface Metrics {
  record(request: AnsweredRequest): void;
  page(): Promise<MetricsPage>;
}

/** The counts of one process. */
export interface ProcessMetrics extends Metrics {
  /** All counts as data for `sumUp`. */
  snapshot(): Promise<unknown>;
}

/** The store's own figures. */
export interface StoreFigures {
  counts: { commits: number; conflicts: number };
  isReady(): Promise<boolean>;
}

/** Figures that are counted elsewhere and shown here. */
export interface Figures extends StoreFigures {
  sightings: { counts: { refusedOrigins: number } };
  /** The backlog and size of the store, read on demand. Null if the store does not answer. */
  stock(): Promise<Stock | null>;
}

/** The store's backlog and size. */
export interface Stock {
  /** Unsent events and e-mails, counted up to 10,000. */
  waitingCount: number;
  /** The age of the oldest one, or 0 if none waits. */
  oldestSeconds: number;
  /** E-mails held until mail is set up. */
  heldEmailsCount: number;
  failingWebhooksCount: number;
  /** Null for a store in memory. */
  storeBytes: number | null;
  /** Null if unknown. */
  logBytes: number | null;
}

/** The gauges of a stock. All processes read the same store, so the largest value is shown. */
const STOCK_GAUGES: [name: string, help: string, read: (stock: Stock) => number | null][] = [
  ["tidemark_events_waiting", "Events and e-mails to send, at most 10,000", (stock) => stock.waitingCount],
  ["tidemark_events_oldest_seconds", "Age of the oldest of them", (stock) => stock.oldestSeconds],
  ["tidemark_emails_held", "E-mails that wait until SMTP_URL is set", (stock) => stock.heldEmailsCount],
  [
    "tidemark_webhooks_failing",
    "Webhooks whose latest attempt failed",
    (stock) => stock.failingWebhooksCount,
  ],
  ["tidemark_store_bytes", "Size of the store", (stock) => stock.storeBytes],
  ["tidemark_store_log_bytes", "Size of SQLite's write-ahead log", (stock) => stock.logBytes],
];

/** Starts the counts of one process. */
export function newMetrics({ counts, isReady, sightings, stock }: Figures): ProcessMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: DELAY_SAMPLE_MS });
  const durations = new Histogram({
    name: "tidemark_http_request_duration_seconds",
    help: "Requests by route, and the time from their arrival to their answer",
    labelNames: ["method", "route", "status"],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  });
  newCounter(registry, {
    name: "tidemark_store_commits_total",
    help: "Commits to the store",
    read: () => counts.commits,
  });
  newCounter(registry, {
    name: "tidemark_store_conflicts_total",
    help: "Transactions that were repeated, mostly because others had changed the same records",
    read: () => counts.conflicts,
  });
  newCounter(registry, {
    name: "tidemark_origins_refused_total",
    help: "Sign-ups from browsers that were refused because none of their campaigns allows the site",
    read: () => sightings.counts.refusedOrigins,
  });
  const ready = new Gauge({
    name: "tidemark_store_ready",
    help: "1 if the store answers in every process",
    aggregator: "min",
    registers: [registry],
    async collect() {
      ready.set((await isReady()) ? 1 : 0);
    },
  });
  const gauges = STOCK_GAUGES.map(
    ([name, help, read]) =>
      [new Gauge({ name, help, aggregator: "max", registers: [registry] }), read] as const,
  );
  const takeStock = async () => {
    const found = await stock();
    for (const [gauge, read] of gauges) {
      const value = found && read(found);
      // A gauge without a value is left out of the page.
      if (value === null) gauge.remove();
      else gauge.set(value);
    }
  };
  return {
    record({ method, route, status, seconds }) {
      durations.observe({ method, route, status }, seconds);
    },
    async page() {
      await takeStock();
      return pageOf(registry);
    },
    async snapshot() {
      await takeStock();
      return registry.getMetricsAsJSON();
    },
  };
}

/** Adds up the snapshots of several processes into one page. */
export function sumUp(snapshots: unknown[]): Promise<MetricsPage> {
  // The library's types ask for its own objects, but it accepts their data, which is what other processes
  // send.
  return pageOf(AggregatorRegistry.aggregate(snapshots as object[]));
}

async function pageOf(registry: Registry): Promise<MetricsPage> {
  return { text: await registry.metrics(), contentType: registry.contentType };
}

/** A counter that costs nothing until it is read. */
function newCounter(
  registry: Registry,
  { read, ...description }: { name: string; help: string; read: () => number },
): void {
  const counter: Counter = new Counter({
    ...description,
    registers: [registry],
    collect() {
      counter.reset();
      counter.inc(read());
    },
  });
}
