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

/** Leads to the site's other tabs. Nothing that goes through it is stored. */
const tabs = (): BroadcastChannel => (channel ??= new BroadcastChannel("_svc_consent"));

/** Starts what the second file does. */
export function start(): void {
  link.rest = { send: sendOnce, answer, decorate: decorated, look, consent };
  quietly(() => watchPage(follow));
  quietly(cleanAddressBar);
  if (link.sent) void sendOnce(link.sent.item);
  // Consent was refused before this file was there.
  if (options.consent === "required") quietly(() => consent(false));
  // What the first file has kept.
  const now = Date.now();
  link.click ??= waiting().findLast(({ path, isPast }) => path === "click" && !isPast);
  for (const item of waiting())
    if (!item.tries) void sendOnce(item, item.at < performance.timeOrigin ? now : undefined);
  quietly(clickOfFormer);
  // After the calls that have waited for this file.
  soon(resume);
  soon(() => tabs().addEventListener("message", ({ data }) => hear(data)));
}

/** In a task of its own: the first use of cookies, storage and channels takes browsers milliseconds. */
const soon = (task: () => unknown): unknown => setTimeout(() => quietly(task));

/** What calls do here. Without a result, the callback gets the visitor. */
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

/** Signs up the given person, or the one in the form that waits for its success. */
function signup(person: object | undefined, event: Item | true): unknown {
  const kept = takePerson();
  const item = (person && event) || signUp(person || kept || {});
  return typeof item === "object" ? outcomeOf(item) : { status: "refused", error: "no referral" };
}

function decorated(address: string): string {
  return quietly(() => decorate(address)) || address;
}

/** Resolves to false without a visitor. The callback is not called then. */
async function details(): Promise<object | false> {
  await settled();
  const who = visitor();
  const answer = who.tid && (await readAnswer("details", post("details", { cid: accountId(), ...who })));
  return (answer && answer.details) || false;
}

/** The result of a call that records nothing: who the visitor is. */
async function present(): Promise<Outcome> {
  await settled();
  const who = visitor();
  return { status: who.tid ? (waiting()[0] ? "waiting" : "known") : "refused", ...who };
}

/** Goes on with what the page before has left. */
async function resume(): Promise<void> {
  // What has become too old goes, even if nothing else is sent.
  keepOnly(waiting());
  takeOverForm();
  signUpSuccess();
  // After this page's own events, so that none of them is sent twice.
  await settled();
  retryLater(0);
}

function look(): void {
  quietly(signUpSuccess);
  quietly(cleanAddressBar);
}

function consent(isGiven: boolean, isHeard?: boolean): void {
  if (!isGiven) forget();
  // An answer that every tab passed on would go round for ever.
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
  // The visitor leaves the page by another way than the form.
  takePerson();
  decorateLink(anchor);
}
