import { forgetClicks } from "./click.ts";
import { takePerson } from "./form.ts";
import { options } from "./options.ts";
import { forgetEvents } from "./sender.ts";
import { become } from "./visitor.ts";

let channel: BroadcastChannel | undefined;

/** Leads to the site's other tabs. Nothing that goes through it is stored. */
const tabs = (): BroadcastChannel => (channel ??= new BroadcastChannel("_svc_consent"));

/** Applies the visitor's answer, here and in the site's other tabs. */
export function setConsent(isGiven: boolean): void {
  apply(isGiven);
  tabs().postMessage(isGiven);
}

/** Calls back when the visitor has answered in another tab. */
export function hearConsent(react: () => void): void {
  tabs().addEventListener("message", ({ data }) => {
    apply(data);
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
  takePerson();
  become({}, -1);
}
