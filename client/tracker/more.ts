import { become } from "./become.ts";
import { setConsent, svc } from "./call.ts";
import { signUp } from "./click.ts";
import { cleanAddressBar, decorate, decorateLink } from "./cross-domain.ts";
import { clickOfFormer, forgetFormer } from "./former.ts";
import { post } from "./post.ts";
import { accountId, options } from "./options.ts";
import { keepOnly, type Item } from "./queue.ts";
import { quietly } from "./quietly.ts";
import { link, type Call } from "./rest.ts";
import { report, type Outcome } from "./result.ts";
import { forgetOutcomes, outcomeOf, readAnswer, retryLater, sendOnce, settled, waiting } from "./sender.ts";
import { keepForm, takeOverForm, takePerson, takeSuccess } from "./success.ts";
import { visitor } from "./visitor.ts";
import { watchPage } from "./watch-page.ts";

let channel: BroadcastChannel | undefined;

/** The channel to the site's other tabs, which stores nothing. */
const tabs = (): BroadcastChannel => (channel ??= new BroadcastChannel("_svc_consent"));

/** Starts the second file. */
export function start(): void {
  link.rest = { send: sendOnce, answer, decorate: decorated, look, consent };
  quietly(() => watchPage(follow));
  quietly(cleanAddressBar);
  if (link.sent) void sendOnce(link.sent.item);
  // Consent was refused before this file was loaded.
  if (options.consent === "required") quietly(() => consent(false));
  // events that the first file has stored
  const now = Date.now();
  link.click ??= waiting().findLast(({ path, isPast }) => path === "click" && !isPast);
  for (const item of waiting())
    if (!item.tries) void sendOnce(item, item.at < performance.timeOrigin ? now : undefined);
  quietly(clickOfFormer);
  // after the calls that have waited for this file
  soon(resume);
  soon(() => tabs().addEventListener("message", ({ data }) => hear(data)));
}

/** Runs work in its own task, because the first use of cookies, storage and channels takes milliseconds. */
const soon = (task: () => unknown): unknown => setTimeout(() => quietly(task));

/** The calls of this file. Without a result, the callback gets the visitor. */
const actions: Record<string, (value: never, event: Item | true) => unknown> = {
  signup,
  referral: signup,
  details,
  getDetails: details,
  decorate: decorated,
  keepForm,
};

async function answer({ name, value, callback, event }: Call): Promise<void> {
  const action = actions[name];
  const own = action ? action(value as never, event as Item) : event && outcomeOf(event as Item);
  report((await own) ?? (await present()), callback);
}

/** Signs up the given person, or the one in the submitted form. */
function signup(person: object | undefined, event: Item | true): unknown {
  const kept = takePerson();
  const item = (person && event) || signUp(person || kept || {});
  return typeof item === "object" ? outcomeOf(item) : { status: "refused", error: "no referral" };
}

function decorated(address: string): string {
  return quietly(() => decorate(address)) || address;
}

/** Resolves to false without a visitor; then the callback is not called. */
async function details(): Promise<object | false> {
  await settled();
  const who = visitor();
  const answer = who.tid && (await readAnswer("details", post("details", { cid: accountId(), ...who })));
  return (answer && answer.details) || false;
}

/** The result of a call that records nothing: the visitor. */
async function present(): Promise<Outcome> {
  await settled();
  const who = visitor();
  return { status: who.tid ? (waiting()[0] ? "waiting" : "known") : "refused", ...who };
}

/** Continues what the previous page has left. */
async function resume(): Promise<void> {
  // Old events are dropped, even if nothing else is sent.
  keepOnly(waiting());
  takeOverForm();
  signUpSuccess();
  // after this page's own events, so that none is sent twice
  await settled();
  retryLater(0);
}

function look(): void {
  quietly(signUpSuccess);
  quietly(cleanAddressBar);
}

function consent(isGiven: boolean, isHeard?: boolean): void {
  if (!isGiven) forget();
  // If every tab passed the answer on, it would circulate forever.
  if (!isHeard) tabs().postMessage(isGiven);
}

/** The visitor has answered in another tab. */
function hear(isGiven: boolean): void {
  setConsent(isGiven, true);
  look();
  svc("click");
}

function forget(): void {
  keepOnly([]);
  forgetOutcomes();
  forgetFormer();
  takePerson();
  become({}, -1);
}

function signUpSuccess(): void {
  const person = takeSuccess();
  if (person) svc("signup", person);
}

function follow(target: Element): void {
  const anchor = target.closest("a[href],area[href]");
  if (!anchor) return;
  // The visitor leaves the page in another way than by the form.
  takePerson();
  decorateLink(anchor);
}
