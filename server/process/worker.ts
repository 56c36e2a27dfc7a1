import cluster from "node:cluster";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { reasonOf } from "../failure.ts";
import type { Metrics, ProcessMetrics } from "../request/metrics.ts";
import { readMessage, newQuestions, type Message } from "./message.ts";
import { serve } from "./serving.ts";

/** Serves as one of several workers and reports its start to the primary. */
export async function work(config: Config, log: Logger): Promise<void> {
  try {
    // A store that was deleted since the first start must not begin anew beside the other workers.
    const makes = cluster.worker?.id === 1 ? "store" : "tables";
    const started = await serve(config, { log, makes, shareMetrics });
    tell({ tidemark: "started", started });
  } catch (error) {
    const failed: Message = { tidemark: "failed", reason: reasonOf(error) };
    process.send?.(failed, () => process.exit(1));
  }
}

/** Sends the primary this process's metrics, and shows the sum of all workers' metrics. */
function shareMetrics(own: ProcessMetrics): Metrics {
  const questions = newQuestions();
  process.on("message", async (received) => {
    const message = readMessage(received);
    if (message?.tidemark === "metrics") questions.answer(message);
    if (message?.tidemark !== "ask") return;
    tell({ tidemark: "metrics", id: message.id, metrics: await own.snapshot() });
  });
  return {
    ...own,
    async page() {
      const all = (await questions.ask(tell)) as unknown[] | null;
      if (all === null) return own.page();
      const { sumUp } = await import("../request/metrics.ts");
      return sumUp(all);
    },
  };
}

function tell(message: Message): void {
  // A primary that is gone needs no answer. Without the callback, the error would end this process.
  process.send?.(message, () => {});
}
