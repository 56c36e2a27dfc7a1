import { execFileSync, spawn } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../server/storage/open.ts";
import { TABLES } from "../../server/tables.ts";
import { startApp, type TestApp } from "../support/app.ts";
import { makeReward, offer } from "../support/money.ts";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { IS_LONG } from "../support/rounds.ts";
import { grants, schemaPicture } from "../support/schema-picture.ts";
import { temporaryFolder } from "../support/server.ts";
import { TEST_SEAL } from "../support/memory-engine.ts";

const GUIDE = "docs/operators.md";
const guide = readFileSync(GUIDE, "utf8");
const section = /^## Ask it yourself\n(.*?)^## /ms.exec(guide)![1]!;
const blocksOf = (language: string) =>
  [...section.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"))].map(([, block]) => block!);

/** The rows of each question, in their order, as sqlite3 prints them. */
const ANSWERS = [
  ["id|public_id|name|currency", "1|acme|Acme|USD"],
  ["email|unit|earned|commissions", "jane@example.com|cash|3000|2", "joe@example.com|cash|800|2"],
  ["id|email|customer_since|sales_count", "1|ann@example.com|2026-01-20T12:00:00.000Z|2"],
  ["id|email|amount|unit|created_at", "4|joe@example.com|400|cash|2026-01-31T12:00:00.000Z"],
  ["email|owed", "jane@example.com|1000", "joe@example.com|800"],
  [
    "day|name|clicks|leads|customers",
    "2026-03-01|Default campaign|0|1|0",
    "2026-03-02|Default campaign|1|0|0",
  ],
  ["source|clicks|revenue", "news.example|2|15000", "direct or other|0|7000"],
  ["month|leads|customers", "2026-01|2|2", "2026-03|1|0"],
];

/** Whether both shells are there. */
const hasShells = POSTGRES_FOLDER !== null && isInstalled("sqlite3") && isInstalled("psql");
if (!hasShells && process.env.CI) throw new Error("CI asks with sqlite3 and psql, and found them not");

describe.skipIf(!hasShells)("the guide's questions", () => {
  const { folder, remove } = temporaryFolder();
  const file = join(folder, "tidemark.db");
  let apps: TestApp[];
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
    apps = await Promise.all(
      [`sqlite:${folder}`, cluster.url()].map(async (url) => {
        const app = await startApp("memory", {
          store: await openStore(url, { tables: TABLES, seal: TEST_SEAL }),
        });
        await offer(app, await makeReward(app, [{ amount: 20 }]));
        await fillProgram(app);
        return app;
      }),
    );
    await cluster.query(blocksOf("sql postgres").join(""));
  });
  afterAll(async () => {
    for (const app of apps) await app.close();
    await cluster.remove();
    remove();
  });

  const onSqlite = (sql: string) =>
    linesOf(execFileSync("sqlite3", ["-readonly", "-list", "-header", file, sql], QUIET));
  const onPostgres = (...statements: string[]) => {
    const address = `postgres://reporting@127.0.0.1:${cluster.port}/postgres`;
    const flags = ["--no-psqlrc", "--quiet", "--no-align", "--pset=footer=off"];
    return linesOf(
      execFileSync("psql", [address, ...flags, ...statements.flatMap((sql) => ["-c", sql])], QUIET),
    );
  };

  it("have the same answers in sqlite3 and in psql", () => {
    const questions = blocksOf("sql");
    expect(questions.map((sql) => onSqlite(sql))).toEqual(ANSWERS);
    expect(questions.map((sql) => onPostgres(sql))).toEqual(ANSWERS.map((lines) => lines.map(asInPsql)));
  });

  it("can change nothing, and on Postgres they see no secrets", () => {
    const changes = ["delete from leads", "update commissions set amount = 1"];
    for (const sql of changes) {
      expect(() => onSqlite(sql)).toThrow("attempt to write a readonly database");
      expect(() => onPostgres(sql)).toThrow("cannot execute");
      expect(() => onPostgres("set default_transaction_read_only = off", sql)).toThrow("permission denied");
    }
    for (const sql of [
      "select profile from promoters",
      "select auth_token from promoters",
      "select * from webhooks",
    ])
      expect(() => onPostgres(sql)).toThrow("permission denied");
  });

  it.runIf(IS_LONG)("leave the server alone, however long one takes on SQLite", async () => {
    const app = apps[0]!;
    const shell = spawn("sqlite3", ["-readonly", file], { stdio: ["pipe", "pipe", "inherit"] });
    const answers = createInterface(shell.stdout)[Symbol.asyncIterator]();
    const count = async () => {
      shell.stdin.write("select count(*) from leads;\n");
      return (await answers.next()).value as string;
    };
    let number = 0;
    const signUp = async () => {
      const all = Array.from({ length: 200 }, () =>
        app.v1("/track/signup", { email: `lead-${++number}@example.com`, ref_id: "joe" }),
      );
      expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set([200]));
      return statSync(`${file}-wal`).size;
    };
    shell.stdin.write("begin;\n");
    expect(await count()).toBe("3");
    const sizes = [await signUp(), await signUp(), await signUp()];
    // The query still sees its moment, so the log can't begin again, even after further writes.
    expect(await count()).toBe("3");
    expect(sizes).toEqual(sizes.toSorted((one, other) => one - other));
    expect(new Set(sizes).size).toBe(sizes.length);
    shell.stdin.write("commit;\n");
    expect(await count()).toBe(String(3 + number));
    // From now on the log is written back and used again. Otherwise it would grow until the test runs out of time.
    for (let [last, size] = [0, sizes.at(-1)!]; size > last; [last, size] = [size, await signUp()]);
    shell.stdin.end();
  });
});

