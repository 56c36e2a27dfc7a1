import { click, present } from "./click.ts";
import { hearConsent, setConsent } from "./consent.ts";
import { addSites, decorate, decorateForm, decorateLink } from "./cross-domain.ts";
import { accountId, mayAct, options, type Options } from "./options.ts";
import { post } from "./post.ts";
import { quietly } from "./quietly.ts";
import { retryLater, settled } from "./sender.ts";
import { isNoted, noteForm, signup } from "./signup.ts";
import { visitor, type Visitor } from "./visitor.ts";
import { watch } from "./watch.ts";

export type { Options } from "./options.ts";
export type { Outcome } from "./post.ts";
export type { Visitor } from "./visitor.ts";

/** Called with what became of a call, or with what was asked for. */
export type Callback = (result: never) => void;

/** The script's one function. */
export interface Svc {
  /**
   * Calls by name, with what belongs to the call, and a callback. Unknown calls do nothing, nothing is ever
   * thrown, and calls made too early are kept until their time. `decorate` gives the address as well.
   */
  (name: string, value?: unknown, callback?: Callback): unknown;
  /** Who the visitor is. */
  readonly data: Visitor;
}

type Action = (value: never) => unknown;

/** Calls that wait until the script may act. undefined: none was made yet. */
let held: (() => void)[] | undefined;

const set = (given?: Options): unknown => Object.assign(options, given);

/** What calls change at once. */
const settings: Record<string, Action> = {
  set,
  init: set,
  click: set,
  urlTracking: () => set({ url_tracking: "1" }),
  crossDomain: addSites,
  consent: setConsent,
};

/** What calls give once the script may act; the others tell who the visitor is. */
const actions: Record<string, Action> = {
  click,
  urlTracking: click,
  consent: click,
  signup,
  referral: signup,
  details,
  getDetails: details,
  decorate,
};

export const svc = Object.defineProperty(call, "data", { get: visitor }) as Svc;

function call(name: string, value?: unknown, callback?: Callback): unknown {
  // On a server that renders pages there is nothing to do.
  if (typeof document === "undefined") return;
  if (typeof value === "function") return call(name, undefined, value as Callback);
  if (!held) begin();
  quietly(() => settings[name]?.(value as never));
  const action = actions[name] || present;
  if (action === decorate) {
    // At once, because the page is about to go there, whatever the script may do.
    const address = quietly(() => decorate(value as string)) || value;
    tell(address, callback);
    return address;
  }
  // The page goes on after a sign-up, with consent or without.
  const isToldLater = mayAct() || action !== signup;
  if (!isToldLater) tell({ status: "waiting" }, callback);
  held!.push(async () => {
    try {
      const result = await action(value as never);
      if (isToldLater) tell(result, callback);
    } catch {} // a tracker must never break the page it is on
  });
  if (mayAct()) for (const run of held!.splice(0)) run();
  return;
}

/** In a turn of its own, so that what goes wrong in the page's callback is told to the page. */
function tell(result: unknown, callback?: Callback): void {
  if (result && callback) queueMicrotask(() => callback(result as never));
}

function begin(): void {
  // What waits from earlier pages is read only where there is a visitor that it could be of.
  held = [() => visitor().tid && retryLater(0)];
  const leave = () => isNoted() && call("signup");
  const look = () => {
    leave();
    call("click");
  };
  quietly(() => hearConsent(look));
  quietly(() => watch({ look, leave, submit, follow: decorateLink }));
}

function submit(form: HTMLFormElement, submitter?: Element | null): void {
  if (noteForm(form, submitter)) call("signup");
  decorateForm(form);
}

async function details(): Promise<object | undefined> {
  await settled();
  const who = visitor();
  return who.tid ? (await post("details", { cid: accountId(), ...who })).details : undefined;
}
