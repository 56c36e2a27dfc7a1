import { useSignal, type Signal } from "@preact/signals";
import { useCallback, useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { asRefusal, type Refusal } from "./refusal.ts";

/** Loaded data. During a reload, the old data stay, so that nothing jumps. */
export interface Loaded<T> {
  /** Null until the first answer. */
  data: Signal<T | null>;
  /** Null if the last request succeeded or is under way. */
  refusal: Signal<Refusal | null>;
  isLoading: Signal<boolean>;
  reload: () => Promise<void>;
}

/** Loads when the component appears, and whenever one of `inputs` changes. Late answers to earlier inputs are dropped. */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, inputs: unknown[] = []): Loaded<T> {
  const data = useSignal<T | null>(null);
  const refusal = useSignal<Refusal | null>(null);
  const isLoading = useSignal(true);
  const current = useRef<AbortController | null>(null);
  // Work that outlives a change of inputs reloads the current data.
  const latest = useRef(load);
  latest.current = load;
  const reload = useCallback(async () => {
    current.current?.abort();
    const own = new AbortController();
    current.current = own;
    isLoading.value = true;
    try {
      const loaded = await latest.current(own.signal);
      if (own.signal.aborted) return;
      data.value = loaded;
      refusal.value = null;
    } catch (error) {
      if (own.signal.aborted) return;
      refusal.value = asRefusal(error);
    }
    isLoading.value = false;
  }, []);
  // Before the browser paints, so that old data are never shown without the loading state.
  useLayoutEffect(() => {
    void reload();
    return () => current.current?.abort();
  }, inputs);
  return { data, refusal, isLoading, reload };
}

/** Repeats a request while the page is visible. */
export function useRepeat(repeat: () => Promise<void>, everyMs: number): void {
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === "visible" && void repeat(), everyMs);
    return () => clearInterval(timer);
  }, [repeat, everyMs]);
}
