import { quietly } from "./quietly.ts";
import { visitor } from "./visitor.ts";

/** Calls back whenever a single-page application may have changed the address. */
export function onNavigation(changed: () => void): void {
  const { navigation } = window as { navigation?: EventTarget };
  // Where the Navigation API is missing, looking is safer than to replace the page's history functions.
  if (navigation) navigation.addEventListener("currententrychange", changed);
  else setInterval(changed, 999);
}

/** Tells the e-mail address in a submitted form that is marked `data-svc-signup`, without touching the submission. */
export function onForms(submitted: (email: string) => void): void {
  listen("submit", (form) => {
    if (form.matches("[data-svc-signup]")) {
      submitted(form.querySelector<HTMLInputElement>("[type=email],[name=email]")!.value);
    }
  });
}

/** Hands the visitor over to other sites of ours, in the links to them that are followed. */
export function onLinks(domains: string[]): void {
  listen("click", (target) => decorate(target.closest("a")!, domains));
  listen("auxclick", (target) => decorate(target.closest("a")!, domains));
}

/** One listener on the document sees what is added to the page later as well. */
export function listen(type: string, react: (target: Element) => void): void {
  document.addEventListener(type, ({ target }) => quietly(() => react(target as Element)), true);
}

function decorate(link: HTMLAnchorElement, domains: string[]): void {
  const isOurs = domains.some((domain) => `.${link.hostname}`.endsWith(`.${domain}`));
  if (!isOurs || !visitor?.tid || /_svc=/.test(link.search)) return;
  link.search += `${link.search ? "&" : "?"}_svc=${visitor.tid}~${visitor.ref_id}`;
}
