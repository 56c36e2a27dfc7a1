import type { ComponentChildren } from "preact";
import type { Refusal } from "../api/refusal.ts";
import type { Loaded } from "../api/load.ts";
import { OutOfDate, RequestId } from "./notice.tsx";
import { t } from "../../languages/messages.ts";

/** Nothing to show yet, and what to do about it. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="state">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Something could not be loaded. */
export function Failed({
  refusal,
  retry,
  wayBack,
}: {
  refusal: Refusal;
  retry: () => void;
  /** Where a reader of a missing record can go. */
  wayBack?: ComponentChildren;
}) {
  if (refusal.status === 403) return <NotAllowed />;
  if (refusal.status === 404) return <Missing>{wayBack}</Missing>;
  return (
    <div class="state" role="alert">
      <h2>{t("failed")}</h2>
      <p>{refusal.message}</p>
      <RequestId of={refusal} />
      <button class="button" onClick={retry}>
        {t("retry")}
      </button>
    </div>
  );
}

/** The user's role does not allow this. */
export function NotAllowed() {
  return (
    <Empty title={t("forbidden")}>
      <p>{t("forbidden.text")}</p>
    </Empty>
  );
}

/** There is no such record or page. */
export function Missing({ children }: { children?: ComponentChildren }) {
  return (
    <Empty title={t("missing")}>
      <p>{t("missing.text")}</p>
      {children}
    </Empty>
  );
}

/** Shows loaded data, with a notice if reloading failed. Before that, it shows the skeleton or the error. */
export function Await<T>({
  loaded: { data, refusal, reload },
  skeleton,
  wayBack,
  children,
}: {
  loaded: Loaded<T>;
  skeleton?: ComponentChildren;
  /** Shown if there is no such record. */
  wayBack?: ComponentChildren;
  children: (data: T) => ComponentChildren;
}) {
  if (data.value !== null) {
    return (
      <>
        {refusal.value && <OutOfDate refusal={refusal.value} retry={reload} />}
        {children(data.value)}
      </>
    );
  }
  if (refusal.value !== null) return <Failed refusal={refusal.value} retry={reload} wayBack={wayBack} />;
  return <div aria-busy="true">{skeleton ?? <Skeleton lines={6} />}</div>;
}

/** Placeholder lines for text that is being loaded. */
export function Skeleton({ lines = 1 }: { lines?: number }) {
  return (
    <div class="stack" role="status" aria-label={t("loading")}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class="skeleton-line" style={{ "--width": `${90 - ((line * 17) % 50)}%` }} />
      ))}
    </div>
  );
}
