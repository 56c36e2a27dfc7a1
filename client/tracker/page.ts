import { decorateForm, decorateLink } from "./cross-domain.ts";
import { dropForm, signUpForm } from "./form.ts";
import { quietly } from "./state.ts";

type Submitted = { target: unknown; submitter?: Element | null };

/**
 * Watches followed links and submitted forms without changing the page's behaviour, also of elements that are added later.
 */
export function watchPage(): void {
  listen();
  // `form.submit()` fires no submit event.
  const { submit: send } = HTMLFormElement.prototype;
  HTMLFormElement.prototype.submit = function () {
    submitted({ target: this });
    send.call(this);
  };
}

/** Listens to the page. Repeated listeners do not count. */
export function listen(): void {
  document.addEventListener("click", clicked, true);
  document.addEventListener("auxclick", clicked, true);
  document.addEventListener("submit", submitted as never, true);
}

/** Handles a submitted form, unless its button only closes a dialog. */
function submitted({ target, submitter }: Submitted): void {
  if (submitter?.getAttribute("formmethod") === "dialog") return;
  const form = target as HTMLFormElement;
  quietly(() => signUpForm(form, submitter));
  quietly(() => decorateForm(form, submitter));
}

function clicked(event: MouseEvent): void {
  quietly(() => {
    const target = event.composedPath()[0] as Element;
    // Submit events stay within their shadow tree, but clicks on its buttons don't.
    target.getRootNode().addEventListener("submit", submitted as never, true);
    // The right button opens a menu.
    const anchor = event.button !== 2 && target.closest("a[href],area[href]");
    if (!anchor) return;
    if (!event.button) dropForm(anchor as HTMLAnchorElement);
    decorateLink(anchor);
  });
}
