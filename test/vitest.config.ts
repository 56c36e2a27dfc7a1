import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { buildStorage, builtThread, ENVIRONMENT, MODULE_CACHE } from "./support/build.ts";
import { longestFirst } from "./support/longest-first.ts";
import { IS_LONG, IS_QUICK } from "./support/rounds.ts";

await buildStorage();

/** Of the tests that start no process, these take four fifths of the time. The quick tests leave them out. */
const SLOW_FOLDERS =
  "billing,books,commission,erasure,invoice,migration,openapi,payout,portal,report,transfer";
const SLOW_FILES =
  "audit-log,base-path,browser-routes,code-owner,contracts,emails-delivery,event-causes,instalments,leads,leads-update," +
  "money-*,observation,outbox-*,own-emails-*,promoter-batches,promoters-v2-list,races-*,request-shapes,sale-rewards,seed," +
  "track-sale,v2-campaigns,v2-products,v2-promo-codes,v2-promoter-campaign-update,v2-referrals,v2-rewards,waiting,webhooks";
const LEFT_OUT = IS_QUICK ? [`test/http/{${SLOW_FOLDERS}}/**`, `test/http/**/{${SLOW_FILES}}.test.ts`] : [];

/**
 * These take long and concern few changes: several workers, standbys, full disks, kills, races of processes, races at each step
 * of many operations, events in every order, slow clients and receivers, other programs in front of the server. Quicker tests
 * check the same rules, except for generated clients, the guide's settings for nginx and Caddy, and the reading of each program
 * that a company may come from.
 */
const RARE = [
  "journey/{account-move,cut-transfers,damage,demo-data,failover,full-disk,fuzz,killed-*,listener,lost-*,odd-texts,outbox*}",
  "journey/{patroni,paypal-payouts,proxies}",
  "journey/{postgres,postgres-erasure,postgres-faults,postgres-limits,postgres-transfer,standby-reads}",
  "journey/{transfer,upgrade,workers*}",
  "storage/{crash,durability,failover,full-disk,killed-migration,postgres-cuts,postgres-limits,postgres-tls}",
  "storage/{postgres-writers,processes}",
  "http/erasure/erasure-{additions,kills,races}",
  "http/{billing/billing-order,event/outbox-receivers,event/own-emails-kills,invoice/invoice-kills,migration/*}",
  "http/{openapi/typed-clients,request/races-changes,request/races-lists,sale/jobs-killed,sale/money-orders}",
  "http/transfer/migration-sources",
];
const LEFT_TO_CI = IS_LONG ? [] : RARE.map((files) => `test/${files}.test.ts`);

/** Their long rounds take minutes, and they mostly wait. */
const LONGEST =
  /\/(crash|cut-transfers|engines|failover|full-disk|fuzz|killed-\w+|workers-faults|\w+-laws)\.test\.ts$/;

const LIMIT_MS = IS_LONG ? 1_800_000 : 240_000;

export default defineConfig({
  plugins: [builtThread],
  test: {
    root: ".",
    env: ENVIRONMENT,
    setupFiles: ["test/support/seed.ts"],
    experimental: MODULE_CACHE,
    // Only what hangs should meet these limits: the machine may be busy.
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
    expect: { poll: { timeout: 60_000 } },
    // CI may keep only the message of a failure, so it shows values whole, unless they are as large as a page of Playwright.
    chaiConfig: { truncateThreshold: 100_000 },
    include: ["test/{client,http,journey,storage,unit}/**/*.test.ts"],
    exclude: [...LEFT_OUT, ...LEFT_TO_CI],
    // Some wait for the processes that they start, so more of them than cores run at once.
    maxWorkers: availableParallelism() + 1,
    // Loading the server again for each file takes longer than its tests, which share nothing except its code.
    isolate: false,
    ...(IS_LONG && { sequence: { sequencer: longestFirst(LONGEST) } }),
    // Tests leave much garbage behind, and a larger young generation is looked through less often.
    execArgv: ["--max-semi-space-size=64"],
  },
});
