import { submitted } from "./call.ts";
import { decorateForm } from "./cross-domain.ts";
import { quietly } from "./quietly.ts";

/**
 * Watches followed links and submitted forms without changing the page's behaviour, also of elements that are added later.
 * The first file signs up the forms whose events reach the document.
 */
export function watchPage(follow: (target: Element) => void): void {
  const submit = ({ target }: { target: unknown }) => quietly(() => decorateForm(target as HTMLFormElement));
  const hear = (event: MouseEvent) =>
    quietly(() => {
      const target = event.composedPath()[0] as Element;
      const root = target.getRootNode();
      // Submit events stay within their shadow tree, but clicks on its buttons don't.
      if (root !== document) root.addEventListener("submit", submitted as never, true);
      root.addEventListener("submit", submit, true);
      // The right button opens a menu.
      if (event.button !== 2) follow(target);
    });
  document.addEventListener("click", hear, true);
  document.addEventListener("auxclick", hear, true);
  document.addEventListener("submit", submit, true);
  // It fires no event.
  const { submit: send } = HTMLFormElement.prototype;
  HTMLFormElement.prototype.submit = function () {
    submitted({ target: this });
    submit({ target: this });
    send.call(this);
  };
}
