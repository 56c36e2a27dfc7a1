import { click, forgetClicks, signUp, who } from "./click.ts";
import { personIn, submissionOf } from "./form.ts";
import { mayAct, options, sites, type Options } from "./options.ts";
import { waiting, type Item } from "./queue.ts";
import { quietly } from "./quietly.ts";
import { writeVisitor } from "./cookie.ts";
import { forgetUnsent, link, load, sendUnsent } from "./rest.ts";
import { report, type Callback } from "./result.ts";
import { cookie, visitor, type Visitor } from "./visitor.ts";
import { watchAddress } from "./watch.ts";

/** The script's only function. */
export interface Svc {
  /**
   * Calls by name, with a value and a callback. Unknown calls do nothing, no call throws, and calls made too
   * early wait until their time. `decorate` also returns the address.
   */
  (name: string, value?: unknown, callback?: Callback): unknown;
  /** The visitor. */
  readonly data: Visitor;
}

/** Calls that wait until the script may act. undefined: nothing was called yet. */
let held: Parameters<typeof act>[] | undefined;

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

/** What calls record once the script may act. `true`: the second file does it. */
const events: Record<string, (value: never) => Item | true | undefined> = {
  click,
  urlTracking: click,
  consent: click,
  signup: signUp,
  referral: signUp,
  keepForm: () => true,
  resume,
};

const isSignup = (name: string): boolean => events[name] === signUp;

export const svc = Object.defineProperty(call, "data", { get: who }) as Svc;

function call(name: string, value?: unknown, callback?: Callback): unknown {
  // There is nothing to do on a server that renders pages.
  if (typeof document === "undefined") return;
  if (typeof value === "function") return call(name, undefined, value as Callback);
  if (!held) begin();
  quietly(() => settings[name]?.(value as never));
  // The page is about to navigate, or must continue after a sign-up, even without consent.
  const early = !mayAct() && (name === "decorate" ? value : isSignup(name) && { status: "waiting" });
  report(early, callback);
  held!.push([name, value, early ? undefined : callback]);
  if (mayAct()) for (const waiting of held!.splice(0)) void act(...waiting);
  return name === "decorate" && link.rest ? link.rest.decorate(value as string) : value;
}

/** Goes on with what an earlier page has left. */
function resume(): undefined {
  // In a task of its own: the first use of cookies and storage takes browsers milliseconds.
  setTimeout(() => quietly(() => (visitor().tid || waiting()[0]) && load()));
}

async function act(name: string, value?: unknown, callback?: Callback): Promise<void> {
  const event = quietly(() => events[name]?.(value as never));
  if (!event && !callback) return;
  const isDecorate = name === "decorate";
  // The page's click may be the next call.
  await undefined;
  // Nothing is loaded for visitors whom nobody has sent.
  if (!event && !who().tid) {
    const refusal = !/details/i.test(name) && { status: "refused", error: "no referral" };
    return report(isDecorate ? value : refusal, callback);
  }
  const rest = await load();
  report(
    rest ? await rest.result({ name, value, event }) : isDecorate ? value : { status: "waiting" },
    callback,
  );
}

/** Without consent everything is forgotten. The page's address still names the referral, in case consent follows. */
export function setConsent(isGiven: boolean, isHeard?: boolean): void {
  set({ consent: isGiven ? "given" : "required" });
  if (!isGiven) {
    held = held!.filter(([name]) => !isSignup(name));
    forgetClicks();
    forgetUnsent();
  }
  if (link.rest) link.rest.consent(isGiven, isHeard);
  else if (!isGiven && cookie("tid")) {
    writeVisitor({}, -1);
    void load();
  }
}

function begin(): void {
  held = [["resume"]];
  quietly(() =>
    watchAddress(() => {
      link.rest?.look();
      call("click");
    }),
  );
  addEventListener("pagehide", sendUnsent);
  document.addEventListener(
    "submit",
    ({ target, submitter }) => link.rest || quietly(() => submitted(target as HTMLFormElement, submitter)),
    true,
  );
}

/** A form was sent. A button that only closes a dialog signs nobody up. */
export function submitted(form: HTMLFormElement, submitter?: Element | null): void {
  if (submitter?.getAttribute("formmethod") !== "dialog") call("submit", form);
}

function signUpForm(form: HTMLFormElement): void {
  const mark = form.getAttribute("data-svc-signup");
  if (mark === "success") call("keepForm", submissionOf(form));
  else if (mark != null) call("signup", personIn(form));
}
