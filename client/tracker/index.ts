import { options, type Options } from "./options.ts";
import { listen, onForms, onLinks, onNavigation } from "./page.ts";
import { quietly } from "./quietly.ts";
import { send, type Answer } from "./transport.ts";
import { begin, click, enqueue, flush, forget, visitor, type Visitor } from "./visitor.ts";

export type { Options } from "./options.ts";
export type { Visitor } from "./visitor.ts";

/** Called when a call has done what it can now: with the visitor, or what was asked for. */
export type Callback = (result: Visitor | Answer) => void;

/** A person: their e-mail address and, or, your own id for them, and what else you know. */
export interface Person {
  email?: string;
  uid?: string | number;
  [field: string]: string | number | undefined;
}

const signup = (person: Person): Promise<void> => enqueue("signup", person as never);

/** Calls made before the script may act. */
let held: (() => void)[] | undefined;

/** Calls that take effect at once. */
const settings: Record<string, (value: never) => void> = {
  set: (given: Options) => Object.assign(options, given),
  init: (given: Options) => options.cid || Object.assign(options, given),
  consent(isGiven: boolean) {
    options.consent = isGiven ? "" : "required";
    if (!isGiven) forget();
  },
};

/** Calls that wait until the script may act. */
const actions: Record<string, (value: never) => unknown> = {
  click(given?: Options) {
    Object.assign(options, given);
    return click();
  },
  signup,
  referral: signup,
  details: () => flush().then(() => send("details", { ...options, ...visitor })),
  onReady: flush,
  crossDomain: (domains: string | string[]) => onLinks(([] as string[]).concat(domains)),
  urlTracking() {
    options.url_tracking = "1";
    return click();
  },
};

/**
 * The script's one function: the name of a call, what belongs to it, and a callback. Unknown calls are
 * ignored, nothing is ever thrown, and calls made too early are kept until their time.
 */
export function svc(name: string, ...args: unknown[]): void {
  const callback = args.find((argument) => typeof argument === "function") as Callback | undefined;
  const value = args[0] as never;
  quietly(() => settings[name]?.(value));
  held ||= listenAll();
  held.push(async () => {
    // What goes wrong here, the page's own callback included, must not come back to the page from us.
    try {
      const result = await actions[name]?.(value);
      callback?.((result as Answer) || visitor);
    } catch {}
  });
  quietly(act);
}

function listenAll(): [] {
  listen("prerenderingchange", act);
  onForms((email) => svc("signup", { email }));
  onNavigation(() => svc("click"));
  return [];
}

/** Does what was held, once the page has said whose it is, the visitor may be tracked, and sees the page. */
function act(): void {
  if (!options.cid || options.consent || (document as { prerendering?: boolean }).prerendering) return;
  if (!visitor) begin();
  for (const call of held!.splice(0)) call();
}
