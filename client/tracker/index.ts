import { click, present } from "./click.ts";
import { hearConsent, setConsent } from "./consent.ts";
import { addSites, decorate, decorateForm, decorateLink } from "./cross-domain.ts";
import { keepForm, personIn, takeOverForm, takePerson, takeSuccess } from "./form.ts";
import { accountId, mayAct, options, type Options } from "./options.ts";
import { post } from "./post.ts";
import { keepOnly, waiting } from "./queue.ts";
import { quietly } from "./quietly.ts";
import { retryLater, settled, withdrawal } from "./sender.ts";
import { signup } from "./signup.ts";
import { visitor, type Visitor } from "./visitor.ts";
import { watch } from "./watch.ts";

export type { Options } from "./options.ts";
export type { Outcome } from "./post.ts";
export type { Visitor } from "./visitor.ts";

/** Called with the result of a call. */
export type Callback = (result: never) => void;

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

type Action = (value: never) => unknown;

/** Calls that wait until the script may act. undefined: nothing was called yet. */
let held: (() => void)[] | undefined;

const set = (given?: Options): unknown => Object.assign(options, given);

/** What calls change immediately. */
const settings: Record<string, Action> = {
  set,
  init: set,
  click: set,
  urlTracking: () => set({ url_tracking: "1" }),
  crossDomain: addSites,
  consent: setConsent,
};

/** What calls do once the script may act. Without a result, the callback gets the visitor. */
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
  // There is nothing to do on a server that renders pages.
  if (typeof document === "undefined") return;
  if (typeof value === "function") return call(name, undefined, value as Callback);
  if (!held) begin();
  quietly(() => settings[name]?.(value as never));
  const action = actions[name];
  if (action === decorate) {
    // At once, even if the script may not act yet, because the page is about to navigate.
    const address = quietly(() => decorate(value as string)) || value;
    report(address, callback);
    return address;
  }
  // After a sign-up the page must continue, even without consent.
  const isWaiting = action === signup && !mayAct();
  if (isWaiting) report({ status: "waiting" }, callback);
  const signal = withdrawal();
  held!.push(async () => {
    if (isWaiting && signal.aborted) return;
    try {
      const result = await action?.(value as never);
      if (callback && !isWaiting) report(result ?? (await present()), callback);
    } catch {} // a tracker must never break the page it is on
  });
  if (mayAct()) for (const run of held!.splice(0)) run();
  return;
}

/** In a microtask of its own, so that an error in the page's callback reaches the page. */
function report(result: unknown, callback?: Callback): void {
  if (result && callback) queueMicrotask(() => callback(result as never));
}

function begin(): void {
  held = [() => soon(resume)];
  const look = () => {
    signUpSuccess();
    call("click");
  };
  quietly(() => watch({ look, submit, follow }));
  soon(() => hearConsent(look));
}

/** In a task of its own: the first use of cookies, storage and channels takes browsers milliseconds. */
const soon = (task: () => unknown): unknown => setTimeout(() => quietly(task));

/** Goes on with what the page before has left. Without a visitor it can have left nothing. */
async function resume(): Promise<void> {
  if (!visitor().tid) return;
  // What has become too old goes, even if nothing else is sent.
  keepOnly(waiting());
  takeOverForm();
  signUpSuccess();
  // After this page's own events, so that none of them is sent twice.
  await settled();
  retryLater(0);
}

function signUpSuccess(): void {
  const person = takeSuccess();
  if (person) call("signup", person);
}

function submit(form: HTMLFormElement, submitter?: Element | null): void {
  const mark = form.getAttribute("data-svc-signup");
  // A button that only closes a dialog signs nobody up.
  if (mark != null && submitter?.getAttribute("formmethod") !== "dialog") {
    if (mark === "success") keepForm(form);
    else call("signup", personIn(form));
  }
  decorateForm(form);
}

function follow(target: Element): void {
  const link = target.closest("a[href],area[href]");
  if (!link) return;
  // The visitor leaves the page by another way than the form.
  takePerson();
  decorateLink(link);
}

/** Resolves to false without a visitor. The callback is not called then. */
async function details(): Promise<object | false> {
  await settled();
  const who = visitor();
  const answer = who.tid && (await post("details", { cid: accountId(), ...who }));
  return (answer && answer.details) || false;
}
