// What we aim at, and the mark that a release must reach.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { row } from "./servers.mjs";

const AIMS = [
  { what: "sign-up, of bare node:http", aim: 0.28, mark: 0.18 },
  { what: "click, of bare node:http", aim: 0.35, mark: 0.2 },
  { what: "promoter create, of bare node:http", aim: 0.15, mark: 0.08 },
  { what: "promoter details, of bare node:http", aim: 0.25, mark: 0.15 },
  { what: "sale, three tiers, of bare node:http", aim: 0.12, mark: 0.07 },
  { what: "sale, three tiers, p99 ms", mark: 60 },
  { what: "refund of them, p99 ms", mark: 80 },
  { what: "list or report over 1,000,000 leads, p95 ms", aim: 150, mark: 300, by: "test/bench/scale.mjs" },
  { what: "any other filter or text, p95 ms", aim: 500, mark: 1_000, by: "test/bench/scale.mjs" },
  { what: "delay of sign-ups by a report, ms", aim: 5, mark: 20, by: "test/bench/scale.mjs" },
  { what: "payouts from 1,000,000 commissions, s", aim: 10, mark: 25, by: "test/bench/payouts.mjs" },
  { what: "npm test, two idle cores, s", aim: 80, mark: 120, by: "npm test" },
  { what: "own files of a sign-up", aim: 30, mark: 40, by: "test/bench/signup-files.mjs" },
  { what: "lines of server/", aim: 44_000, mark: 47_000 },
];

/** Prints the aims beside the results, which are a number or why there is none, by the names of the aims. */
export function printAims(results) {
  console.log(`\n${row(["", "result", "aim", "mark", ""], 48)}`);
  for (const { what, aim = "", mark, by } of AIMS) {
    const result = what === "lines of server/" ? linesBelow("server") : results.get(what);
    const shown = result ?? (by === undefined ? "not run" : `by ${by}`);
    const verdict = typeof result === "number" ? `   ${verdictOf(result, aim, mark)}` : "";
    console.log(row([what, shown, ...(result === undefined && by ? [] : [aim, mark])], 48) + verdict);
  }
}

/** Of ratios more is better, and of everything else less. */
function verdictOf(result, aim, mark) {
  const reaches = (bound) => (bound < 1 ? result >= bound : result <= bound);
  if (aim !== "" && reaches(aim)) return "aim reached";
  return reaches(mark) ? "mark reached" : "missed";
}

function linesBelow(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith(".ts"))
    .reduce((sum, name) => sum + readFileSync(join(folder, name), "utf8").split("\n").length - 1, 0);
}
