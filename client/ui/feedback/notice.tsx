import type { ComponentChildren } from "preact";
import type { Refusal } from "../api/refusal.ts";

/** Why something failed, above the form or the list that it concerns. */
export function Notice({ refusal, children }: { refusal: Refusal; children?: ComponentChildren }) {
  return (
    <div class="notice bad" role="alert">
      <span>{refusal.message}</span>
      <RequestId of={refusal} />
      {children}
    </div>
  );
}

/** What is shown may be out of date: loading it again has failed. */
export function OutOfDate({ refusal, retry }: { refusal: Refusal; retry: () => void }) {
  return (
    <div class="out-of-date">
      <Notice refusal={refusal}>
        <button class="button little" onClick={retry}>
          Try again
        </button>
      </Notice>
    </div>
  );
}

/** The id by which the log knows a failed request. */
export function RequestId({ of: { requestId } }: { of: Refusal }) {
  if (requestId === null) return null;
  return (
    <small>
      Request <code>{requestId}</code>
    </small>
  );
}
