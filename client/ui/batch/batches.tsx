import { useLocation } from "preact-iso/router";
import { useEffect } from "preact/hooks";
import { CopyButton } from "../feedback/copy.tsx";
import { RequestId } from "../feedback/notice.tsx";
import { count, several } from "../format.ts";
import { batches, dismissBatch, dismissEnded, isRunning, stopBatch, type Batch } from "./batch.ts";

/** How many ids are shown. All can be copied. */
const MOST_IDS = 10;

/** The progress of batches. The app has one, so that batches stay visible on every page. */
export function Batches() {
  const { path } = useLocation();
  useEffect(dismissEnded, [path]);
  return (
    <div class="batches" role="status" aria-live="polite">
      {batches.value.map((batch) => (
        <OneBatch key={batch.id} batch={batch} />
      ))}
    </div>
  );
}

function OneBatch({ batch }: { batch: Batch }) {
  const { id, title, total, handledCount, errors, state, refusal } = batch;
  return (
    <div class="batch card stack tight">
      <strong id={`batch-${id}`}>{title}</strong>
      <progress aria-labelledby={`batch-${id}`} max={Math.max(1, total)} value={handledCount} />
      {/* Screen readers read the bar on demand. A number that changes all the time would be announced endlessly. */}
      <span class="small soft" aria-hidden="true">
        {count(handledCount - errors.length)} of {count(total)} done
      </span>
      {errors.length > 0 && <Unchanged errors={errors} />}
      {refusal && (
        <p class="fault">
          It stopped: {refusal.message} <RequestId of={refusal} />
        </p>
      )}
      {state === "stopped" && refusal === null && <p>You have stopped it.</p>}
      <Buttons batch={batch} />
    </div>
  );
}

/** The first button keeps its position, and so the focus, when its text changes. */
function Buttons({ batch }: { batch: Batch }) {
  const { id, total, handledCount, state, resume } = batch;
  return (
    <div class="row">
      {state !== "done" && (
        <button
          class="button little"
          aria-disabled={state === "stopping"}
          onClick={() => (state === "stopped" ? resume() : stopBatch(id))}
        >
          {state === "stopped" ? `Continue with the other ${count(total - handledCount)}` : "Stop"}
        </button>
      )}
      {!isRunning(batch) && (
        <button class="button plain little" onClick={() => dismissBatch(id)}>
          Dismiss
        </button>
      )}
    </div>
  );
}

/** The unchanged records, by reason. */
function Unchanged({ errors }: { errors: string[] }) {
  return (
    <div class="small stack tight">
      <p>{several(errors.length, "record")} stayed unchanged:</p>
      <ul>
        {[...idsByReason(errors)].map(([reason, ids]) => (
          <li key={reason}>
            {reason} ({ids.slice(0, MOST_IDS).join(", ")}
            {ids.length > MOST_IDS && ` and ${several(ids.length - MOST_IDS, "other")}`})
          </li>
        ))}
      </ul>
      <div>
        <CopyButton text={errors.join("\n")} of="the ids with their reasons" />
      </div>
    </div>
  );
}

/** `7: Promoter not found.` is the id with the reason. */
function idsByReason(errors: string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const error of errors) {
    const [id = "", ...reason] = error.split(": ");
    const words = reason.join(": ");
    found.set(words, [...(found.get(words) ?? []), id]);
  }
  return found;
}
