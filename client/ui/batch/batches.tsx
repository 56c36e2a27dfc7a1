import { count, several } from "../format.ts";
import { batches, dismissBatch, isRunning, type Batch } from "./batch.ts";

/** More than these nobody reads. */
const MOST_ERRORS = 5;

/** Where batches show their progress. The app has one, so that a batch stays in sight on every page. */
export function Batches() {
  return (
    <div class="batches" role="status" aria-live="polite">
      {batches.value.map((batch) => (
        <OneBatch key={batch.id} batch={batch} />
      ))}
    </div>
  );
}

function OneBatch({ batch }: { batch: Batch }) {
  const { id, title, total, doneCount, errors, refusal, resume } = batch;
  return (
    <div class="batch card stack tight">
      <strong id={`batch-${id}`}>{title}</strong>
      <progress aria-labelledby={`batch-${id}`} max={total} value={doneCount} />
      <span class="small soft">
        {count(doneCount)} of {count(total)} done
      </span>
      {errors.length > 0 && <Errors errors={errors} />}
      {refusal && <p class="fault">It stopped: {refusal.message}</p>}
      {!isRunning(batch) && (
        <div class="row">
          {refusal && (
            <button class="button little" onClick={resume}>
              Go on with the other {count(total - doneCount)}
            </button>
          )}
          <button class="button plain little" onClick={() => dismissBatch(id)}>
            Dismiss
          </button>
        </div>
      )}
    </div>
  );
}

function Errors({ errors }: { errors: string[] }) {
  const rest = errors.length - MOST_ERRORS;
  return (
    <div class="small">
      <p>{several(errors.length, "record")} stayed unchanged:</p>
      <ul>
        {errors.slice(0, MOST_ERRORS).map((error) => (
          <li key={error}>{error}</li>
        ))}
        {rest > 0 && <li>and {several(rest, "other")}</li>}
      </ul>
    </div>
  );
}
