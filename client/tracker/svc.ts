import { click, lookAgain, signUp } from "./click.ts";
import { isWithdrawal, keepOnly, kept, type Item } from "./queue.ts";
import {
  mayAct,
  options,
  quietly,
  report,
  sites,
  state,
  storageName,
  type Call,
  type Callback,
  type Options,
  type Visitor,
} from "./state.ts";
import { visitorInCookies, who, withdraw } from "./visitor.ts";

/** The script's only function. */
export interface Svc {
  /**
   * Calls by name, with a value and a callback. A call of an unknown name, like `onReady`, only tells the callback who the
   * visitor is. No call throws, and calls that come too early wait. `decorate` also returns the URL.
   */
  (name: string, value?: unknown, callback?: Callback): unknown;
  /** The visitor. */
  readonly data: Visitor;
}

/** What a call does. */
interface Row {
  /** Immediately. */
  now?(value: never): unknown;
  /** Once the script may act, before anything is sent or loaded. */
  record?(value: never): Item | true | undefined;
  /**
   * Added by the second file: makes the callback's argument. Without this, that is the event's result. Without an event, it
   * is the visitor.
   */
  answer?(value: never, event: Item | true | undefined): unknown;
}

const set = (given?: Options): unknown => Object.assign(options, given);

/** The calls by name. The second file adds those that record nothing. */
export const calls: Record<string, Row> = {
  set: { now: set },
  init: { now: set },
  click: { now: set, record: click },
  urlTracking: { now: () => set({ url_tracking: "1" }), record: click },
  crossDomain: { now: (domains: string[]) => sites.push(domains) },
  consent: { now: setConsent, record: click },
  signup: { record: signUp },
  referral: { record: signUp },
  submit: { record: signUpEarly },
};

const isSignup = (name: string): boolean => /^(signup|referral|submit)$/.test(name);

/** Calls that wait for consent or for the second file. Undefined before the first call. */
let waiting: Call[] | undefined;
/** The page's URL when it was last looked at. */
let href: string;
let loading: Promise<void> | undefined;
let channel: BroadcastChannel | undefined;

export const svc = Object.defineProperty(call, "data", { get: who }) as Svc;

function call(name: string, value?: unknown, callback?: Callback): unknown {
  // There is nothing to do in server-side rendering.
  if (typeof document === "undefined") return;
  if (typeof value === "function") return call(name, undefined, value as Callback);
  waiting ??= begin();
  watch();
  quietly(() => calls[name]?.now?.(value as never));
  // The page is about to navigate, or must continue after a sign-up, even without consent.
  const early = !mayAct() && (name === "decorate" ? value : isSignup(name) && { status: "waiting" });
  report(early, callback);
  waiting.push({ name, value, callback: early ? undefined : callback });
  act();
  return name === "decorate" && state.second ? state.second.decorate(value as string) : value;
}

function act(): void {
  if (mayAct())
    for (const each of waiting!)
      each.event ??= quietly(() => calls[each.name]?.record?.(each.value as never));
  // In a later task, because the first use of cookies and storage takes milliseconds, and because the page may call again.
  // With the second file in a microtask, because it must know of a form before the page shows its success.
  (state.second ? queueMicrotask : setTimeout)(answerAll);
}

async function answerAll(): Promise<void> {
  // The second file continues what an earlier page has left. It is not loaded for visitors without a referral, and without
  // consent only to withdraw it.
  const isNeeded = mayAct() ? who().tid || kept()[0] || isOfFormer() : kept().some(isWithdrawal);
  if (isNeeded) await (loading ??= new Promise<void>(state.load).catch(() => {}));
  if (!mayAct()) return;
  for (const each of waiting!.splice(0))
    if (isNeeded && state.second) state.second.answer(each);
    else refuse(each, isNeeded ? { status: "waiting" } : { status: "refused", error: "no referral" });
}

/**
 * Whether the visitor may have a cookie of another program's script, or may have followed a PartnerStack link. The second
 * file, which has the same names, looks more closely.
 */
const isOfFormer = (): boolean | undefined =>
  quietly(() =>
    /rewardful|_fprom_|tolt_|growSumo|dub_|gspk=|ps_partner/.test(document.cookie + location.search),
  );

