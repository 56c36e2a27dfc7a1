import { quietly } from "./quietly.ts";

/** What the page is watched for. */
export interface Watch {
  /** The page has another address, or is seen at last. */
  look(): void;
  /** The page is left. */
  leave(): void;
  submit(form: HTMLFormElement, submitter?: Element | null): void;
  /** Something was clicked, perhaps a link. */
  follow(target: Element): void;
}

/** Watches the page without touching what it does. What the page adds later is seen too. */
export function watch({ look, leave, submit, follow }: Watch): void {
  const hear = (event: Event & { submitter?: Element }) =>
    quietly(() => {
      const target = event.composedPath()[0] as HTMLFormElement;
      if (event.type === "submit") return submit(target, event.submitter);
      // Submissions stay within their shadow tree, clicks on its buttons do not.
      target.getRootNode().addEventListener("submit", hear, true);
      follow(target);
    });
  for (const type of ["click", "auxclick", "submit"]) document.addEventListener(type, hear, true);
  document.addEventListener("prerenderingchange", look);
  addEventListener("pagehide", leave);
  addEventListener("popstate", look);
  // Wrapped, because nothing else tells of them in every browser: the Navigation API is young, and pages have
  // other things under the name of its global. form.submit() makes no event at all.
  for (const name of ["pushState", "replaceState"] as const) {
    const original = history[name];
    history[name] = function (...given) {
      original.apply(history, given);
      look();
    };
  }
  const { submit: send } = HTMLFormElement.prototype;
  HTMLFormElement.prototype.submit = function () {
    quietly(() => submit(this));
    send.call(this);
  };
}
