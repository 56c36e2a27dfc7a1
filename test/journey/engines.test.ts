import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../support/app.ts";
import { honestCall, write } from "../support/fuzz/call.ts";
import { newDice } from "../support/fuzz/dice.ts";
import { operationsOf, type DescribedOperation } from "../support/fuzz/document.ts";
import { newKnown, type Known } from "../support/fuzz/known.ts";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { rounds } from "../support/rounds.ts";
import { storeAt } from "../support/records.ts";
import { fillWithExamples } from "../support/operations.ts";

/** How often each operation is called, and how often in a row until it has succeeded once. */
const CALLS = rounds(2, 20);
const TRIES = 10;
const SEED = 9;
/** Chance decides whether an operation can succeed after all. If it never did, this many other seeds may show it. */
const OTHER_SEEDS = 10;
/** These operations ask the web, where answers differ, or write to the person who calls. */
const POSTS = /webhook.*test|setup\/script|mail\/test/;
/** Nobody can guess a password or a link, and failed attempts are limited by the system's clock. */
const SIGNS_IN = /\/session/;
/** Postgres runs a transaction again after a lost race, and draws again then. So tokens, and the ids made from them, differ. */
const DRAWN = /t{8,}\d+|\b\d{12,}\b/g;
/** So keys are listed in another order, and the ids of the audit log have gaps. Their statuses are compared. */
const LISTS_DRAWN = /^GET \S+(api_keys|audit_log\S*): \d+/;
/** A key that is removed can't make the other calls. */
const LOCKS_OUT = /api_keys\/\{id\}/;
/** These need a delivery, which only the outbox makes, a billing provider, or a payout that can be paid in some way. */
const NEEDS_MORE = /webhook_deliveries\/\{id\}|import_events|payments_batch/;

let expected: string[];
let cluster: Cluster | null = null;
beforeAll(async () => {
  expected = await answersOf(await startApp("memory"));
  if (POSTGRES_FOLDER !== null) cluster = await startCluster();
});
afterAll(() => cluster?.remove());

describe("every operation, called with plausible values,", () => {
  it("succeeds at least once on memory", async () => {
    let refused = refusedIn(expected);
    for (let other = 1; refused.length > 0 && other <= OTHER_SEEDS; other++) {
      const again = refusedIn(await answersOf(await startApp("memory"), SEED + other));
      refused = refused.filter((name) => again.includes(name));
    }
    expect(refused).toEqual([]);
  });

  it("is answered the same on SQLite as on memory", async () => {
    expect(await answersOf(await startApp("sqlite"))).toEqual(expected);
  });

  it.skipIf(POSTGRES_FOLDER === null)("is answered the same on Postgres as on memory", async () => {
    const store = await storeAt(cluster!.url());
    expect(await answersOf(await startApp("memory", { store }))).toEqual(expected);
  });
});

/** The operations of which no call succeeded. */
function refusedIn(answers: string[]): string[] {
  const namesOf = (of: string[]) => new Set(of.map((answer) => answer.split(": ", 1)[0]!));
  const succeeded = namesOf(answers.filter((answer) => / \S+: 2/.test(answer)));
  return [...namesOf(answers)].filter((name) => !succeeded.has(name) && !NEEDS_MORE.test(name));
}

/** Calls all operations one after the other, and returns the status and body of each answer. */
async function answersOf(app: TestApp, diceSeed = SEED): Promise<string[]> {
  await fillWithExamples(app, {
    promoters: 10,
    leads: 30,
    sales: 60,
    paymentsAtOnce: 1,
  });
  const document: unknown = await (await app.request("/openapi.json")).json();
  const operations = operationsOf(document).filter(
    ({ path, needsSession }) =>
      !needsSession && ![POSTS, SIGNS_IN, LOCKS_OUT].some((left) => left.test(path)),
  );
  const dice = newDice(diceSeed);
  const known = newKnown();
  const answers: string[] = [];
  // Each call begins at its own place, so that one that was run again changes no later one.
  let digits = 0;
  app.services.chance.digits = (length) => String(++digits).padStart(length, "1").slice(-length);
  const ask = async (operation: DescribedOperation) => {
    digits = 7 * answers.length;
    const { method, target, headers, body } = write(honestCall(operation, dice, known));
    const response = await app.request(target, {
      method,
      headers,
      body: body?.toString() ?? null,
    } as RequestInit);
    const text = await response.text();
    if (response.status < 300 && operation.tag !== "Operation") learn(known, operation, text);
    answers.push(`${operation.method} ${operation.path}: ${response.status} ${text}`);
    return response.status < 300;
  };
  const succeeded = new Set<DescribedOperation>();
  for (let call = 0; call < CALLS; call++) {
    for (const operation of operations) {
      for (let tries = 0; tries < (succeeded.has(operation) ? 1 : TRIES); tries++) {
        if (await ask(operation)) succeeded.add(operation);
      }
    }
  }
  await app.close();
  const drawn = new Map<string, string>();
  return answers.map((answer) =>
    (LISTS_DRAWN.exec(answer)?.[0] ?? answer).replace(DRAWN, (one) => {
      if (!drawn.has(one)) drawn.set(one, `drawn ${drawn.size}`);
      return drawn.get(one)!;
    }),
  );
}

function learn(known: Known, { path }: DescribedOperation, text: string): void {
  if (text.startsWith("{") || text.startsWith("[")) known.learn(path, JSON.parse(text));
}
