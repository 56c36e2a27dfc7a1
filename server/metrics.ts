import { AggregatorRegistry, Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";

/** From a read of one record to a report over a year. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
/** How often the delay of the event loop is sampled: twice prom-client's own, as each sample wakes the process. */
const DELAY_SAMPLE_MS = 20;

/** A request that was answered. */
export interface AnsweredRequest {
  method: string;
  /** The pattern of the route, never the path itself, which is anybody's and without end. */
  route: string;
  status: number;
  seconds: number;
}

/** What Prometheus is given. */
export interface MetricsPage {
  text: string;
  contentType: string;
}

/** What is counted of the server. */
export interface Metrics {
  record(request: AnsweredRequest): void;
  page(): Promise<MetricsPage>;
}

/** What a process counts of itself. */
export interface ProcessMetrics extends Metrics {
  /** All of it as data that `sumUp` takes. */
  snapshot(): Promise<unknown>;
}

/** What the store tells of itself. */
export interface StoreFigures {
  counts: { commits: number; conflicts: number };
  isReady(): Promise<boolean>;
}

/** What is counted elsewhere, and shown here. */
export interface Figures extends StoreFigures {
  lookout: { counts: { refusedOrigins: number } };
}

/** Begins to count, for one process. */
export function newMetrics({ counts, isReady, lookout }: Figures): ProcessMetrics {
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
    help: "Commits that were refused as others had changed the same records, and tried again",
    read: () => counts.conflicts,
  });
  newCounter(registry, {
    name: "tidemark_origins_refused_total",
    help: "Sign-ups from browsers that were refused since no campaign that they were for allows their site",
    read: () => lookout.counts.refusedOrigins,
  });
  const ready = new Gauge({
    name: "tidemark_store_ready",
    help: "1 where the store answers in every process",
    aggregator: "min",
    registers: [registry],
    async collect() {
      ready.set((await isReady()) ? 1 : 0);
    },
  });
  return {
    record({ method, route, status, seconds }) {
      durations.observe({ method, route, status }, seconds);
    },
    page: () => pageOf(registry),
    snapshot: () => registry.getMetricsAsJSON(),
  };
}

/** The page that the snapshots of several processes make together. */
export function sumUp(snapshots: unknown[]): Promise<MetricsPage> {
  // The library's types ask for its own objects, while it takes their data, as from other processes.
  return pageOf(AggregatorRegistry.aggregate(snapshots as object[]));
}

async function pageOf(registry: Registry): Promise<MetricsPage> {
  return { text: await registry.metrics(), contentType: registry.contentType };
}

/** A counter that costs its process nothing until somebody looks. */
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
