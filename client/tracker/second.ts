import { signUp } from "./click.ts";
import { cleanAddressBar, decorate } from "./cross-domain.ts";
import { clickOfFormer } from "./former.ts";
import { signUpForm, takeOverForm, takePerson, takeSuccess } from "./form.ts";
import { listen, watchPage } from "./page.ts";
import { post, type Item } from "./queue.ts";
import {
  dropWithdrawn,
  forgetOutcomes,
  outcomeOf,
  readAnswer,
  retryLater,
  sendOnce,
  settled,
  tidy,
  waiting,
} from "./sender.ts";
import { accountId, mayAct, quietly, report, state, type Call, type Outcome } from "./state.ts";
import { calls, setConsent, svc, tabs } from "./svc.ts";
import { who } from "./visitor.ts";

/** Starts the second file. */
export function start(): void {
  state.second = { send: sendOnce, answer, decorate: decorated, look, forget, listen };
  calls["signup"]!.answer = calls["referral"]!.answer = signup as never;
  calls["details"] = calls["getDetails"] = { answer: details };
  calls["decorate"] = { answer: decorated };
  calls["submit"]!.answer = submitted as never;
  dropWithdrawn();
  quietly(watchPage);
  quietly(cleanAddressBar);
  for (const { item } of state.sent) void sendOnce(item);
  // What the first file has stored.
  const now = Date.now();
  for (const item of waiting())
    if (!item.tries) void sendOnce(item, item.at < performance.timeOrigin ? now : undefined);
  if (mayAct()) quietly(clickOfFormer);
  // These come after the calls that have waited for this file.
  soon(resume);
  soon(() => tabs().addEventListener("message", ({ data }) => hear(data)));
}

/** Runs work in its own task, because the first use of cookies, storage and channels takes milliseconds. */
const soon = (task: () => unknown): unknown => setTimeout(() => quietly(task));

async function answer({ name, value, callback, event }: Call): Promise<void> {
  const own = calls[name]?.answer;
  const result = own ? own(value as never, event) : event && outcomeOf(event as Item);
  report((await result) ?? (await present()), callback);
}

/** Signs up the person in a kept form, unless the first file has done so. */
const submitted = (form: HTMLFormElement, event?: Item): unknown =>
  event ? outcomeOf(event) : quietly(() => signUpForm(form));

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
  const visitor = who();
  const answer =
    visitor.tid && (await readAnswer("details", post("details", { cid: accountId(), ...visitor })));
  return (answer && answer.details) || false;
}

/** The result of a call that records nothing: the visitor. */
async function present(): Promise<Outcome> {
  await settled();
  const visitor = who();
  return { status: visitor.tid ? (waiting()[0] ? "waiting" : "known") : "refused", ...visitor };
}

/** Continues what the previous page has left. */
async function resume(): Promise<void> {
  // Old events are dropped, even if nothing else is sent.
  tidy();
  takeOverForm();
  signUpSuccess();
  // This waits for the page's own events, so that none is sent twice.
  await settled();
  retryLater(0);
}

function look(): void {
  quietly(signUpSuccess);
  quietly(cleanAddressBar);
}

function forget(): void {
  takePerson();
  forgetOutcomes();
}

/** The visitor has answered in another tab. */
function hear(isGiven: boolean): void {
  setConsent(isGiven, true);
  look();
  svc("click");
}

function signUpSuccess(): void {
  const person = takeSuccess();
  if (person) svc("signup", person);
}
