import { quietly } from "./quietly.ts";

/** Reactions to what happens on the page. */
export interface Watch {
  submit(form: HTMLFormElement, submitter?: Element | null): void;
  /** Something was clicked, perhaps a link. */
  follow(target: Element): void;
}

/** Watches the page without changing what it does. This includes elements that are added later. */
export function watchPage({ submit, follow }: Watch): void {
  const hear = (event: Event & { submitter?: Element; button?: number }) =>
    quietly(() => {
      const target = event.composedPath()[0] as HTMLFormElement;
      if (event.type === "submit") return submit(target, event.submitter);
      // Submit events stay within their shadow tree, but clicks on its buttons leave it.
      target.getRootNode().addEventListener("submit", hear, true);
      // The right button opens a menu.
      if (event.button !== 2) follow(target);
    });
  for (const type of ["click", "auxclick", "submit"]) document.addEventListener(type, hear, true);
  // It fires no event at all.
  const { submit: send } = HTMLFormElement.prototype;
  HTMLFormElement.prototype.submit = function () {
    quietly(() => submit(this));
    send.call(this);
  };
}
