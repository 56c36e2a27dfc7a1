import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { Bones, Empty } from "../feedback/state.tsx";

/**
 * A page whose code is loaded when it is first shown: `lazy(async () => (await import("./leads.tsx")).Leads)`. After an
 * update of the server the old files are gone; reloading gets the new ones.
 */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | null = null;
  return function Lazy(props: P) {
    const hasLoaded = useSignal(loaded !== null);
    const hasFailed = useSignal(false);
    useEffect(() => {
      if (loaded !== null) return;
      load().then(
        (component) => {
          loaded = component;
          hasLoaded.value = true;
        },
        () => (hasFailed.value = true),
      );
    }, []);
    if (hasFailed.value) return <Stale />;
    const Loaded = hasLoaded.value ? loaded : null;
    return Loaded === null ? <Bones lines={6} /> : <Loaded {...props} />;
  };
}

function Stale() {
  return (
    <Empty title="This page could not be loaded">
      <p>The server may have been updated, or you are offline.</p>
      <button class="button" onClick={() => location.reload()}>
        Reload
      </button>
    </Empty>
  );
}
