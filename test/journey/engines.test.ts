import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { orderedJson } from "../support/comparison.ts";
import { newDraws } from "../support/draws.ts";
import { startApp } from "../support/app.ts";
import { honestCall, write } from "../support/fuzz/call.ts";
import { newDice } from "../support/fuzz/dice.ts";
import { LOCKS_OUT, operationsOf, type DescribedOperation } from "../support/fuzz/document.ts";
import { newKnown, type Known } from "../support/fuzz/known.ts";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { IS_LONG, rounds } from "../support/rounds.ts";
import { storeAt } from "../support/records.ts";
import { fillWithExamples } from "../support/operations.ts";
import { temporaryStore, type STORAGES, type TemporaryStore } from "../support/temporary-store.ts";

/** How often each operation is called, and how often in a row until it has succeeded once. */
const CALLS = rounds(1, 6);
const TRIES = 10;
const SEED = 9;
/**
 * Chance decides whether an operation can succeed after all. If it never did, other seeds may show it. The first two are
 * enough for the operations of today, and each costs some seconds.
 */
const OTHER_SEEDS = [17, 34, ...Array.from({ length: 40 }, (_, at) => SEED + 1 + at)];
/** These operations ask the web, where answers differ, or write to the person who calls. */
const POSTS = /webhook.*test|setup\/script|mail\/test|emails\/.*test/;
/** No one can guess a password or a link, and failed attempts are limited by the system's clock. */
const SIGNS_IN = /\/session/;
/**
 * On Postgres a refused transaction leaves a gap among the audit log's ids. Of its lists, and of the export that has it, only the
 * statuses are compared.
 */
const LISTS_GAPS = /^GET \S+(audit_log|exports\/everything)\S*: \d+/;
/**
 * These need a delivery, which only the outbox makes, a billing provider, a payout that can be paid in some way, a former
 * program that a job has taken over, a promoter who has followed the link of an e-mail, an invoice that a job has made, a
 * contract that a promoter may sign, an image, or a plausible year.
 */
const NEEDS_MORE = new RegExp(
  "webhook_deliveries/{id}|import_events|billing/sync|payments_batch|migrations/{id}/report|release_payouts|" +
    "encrypted_id|set_password|invoices/{id}|contract_documents/{id}|tax_forms|brand/(logo|favicon)",
);

let expected: string[];
let cluster: Cluster | null = null;
beforeAll(async () => {
  expected = await answersOf(await storeOf("memory"));
  if (POSTGRES_FOLDER !== null) cluster = await startCluster();
});
afterAll(() => cluster?.remove());

describe("every operation, called with plausible values,", () => {
  it.runIf(IS_LONG)("succeeds at least once on memory", async () => {
    let refused = refusedIn(expected);
    for (const seed of OTHER_SEEDS) {
      if (refused.length === 0) break;
      const again = refusedIn(await answersOf(await storeOf("memory"), seed));
      refused = refused.filter((name) => again.includes(name));
    }
    expect(refused).toEqual([]);
  });

  // Memory is SQLite without a disk.
  it.runIf(IS_LONG)("is answered the same on SQLite as on memory", async () => {
    expect(firstOther(await answersOf(await storeOf("sqlite")))).toEqual(null);
  });

  it.skipIf(POSTGRES_FOLDER === null)("is answered the same on Postgres as on memory", async () => {
    expect(firstOther(await answersOf(await storeAt(cluster!.url())))).toEqual(null);
  });
});

type Stored = TemporaryStore["store"];

async function storeOf(kind: (typeof STORAGES)[number]): Promise<Stored> {
  return (await temporaryStore(kind)).store;
}

/** Where the first answer differs from that on memory: later ones may only follow from it. null: all are the same. */
function firstOther(answers: string[]): object | null {
  const call = expected.findIndex((answer, at) => answer !== answers[at]);
  if (call < 0) return null;
  const [onMemory, answer] = [expected[call]!, answers[call] ?? ""];
  const place = [...onMemory].findIndex((letter, at) => letter !== answer[at]);
  const around = (text: string) => text.slice(Math.max(0, place - 200), place + 200);
  const operation = onMemory.split(": ", 1)[0];
  return { call, operation, answer: around(answer), onMemory: around(onMemory) };
}

/** The operations of which no call succeeded. */
function refusedIn(answers: string[]): string[] {
  const namesOf = (of: string[]) => new Set(of.map((answer) => answer.split(": ", 1)[0]!));
  const succeeded = namesOf(answers.filter((answer) => / \S+: 2/.test(answer)));
  return [...namesOf(answers)].filter((name) => !succeeded.has(name) && !NEEDS_MORE.test(name));
}

/** Calls all operations one after the other, and returns the status and body of each answer. */
async function answersOf(store: Stored, diceSeed = SEED): Promise<string[]> {
  const draws = newDraws();
  const app = await startApp("memory", { store: draws.over(store), chance: draws.chance });
  await fillWithExamples(app, {
    promoters: 10,
    leads: 30,
    sales: 60,
    paymentsAtOnce: 1,
  });
  const document: unknown = await (await app.request("/openapi.json")).json();
  // Deletions come last, because the others need what they delete.
  const operations = operationsOf(document)
    .filter(
      ({ path, needsSession }) =>
        !needsSession && ![POSTS, SIGNS_IN, LOCKS_OUT].some((left) => left.test(path)),
    )
    .toSorted((one, other) => Number(one.method === "DELETE") - Number(other.method === "DELETE"));
  const dice = newDice(diceSeed);
  const known = newKnown();
  const answers: string[] = [];
  const ask = async (operation: DescribedOperation) => {
    draws.begin(answers.length);
    const { method, target, headers, body } = write(honestCall(operation, dice, known));
    const response = await app.request(target, {
      method,
      headers,
      body: body?.toString() ?? null,
    } as RequestInit);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    // Each engine has an order of its own for the names in documents.
    const shown = isJson && text !== "" ? orderedJson(JSON.parse(text)) : text;
    const answer = `${operation.method} ${operation.path}: ${response.status} ${shown}`;
    if (response.status < 300 && isJson && operation.tag !== "Operation" && !LISTS_GAPS.test(answer))
      learn(known, operation, text);
    answers.push(answer);
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
  return answers.map((answer) => LISTS_GAPS.exec(answer)?.[0] ?? answer);
}

function learn(known: Known, { path }: DescribedOperation, text: string): void {
  if (text.startsWith("{") || text.startsWith("[")) known.learn(path, JSON.parse(text));
}
