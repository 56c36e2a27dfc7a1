import { forgetClicks } from "./click.ts";
import { options } from "./options.ts";
import { forgetEvents } from "./sender.ts";
import { become } from "./visitor.ts";

/** A storage key that is written and removed at once, only to notify other tabs. */
const NAME = "_svc_consent";

/** Applies the visitor's answer, here and in the site's other tabs. */
export function setConsent(isGiven: boolean): void {
  apply(isGiven);
  localStorage[NAME] = isGiven;
  delete localStorage[NAME];
}

/** Calls back when the visitor has answered in another tab. */
export function hearConsent(react: () => void): void {
  addEventListener("storage", ({ key, newValue }) => {
    if (key !== NAME || !newValue) return;
    apply(newValue === "true");
    react();
  });
}

/**
 * Without consent everything is forgotten. The page's address still names the referral, in case consent
 * follows.
 */
function apply(isGiven: boolean): void {
  options.consent = isGiven ? "given" : "required";
  if (isGiven) return;
  forgetEvents();
  forgetClicks();
  become({}, -1);
}
