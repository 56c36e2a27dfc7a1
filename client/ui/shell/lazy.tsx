import { useSignal } from "@preact/signals";
import { exec } from "preact-iso/router";
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { Skeleton, Empty } from "../feedback/state.tsx";
import { t } from "../../languages/messages.ts";

/** A page or dialog whose code is loaded when it is first shown, or preloaded. */
export type LazyPage<P extends object = object> = ComponentType<P> & { preload: () => Promise<void> };

/**
 * Makes a page whose code is loaded when it is first shown: `lazy(async () => (await import("./leads.tsx")).Leads)`. After an
 * update of the server, the old files are gone, and a reload gets the new ones. A dialog has `null` in its place while it
 * is loaded.
 */
export function lazy<P extends object>(
  load: () => Promise<ComponentType<P>>,
  meanwhile: ComponentChildren = <Skeleton lines={6} />,
): LazyPage<P> {
  let loaded: ComponentType<P> | null = null;
  const preload = async () => {
    loaded ??= await load();
  };
  function Lazy(props: P) {
    const hasLoaded = useSignal(loaded !== null);
    const hasFailed = useSignal(false);
    useEffect(() => {
      preload().then(
        () => (hasLoaded.value = true),
        () => (hasFailed.value = true),
      );
    }, []);
    if (hasFailed.value) return <Stale />;
    const Loaded = hasLoaded.value ? loaded : null;
    return Loaded === null ? <>{meanwhile}</> : <Loaded {...props} />;
  }
  return Object.assign(Lazy, { preload });
}

/** Starts loading the page at a path. Errors are reported when the page is shown. */
export function preloadPage(pages: { path: string; component: LazyPage }[], path: string): void {
  pages
    .find((page) => exec(path, page.path))
    ?.component.preload()
    .catch(() => {});
}

function Stale() {
  return (
    <Empty title={t("stale")}>
      <p>{t("stale.text")}</p>
      <button class="button" onClick={() => location.reload()}>
        {t("reload")}
      </button>
    </Empty>
  );
}
