// Loaded into a server (`node --import`): on SIGUSR2 prints the longest time its event loop was blocked
// since the last time, in milliseconds.
import { monitorEventLoopDelay } from "node:perf_hooks";

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on("SIGUSR2", () => {
  process.stdout.write(`loop delay ${JSON.stringify({ max: delay.max / 1e6 })}\n`);
  delay.reset();
});
