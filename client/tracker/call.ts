import { click, forgetClicks, signUp, who } from "./click.ts";
import { personIn } from "./form.ts";
import { mayAct, options, sites, type Options } from "./options.ts";
import { keepOnly, kept, type Item } from "./queue.ts";
import { quietly } from "./quietly.ts";
import { writeVisitor } from "./cookie.ts";
import { link, type Call } from "./rest.ts";
import { report, type Callback } from "./result.ts";
import { cookie, type Visitor } from "./visitor.ts";
import { watchAddress } from "./watch.ts";

/** The script's only function. */
export interface Svc {
  /**
   * Calls by name, with a value and a callback. Unknown calls do nothing, no call throws, and calls that come too early
   * wait. `decorate` also returns the URL.
   */
  (name: string, value?: unknown, callback?: Callback): unknown;
  /** The visitor. */
  readonly data: Visitor;
}

const set = (given?: Options): unknown => Object.assign(options, given);

/** What calls change immediately. */
const settings: Record<string, (value: never) => unknown> = {
  set,
  init: set,
  click: set,
  urlTracking: () => set({ url_tracking: "1" }),
  crossDomain: (domains: string[]) => sites.push(domains),
  consent: (isGiven: boolean) => setConsent(isGiven),
  submit: signUpForm,
};

/** What calls record once the script may act. */
const events: Record<string, (value: never) => Item | true | undefined> = {
  click,
  urlTracking: click,
  consent: click,
  signup: signUp,
  referral: signUp,
};

const isSignup = (name: string): boolean => events[name] === signUp;

let loading: Promise<void> | undefined;

export const svc = Object.defineProperty(call, "data", { get: who }) as Svc;

function call(name: string, value?: unknown, callback?: Callback): unknown {
  // There is nothing to do in server-side rendering.
  if (typeof document === "undefined") return;
  if (typeof value === "function") return call(name, undefined, value as Callback);
  if (!link.calls) begin();
  quietly(() => settings[name]?.(value as never));
  // The page is about to navigate, or must continue after a sign-up, even without consent.
  const early = !mayAct() && (name === "decorate" ? value : isSignup(name) && { status: "waiting" });
  report(early, callback);
  link.calls!.push({ name, value, callback: early ? undefined : callback });
  if (mayAct()) act();
  return name === "decorate" && link.rest ? link.rest.decorate(value as string) : value;
}

function act(): void {
  for (const waiting of link.calls!)
    waiting.event ??= quietly(() => events[waiting.name]?.(waiting.value as never));
  // In its own task, because the first use of cookies and storage takes milliseconds. The page's click may also be the next
  // call.
  // Once the second file is loaded, it must know of a form before the page shows its success.
  (link.rest ? queueMicrotask : setTimeout)(answer);
}

async function answer(): Promise<void> {
  // The second file continues what an earlier page has left. It is not loaded for visitors without a referral.
  const isReferred = who().tid || kept()[0] || isOfFormer();
  if (isReferred) await (loading ??= new Promise<void>(link.load).catch(() => {}));
  for (const waiting of mayAct() ? link.calls!.splice(0) : [])
    if (isReferred && link.rest) link.rest.answer(waiting);
    else refuse(waiting, isReferred ? { status: "waiting" } : { status: "refused", error: "no referral" });
}

/**
 * Whether the visitor has a cookie of Rewardful's, FirstPromoter's, Tolt's, PartnerStack's or Dub's script, or followed a
 * PartnerStack link.
 */
const isOfFormer = (): boolean | undefined =>
  quietly(() =>
    /rewardful|_fprom_|tolt_|growSumo|dub_|gspk=|ps_partner/.test(document.cookie + location.search),
  );

function refuse({ name, value, callback }: Call, outcome: object): void {
  if (!/details/i.test(name)) report(name === "decorate" ? value : outcome, callback);
}

/** Without consent, everything is removed. The page's URL still contains the referral, in case consent follows. */
export function setConsent(isGiven: boolean, isHeard?: boolean): void {
  set({ consent: isGiven ? "given" : "required" });
  if (!isGiven) {
    link.calls = link.calls!.filter(({ name }) => !isSignup(name));
    forgetClicks();
    keepOnly([]);
    if (cookie("tid")) writeVisitor({}, -1);
  }
  link.rest?.consent(isGiven, isHeard);
}

function begin(): void {
  link.calls = [];
  quietly(() =>
    watchAddress(() => {
      link.rest?.look();
      call("click");
    }),
  );
  document.addEventListener("submit", submitted as never, true);
}

function signUpForm(form: HTMLFormElement): void {
  const mark = form.getAttribute("data-svc-signup");
  const person = mark != null && personIn(form);
  if (mark === "success") call("keepForm", { person, addresses: [location.href, form.action] });
  else if (person) call("signup", person);
}

/** Handles a submitted form, except for buttons that only close a dialog. */
export const submitted = ({ target, submitter }: { target: unknown; submitter?: Element | null }): unknown =>
  submitter?.getAttribute("formmethod") !== "dialog" && call("submit", target);
