import { quietly } from "./quietly.ts";
import { visitor } from "./visitor.ts";

/** Makes calls for what happens on the page. */
export function watch(call: (name: string, value?: object) => void): void {
  const look = () => call("click");
  listen("prerenderingchange", look);
  const { navigation } = window as { navigation?: EventTarget };
  // Where the Navigation API is missing, looking is safer than to replace the page's history functions.
  if (navigation) navigation.addEventListener("currententrychange", look);
  else setInterval(look, 999);
  // The e-mail address in a submitted form that is marked so, without touching the submission.
  listen("submit", (form) => {
    if (form.matches("[data-svc-signup]")) {
      call("signup", { email: form.querySelector<HTMLInputElement>("[type=email],[name=email]")!.value });
    }
  });
}

/** Hands the visitor over to other sites of ours, in the links to them that are followed. */
export function decorateLinks(domains: string[]): void {
  const decorate = (target: Element) => {
    const link = target.closest("a")!;
    const isOurs = domains.some((domain) => `.${link.hostname}`.endsWith(`.${domain}`));
    if (isOurs && visitor?.tid && !/_svc_tid/.test(link.search)) {
      link.search += `&svc_ref=${visitor.ref_id}&_svc_tid=${visitor.tid}`;
    }
  };
  listen("click", decorate);
  listen("auxclick", decorate);
}

/** One listener on the document sees what is added to the page later as well. */
function listen(type: string, react: (target: Element) => void): void {
  document.addEventListener(type, ({ target }) => quietly(() => react(target as Element)), true);
}
