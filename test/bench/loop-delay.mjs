// Loaded into a server (`node --import`). On SIGUSR2 it prints the longest time in milliseconds for which the
// event loop was blocked since the last signal.
import { monitorEventLoopDelay } from "node:perf_hooks";

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on("SIGUSR2", () => {
  process.stdout.write(`loop delay ${JSON.stringify({ max: delay.max / 1e6 })}\n`);
  delay.reset();
});
