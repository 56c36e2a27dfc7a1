import type { ComponentChildren } from "preact";
import type { Refusal } from "../api/refusal.ts";
import { t } from "../../languages/messages.ts";

/** Why something failed, above its form or list. */
export function Notice({ refusal, children }: { refusal: Refusal; children?: ComponentChildren }) {
  return (
    <div class="notice bad" role="alert">
      <span>{refusal.message}</span>
      <RequestId of={refusal} />
      {children}
    </div>
  );
}

/** Says that the data may be out of date, because reloading failed. */
export function OutOfDate({ refusal, retry }: { refusal: Refusal; retry: () => void }) {
  return (
    <div class="out-of-date">
      <Notice refusal={refusal}>
        <button class="button little" onClick={retry}>
          {t("retry")}
        </button>
      </Notice>
    </div>
  );
}

/** The id of a failed request in the log. */
export function RequestId({ of: { requestId } }: { of: Refusal }) {
  if (requestId === null) return null;
  return (
    <small>
      {t("request")} <code>{requestId}</code>
    </small>
  );
}
