import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { callCli, useAccountOnDisk } from "../../support/cli.ts";
import { allEntries, findFaults, inStore } from "../../support/consistency.ts";
import {
  contentOf,
  fillRates,
  standingsHere,
  standingsThere,
  withStoreIn,
} from "../../support/migrations.ts";
import { lastingBreaches } from "../../support/money-laws.ts";
import { startRewardful } from "../../support/sources/rewardful.ts";
import type { StandIn } from "../../support/sources/stand-in.ts";

const folder = useAccountOnDisk();
let standIn: StandIn;
beforeEach(() => withStore((store) => fillRates(store, 1)));
afterEach(() => standIn.close());

const withStore = <T>(work: Parameters<typeof withStoreIn<T>>[1]) => withStoreIn(folder(), work);

const content = () => inStore(`sqlite:${folder()}`, async (engine) => contentOf(await allEntries(engine)));

/** Calls the command, against a stand-in. */
async function migrate(...more: string[]) {
  const keyFile = join(folder(), "key.txt");
  writeFileSync(keyFile, `${standIn.key}\n`);
  const words = ["migrate", "acme", "rewardful", "--key-file", keyFile, "--base-url", standIn.url];
  const { code, stdout, stderr } = await callCli(folder(), [...words, ...more]);
  return { code, stderr, said: stdout === "" ? null : (JSON.parse(stdout) as Record<string, unknown>) };
}

async function expectTruth(): Promise<void> {
  const url = `sqlite:${folder()}`;
  expect(await withStore((store) => standingsHere(store, standIn.truth))).toEqual(
    standingsThere(standIn.truth),
  );
  const breaches = await withStore((store) => lastingBreaches(store, 1));
  // The source voids the commission of a sale that is refunded whole, which then is denied here. Nothing else takes it back.
  expect(breaches.filter((breach) => !/^commission 6 of 1391 has 1391 left$/.test(breach))).toEqual([]);
  expect(await inStore(url, findFaults)).toEqual([]);
}

const sumOf = (said: Record<string, unknown> | null, outcome: string) =>
  Object.values(said ?? {})
    .filter((each) => typeof each === "object" && each !== null)
    .reduce((sum: number, each) => sum + (each as Record<string, number>)[outcome]!, 0);

it("takes a program over, to the cent, and changes nothing the next time", async () => {
  standIn = await startRewardful();
  const report = join(folder(), "report.csv");
  const first = await migrate("--report", report);
  expect([first.code, first.said]).toEqual([0, expect.objectContaining({ promoters_that_differ: 0 })]);
  await expectTruth();
  expect(readFileSync(report, "utf8").split("\r\n")[0]).toBe(
    "promoter,promoter_id,source_ids,clicks_there,leads_there,customers_there,earned_there,paid_there,owed_there," +
      "clicks_here,leads_here,customers_here,earned_here,paid_here,owed_here,changed_here,differences",
  );
  const before = await content();
  const again = await migrate();
  expect([again.code, sumOf(again.said, "known")]).toEqual([0, sumOf(first.said, "added")]);
  expect(await content()).toEqual(before);
  const offline = await migrate("--from-archive");
  expect([offline.code, offline.said]).toEqual([0, again.said]);
});

it("says the same in a dry run, and writes nothing", async () => {
  standIn = await startRewardful({ size: 100 });
  const before = await content();
  const dry = await migrate("--dry-run");
  expect(await content()).toEqual(before);
  const real = await migrate();
  expect([dry.code, { ...dry.said, dry_run: false }]).toEqual([0, real.said]);
});

it("ends with a fault if a person differs, and says who", async () => {
  standIn = await startRewardful({ size: 100 });
  const [first] = standIn.lists["affiliates"]!;
  first!["conversions"] = Number(first!["conversions"]) + 1;
  const { code, stderr, said } = await migrate();
  expect([code, said?.["promoters_that_differ"]]).toEqual([1, 1]);
  expect(stderr).toMatch(/^promoter-1@example\.com: customers: \d+ there, \d+ here$/m);
});

it("ends with a fault if 7.77 were added to a commission in the database", async () => {
  standIn = await startRewardful({ size: 100 });
  expect((await migrate()).code).toBe(0);
  const approved = "select min(id) from commissions where status = 'approved' and unit = 'cash'";
  const text = `update commissions set amount = amount + 777 where id = (${approved})`;
  const changed = inStore(`sqlite:${folder()}`, (engine) =>
    engine.transact(async (session) => session.run({ text, values: [] })),
  );
  expect(await changed).toBe(1);
  for (const more of [[], ["--from-archive"]]) {
    const { code, stderr, said } = await migrate(...more);
    expect([code, said?.["promoters_that_differ"]]).toEqual([1, 1]);
    expect(stderr).toMatch(/^promoter-\d+@example\.com: .*(there|in the sums beside them)/m);
  }
});

it("refuses what it can't use, in one sentence", async () => {
  standIn = await startRewardful();
  const tried = async (...words: string[]) => {
    const { code, stderr } = await callCli(folder(), ["migrate", "acme", ...words]);
    return [code, stderr];
  };
  expect(await tried("other")).toEqual([1, expect.stringContaining("other is not one of rewardful")]);
  expect(await tried("rewardful")).toEqual([
    1,
    "Name the file of the API key with --key-file, or add --from-archive\n",
  ]);
  expect(await tried("rewardful", "--from-archive")).toEqual([
    1,
    "Nothing is archived of Rewardful yet: run it once with its key\n",
  ]);
  const fromArchive = ["rewardful", "--from-archive"];
  expect(await tried(...fromArchive, "--base-url", "cats")).toEqual([1, "cats is not an http(s) address\n"]);
  const report = join(folder(), "missing", "report.csv");
  expect(await tried(...fromArchive, "--report", report)).toEqual([
    1,
    `The report can't be written to ${report}: its folder is missing, or you may not write there\n`,
  ]);
  expect(await tried("rewardful", "--key-file", folder())).toEqual([
    1,
    `${folder()} is a folder, and not a file\n`,
  ]);
});
