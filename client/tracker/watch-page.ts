import { submitted } from "./call.ts";
import { decorateForm } from "./cross-domain.ts";
import { quietly } from "./quietly.ts";

/**
 * Watches the page without changing what it does: the links that are followed, and the forms that are sent. This includes
 * elements that are added later. The first file signs up the forms that the document hears of.
 */
export function watchPage(follow: (target: Element) => void): void {
  const submit = ({ target }: { target: unknown }) => quietly(() => decorateForm(target as HTMLFormElement));
  const hear = (event: MouseEvent) =>
    quietly(() => {
      const target = event.composedPath()[0] as Element;
      const root = target.getRootNode();
      // Submit events stay within their shadow tree, but clicks on its buttons leave it.
      if (root !== document) root.addEventListener("submit", submitted as never, true);
      root.addEventListener("submit", submit, true);
      // The right button opens a menu.
      if (event.button !== 2) follow(target);
    });
  document.addEventListener("click", hear, true);
  document.addEventListener("auxclick", hear, true);
  document.addEventListener("submit", submit, true);
  // It fires no event at all.
  const { submit: send } = HTMLFormElement.prototype;
  HTMLFormElement.prototype.submit = function () {
    submitted({ target: this });
    submit({ target: this });
    send.call(this);
  };
}
