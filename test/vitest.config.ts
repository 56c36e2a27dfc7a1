import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { buildStorage, builtThread } from "./support/build.ts";
import { IS_LONG, IS_QUICK } from "./support/rounds.ts";

await buildStorage();

/** More than half of the time of the quick tests went to these few. */
const SLOW =
  "audit-log,billing-order,emails-delivery,erasure-additions,money-*,openapi-descriptions,outbox-model,outbox-receivers," +
  "payment-files,races-*,seed,typed-clients";
const LEFT_OUT = IS_QUICK ? [`test/http/**/{${SLOW}}.test.ts`] : [];

/** These take long and concern few changes: several workers, standbys, full disks, kills while much is under way. */
const RARE =
  "account-move,cut-transfers,damage,durability,failover,full-disk,fuzz,killed-load,killed-migration,outbox-backlog," +
  "paypal-payouts,postgres-cuts,postgres-faults,postgres-limits,postgres-tls,postgres-transfer,rolling-upgrade," +
  "standby-reads,workers,workers-faults";
const LEFT_TO_CI = IS_LONG ? [] : [`test/{storage,journey}/{${RARE}}.test.ts`];

const LIMIT_MS = IS_LONG ? 1_800_000 : 240_000;

export default defineConfig({
  plugins: [builtThread],
  test: {
    root: ".",
    setupFiles: ["test/support/seed.ts"],
    // Only what hangs should meet these limits: nobody knows how busy the machine is.
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
    expect: { poll: { timeout: 60_000 } },
    // Vitest would leave one core free.
    maxWorkers: availableParallelism(),
    // Loading the server again for each file takes longer than its tests, which share nothing except its code.
    isolate: false,
    projects: [
      {
        extends: true,
        test: { name: "in process", include: ["test/{client,http,unit}/**/*.test.ts"], exclude: LEFT_OUT },
      },
      {
        extends: true,
        test: {
          name: "others",
          include: ["test/{storage,journey}/**/*.test.ts"],
          exclude: LEFT_TO_CI,
          // These often wait for the processes that they start, so more of them than cores run at once.
          maxWorkers: availableParallelism() + 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
