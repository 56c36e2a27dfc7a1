import { forgetClicks } from "./click.ts";
import { options } from "./options.ts";
import { forgetEvents } from "./sender.ts";
import { become } from "./visitor.ts";

/** Other tabs hear of what is written under it, though it is gone by then: nothing is kept. */
const NAME = "_svc_consent";

/** Takes what the visitor says, here and in the site's other tabs. */
export function setConsent(isGiven: boolean): void {
  apply(isGiven);
  localStorage[NAME] = isGiven;
  delete localStorage[NAME];
}

/** Calls when the visitor has said something in another tab. */
export function hearConsent(react: () => void): void {
  addEventListener("storage", ({ key, newValue }) => {
    if (key !== NAME || !newValue) return;
    apply(newValue === "true");
    react();
  });
}

/** A no empties all memory. The page's address still names the referral, for a yes that may follow. */
function apply(isGiven: boolean): void {
  options.consent = isGiven ? "given" : "required";
  if (isGiven) return;
  forgetEvents();
  forgetClicks();
  become({}, -1);
}
