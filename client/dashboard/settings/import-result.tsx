import type { components } from "../../ui/api/types.ts";
import { several } from "../../ui/format.ts";

type Batch = components["schemas"]["BatchProcess"];

/** How many faults are shown. The file has all that the server has stored. */
const MOST_SHOWN = 20;

const COUNTS: [name: string, words: string][] = [
  ["added", "New"],
  ["changed", "Known, and changed"],
  ["known", "Known, left as they are"],
  ["bad", "Bad, left out"],
];

/** The result of an import or a dry run. */
export function Result({ batch, name }: { batch: Batch; name: string }) {
  const { meta, failed_count: failedCount, processing_errors: faults } = batch;
  const shown = faults.slice(0, MOST_SHOWN);
  return (
    <div class="stack" aria-live="polite">
      <dl class="facts">
        {COUNTS.map(([each, words]) => (
          <>
            <dt>{words}</dt>
            <dd>{several(Number(meta[each] ?? 0), "line")}</dd>
          </>
        ))}
      </dl>
      {failedCount > 0 && (
        <div class="stack tight">
          <h3>Bad lines</h3>
          <ul class="stack tight entries small">
            {shown.map((fault) => (
              <li key={fault} class="said">
                Line {fault}
              </li>
            ))}
          </ul>
          {failedCount > shown.length && (
            <p class="small soft">And {several(failedCount - shown.length, "other")}.</p>
          )}
          <div>
            <button class="button little" onClick={() => saveFaults(batch, name)}>
              Download the bad lines with their faults
            </button>
          </div>
        </div>
      )}
    </div>
  );
}

/** Saves the faults as a CSV file. Each has its line's number first: `7: email is invalid`. */
export function saveFaults({ processing_errors: faults }: Batch, name: string): void {
  const lines = faults.map((fault) => {
    const [line = "", ...reason] = fault.split(": ");
    return `${line},"${reason.join(": ").replaceAll('"', '""')}"`;
  });
  const text = ["line,fault", ...lines, ""].join("\r\n");
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = `faults-of-${name.replace(/\.\w+$/, "")}.csv`;
  link.click();
  URL.revokeObjectURL(address);
}
