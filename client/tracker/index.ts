import { options, type Options } from "./options.ts";
import { decorateLinks, watch } from "./page.ts";
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

const set = (given: Options): Options => Object.assign(options, given);

/** What calls change at once. */
const settings: Record<string, (value: never) => void> = {
  set,
  init: set,
  click: set,
  urlTracking: () => set({ url_tracking: "1" }),
  consent(isGiven: boolean) {
    options.consent = isGiven ? "" : "required";
    if (!isGiven) forget();
  },
};

/** What calls do when the script may act. */
const actions: Record<string, (value: never) => unknown> = {
  click,
  urlTracking: click,
  signup,
  referral: signup,
  onReady: flush,
  details: () => flush().then(() => send("details", { ...options, ...visitor })),
  crossDomain: (domains: string | string[]) => decorateLinks(([] as string[]).concat(domains)),
};

/**
 * The script's one function: the name of a call, what belongs to it, and a callback. Unknown calls are
 * ignored, nothing is ever thrown, and calls made too early are kept until their time.
 */
export function svc(name: string, value?: unknown, callback?: Callback): void {
  quietly(() => settings[name]?.(value as never));
  if (!held) {
    held = [];
    watch(svc);
  }
  held.push(async () => {
    // What goes wrong here must not come back to the page from us, be it in its own callback.
    try {
      const result = await actions[name]?.(value as never);
      ((callback || value) as Callback | undefined)?.((result || visitor) as Answer);
    } catch {}
  });
  quietly(act);
}

/** Does what was held, once the page has said whose it is, the visitor may be tracked, and sees the page. */
function act(): void {
  if (!options.cid || options.consent || (document as { prerendering?: boolean }).prerendering) return;
  begin();
  for (const call of held!.splice(0)) call();
}