it("shows the schema that the code declares, and grants what it shows", () => {
  const drawn = guide
    .replace(/^```mermaid\n.*?^```/ms, () => `\`\`\`mermaid\n${schemaPicture()}\`\`\``)
    .replace(/^(grant select .*\n)+/m, () => grants("reporting"));
  // So a change of tables needs no drawing by hand.
  if (process.env.UPDATE_DOCS) writeFileSync(GUIDE, drawn);
  else expect(guide).toBe(drawn);
});

const QUIET = { stdio: "pipe" as const, env: { ...process.env, LC_ALL: "C" } };

/** psql prints `timestamptz` in a form of its own. */
function asInPsql(line: string): string {
  return line.replace(/(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\.000Z/g, "$1 $2+00");
}

function linesOf(output: Buffer): string[] {
  return output.toString().split(/\r?\n/).filter(Boolean);
}

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Two promoters. Ann came by a page and pays twice, Bob came without a visit, and a third person only signs up. */
async function fillProgram(app: TestApp): Promise<void> {
  const steps: [day: string, act: () => Promise<{ status: number }>][] = [];
  const v1 = (day: string, path: string, params: Record<string, string>) =>
    steps.push([day, () => app.v1(path, params)]);
  const v2 = (day: string, path: string, body: object) =>
    steps.push([day, () => app.v2(...(path.split(" ") as [string, string]), body)]);
  const click = (day: string, tid: string) => {
    const pages = { url: "https://www.acme.example/pricing?via=jane", referrer: "https://news.example/" };
    steps.push([day, () => app.browser("/t/click", { tid, ref_id: "jane", ...pages })]);
  };
  const [ann, other] = ["7f1b2c3d-1111-4222-8333-444455556666", "7f1b2c3d-1111-4222-8333-777788889999"];
  for (const name of ["jane", "joe"])
    v1("2026-01-10", "/promoters/create", { email: `${name}@example.com`, ref_id: name });
  click("2026-01-12", ann);
  v1("2026-01-12", "/track/signup", { email: "ann@example.com", tid: ann });
  v1("2026-01-13", "/track/signup", { email: "bob@example.com", ref_id: "joe" });
  v1("2026-01-20", "/track/sale", { email: "ann@example.com", event_id: "a1", amount: "10000" });
  v1("2026-01-21", "/track/sale", { email: "bob@example.com", event_id: "b1", amount: "5000" });
  v1("2026-01-22", "/track/refund", {
    email: "bob@example.com",
    event_id: "b1-back",
    sale_event_id: "b1",
    amount: "1000",
  });
  v2("2026-01-23", "PUT /campaigns/1", { auto_approve_commissions: false });
  v1("2026-01-31", "/track/sale", { email: "bob@example.com", event_id: "b2", amount: "2000" });
  v2("2026-02-01", "POST /commissions/generate_payouts", { ids: [1] });
  v2("2026-02-01", "POST /payouts/mark_as_paid", { ids: [1] });
  v2("2026-02-02", "PUT /campaigns/1", { auto_approve_commissions: true });
  v1("2026-02-03", "/track/sale", { email: "ann@example.com", event_id: "a2", amount: "5000" });
  v1("2026-03-01", "/track/signup", { email: "cid@example.com", ref_id: "joe" });
  click("2026-03-02", other);
  for (const [day, act] of steps) {
    app.setNow(`${day}T12:00:00.000Z`);
    const answer = await act();
    expect(answer.status, JSON.stringify(answer)).toBe(200);
  }
}
