import type { Listener } from "../http/listener.ts";
import type { Dispatcher } from "../outbox/dispatcher.ts";
import type { Services } from "../request/services.ts";
import type { Scheduler } from "./jobs.ts";

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
