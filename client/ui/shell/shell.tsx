import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso/router";
import { useEffect } from "preact/hooks";
import { isOffline } from "../api/offline.ts";
import { Questions, useModal } from "../feedback/dialog.tsx";
import { Toasts } from "../feedback/toast.tsx";
import { pathOf } from "../base.ts";
import { Logo } from "./logo.tsx";
import { t } from "../../languages/messages.ts";

/** A link of the navigation, for its page and all pages below. */
export interface NavItem {
  path: string;
  title: string;
}

/** Links under a heading, which is optional for the first group. */
export interface NavGroup {
  title?: string;
  items: NavItem[];
}

interface ShellProps {
  /** The company's name. */
  name: string;
  home: string;
  groups: NavGroup[];
  /** Opens the search. Absent: the pages have none. */
  find?: () => void;
  /** The signed-in user, with a button to sign out. */
  who: ComponentChildren;
  /** Content in the corner of all pages, above the toasts. */
  corner?: ComponentChildren;
  children: ComponentChildren;
}

/** The frame of all pages, with the navigation on the side, or in a drawer on phones. */
export function Shell({ name, home, groups, find, who, corner, children }: ShellProps) {
  const isOpen = useSignal(false);
  const { url } = useLocation();
  useEffect(() => void (isOpen.value = false), [url]);
  const navigation = (
    <>
      <div class="side-head">
        <Brand name={name} home={home} />
        {find && (
          <button class="button plain little find" aria-keyshortcuts="/ Control+K Meta+K" onClick={find}>
            {t("search")}
          </button>
        )}
      </div>
      <Navigation home={home} groups={groups} />
      <div class="who">{who}</div>
    </>
  );
  return (
    <>
      <a class="skip button" href="#content" onClick={skip}>
        {t("skip")}
      </a>
      <div class="shell">
        <header class="side">{navigation}</header>
        <header class="top">
          <Brand name={name} home={home} />
          <button class="button plain" aria-expanded={isOpen.value} onClick={() => (isOpen.value = true)}>
            {t("menu")}
          </button>
        </header>
        <main class="content" id="content" tabIndex={-1}>
          {isOffline.value && (
            <p class="notice warn" role="status">
              {t("offline")}
            </p>
          )}
          {children}
        </main>
      </div>
      {isOpen.value && <Drawer onClose={() => (isOpen.value = false)}>{navigation}</Drawer>}
      <Questions />
      <div class="corner">
        {corner}
        <Toasts />
      </div>
    </>
  );
}

function Navigation({ home, groups }: Pick<ShellProps, "home" | "groups">) {
  const { path } = useLocation();
  const here = pathOf(path);
  const isHere = (target: string) => here === target || (target !== home && here.startsWith(`${target}/`));
  return (
    <nav class="nav" aria-label={t("pages")}>
      {groups.map(({ title, items }) => (
        <>
          {title && <p class="nav-group">{title}</p>}
          {items.map((item) => (
            <a key={item.path} href={item.path} aria-current={isHere(item.path) ? "page" : undefined}>
              {item.title}
            </a>
          ))}
        </>
      ))}
    </nav>
  );
}

function Brand({ name, home }: Pick<ShellProps, "name" | "home">) {
  return (
    <a class="brand" href={home}>
      <Logo name={name} />
    </a>
  );
}

function Drawer({ onClose, children }: { onClose: () => void; children: ComponentChildren }) {
  const element = useModal();
  return (
    <dialog
      ref={element}
      class="drawer"
      aria-label={t("menu")}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // A click on the dialog itself is outside its content. After a link, the new page gets the focus. An error of signing out
      // would be hidden behind the dialog.
      onClick={({ target }) => {
        if (
          target === element.current ||
          (target instanceof Element && target.closest("a, .find, .who button"))
        )
          onClose();
      }}
    >
      <div class="stack">
        <div>
          <button class="button plain little" onClick={onClose}>
            {t("close")}
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}

/** The fragment belongs to the lists, so the link must not change it. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById("content")?.focus();
}