/** `details` calls back only with details. */
function refuse({ name, value, callback }: Call, outcome: object): void {
  if (!/details/i.test(name)) report(name === "decorate" ? value : outcome, callback);
}

/** `isHeard`: the visitor has answered in another tab. */
export function setConsent(isGiven: boolean, isHeard?: boolean): void {
  set({ consent: isGiven ? "given" : "required" });
  if (!isGiven) forget();
  // If every tab passed the answer on, it would circulate forever.
  if (isHeard !== true && (channel || !isGiven)) quietly(() => tabs().postMessage(isGiven));
}

/** The channel to the site's other tabs, which stores nothing. */
export const tabs = (): BroadcastChannel => (channel ??= new BroadcastChannel("_svc_consent"));

/**
 * Removes everything that the browser knows of the visitor, and tells the server to do the same. The second file repeats
 * that until the server has heard it. The page's URL still contains the referral, in case consent follows.
 */
function forget(): void {
  const signUps = waiting!.filter(({ name }) => isSignup(name));
  waiting = waiting!.filter(({ name }) => !isSignup(name));
  for (const each of signUps) refuse(each, { status: "refused", error: "no consent" });
  lookAgain();
  for (const name of ["form", "former"]) quietly(() => sessionStorage.removeItem(storageName(name)));
  state.second?.forget();
  const { sent } = state;
  state.sent = [];
  const pending = sent[0] && Promise.all(sent.map(({ answer }) => answer));
  const own = sent.map(({ item }) => item.fields["tid"]);
  const events = kept();
  keepOnly(events.filter(isWithdrawal));
  const tids = events.map((item) => !isWithdrawal(item) && item.fields["tid"]);
  for (const tid of new Set([visitorInCookies().tid, ...tids, ...own]))
    if (tid) void withdraw(tid, pending, tids.includes(tid) && !own.includes(tid));
}

function begin(): Call[] {
  href = location.href;
  // No event reports them in every browser: the Navigation API is new, and some pages redefine its global.
  for (const name of ["pushState", "replaceState"] as const) {
    const original = history[name];
    history[name] = function (...given) {
      original.apply(history, given);
      look();
    };
  }
  return [];
}

/** Listens to the page. A page that writes itself anew loses its listeners; repeated ones do not count. */
function watch(): void {
  state.second?.listen();
  document.addEventListener("prerenderingchange", act);
  document.addEventListener("submit", submittedEarly as never, true);
  addEventListener("popstate", look);
  quietly(() =>
    (globalThis as { navigation?: EventTarget }).navigation?.addEventListener("currententrychange", look),
  );
}

/** Looks at the page's URL if it has changed. */
function look(): void {
  if (href === (href = location.href)) return;
  state.second?.look();
  // Consent makes the page look again.
  if (mayAct()) call("click");
}

/** Keeps a copy of a marked form that is sent before the second file is there. */
const submittedEarly = ({ target: form }: { target: HTMLFormElement }): unknown =>
  quietly(() => !state.second && form.matches("[data-svc-signup]") && call("submit", form.cloneNode(true)));

/** Signs up the person in a kept form, in case the second file does not come. That file reads more of a form. */
function signUpEarly(form: HTMLFormElement): Item | true | undefined {
  if (state.second || !form.matches("[data-svc-signup]:not([data-svc-signup=success])")) return;
  const person: Record<string, string> = {};
  for (const field of form.querySelectorAll<HTMLInputElement>("[type=email],[name=email],[data-svc-field]")) {
    const name = field.dataset["svcField"];
    if (isReadable(field) && (name || field.type !== "hidden")) person[name || "email"] ||= field.value;
  }
  return person["email"] || person["uid"] ? signUp(person) : undefined;
}

/** Whether a field may be read. Browsers fill secrets into some: passwords, codes that are used once, numbers of cards. */
export const isReadable = ({ type, autocomplete, checked }: HTMLInputElement): boolean =>
  !/password|file/.test(type) &&
  !/password|one-time|cc-/.test(autocomplete) &&
  (checked || !/radio|checkbox/.test(type));
