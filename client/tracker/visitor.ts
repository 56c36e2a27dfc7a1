import { findDomain, readCookie, writeCookie } from "./cookie.ts";
import { options, pageRef } from "./options.ts";
import { keep, waiting, type Item } from "./outbox.ts";
import { send, type Fields } from "./transport.ts";

/** Who the visitor is, as far as this page knows. */
export interface Visitor {
  tid?: string | undefined;
  ref_id?: string | undefined;
}

/** The visitor of this moment. undefined: the script may not act yet. */
export let visitor: Visitor | undefined;
/** The ref id that this page has dealt with. */
let seenRef: string | undefined;
let sending: Promise<void> | undefined;
let retries = 0;

/** Takes up the visitor of the cookies, or the one that another of our sites hands over. */
export function begin(): void {
  findDomain();
  visitor = { tid: options.tid || readCookie("_svc_tid"), ref_id: readCookie("_svc_ref") };
  const [handover, tid, ref] = /_svc=([^~]+)~([^&#]+)&?/.exec(location.href) || [];
  if (handover) {
    become(tid!, ref!, 60);
    history.replaceState(history.state, "", location.href.replace(handover, ""));
  }
}

/** Forgets the visitor, here and in the browser. */
export function forget(): void {
  keep([]);
  become("", "", -1);
  visitor = undefined;
}

/** Sends the click of a link that was followed, unless it is the one that is known already. */
export function click(): Promise<void> {
  const ref_id = pageRef();
  const { tid, ref_id: known } = visitor!;
  const isNew = ref_id ? ref_id !== seenRef && ref_id !== known : options.url_tracking && !tid;
  seenRef = ref_id;
  if (!isNew || waiting().some((item) => JSON.parse(item)[1].ref_id === ref_id)) return flush();
  return enqueue("click", { tid: uuid(), cookie_tid: tid, ref_id });
}

/** Sends an event, after those that wait. */
export function enqueue(path: string, fields: Fields): Promise<void> {
  const { href: url } = location;
  keep([...waiting(), JSON.stringify([path, { url, referrer: document.referrer, ...fields, ...options }])]);
  return flush();
}

/**
 * Sends what waits, one after the other, as a sign-up means nothing before its click. Ends when all is
 * answered or the server is away; then it tries again later, and so does the next page.
 */
export function flush(): Promise<void> {
  return (sending ||= Promise.resolve().then(drain));
}

async function drain(): Promise<void> {
  for (let item: Item | undefined; visitor && (item = waiting()[0]);) {
    const [path, given] = JSON.parse(item) as [string, Fields];
    // A sign-up takes the visitor of its sending, for the click's answer may have named an older one.
    const fields = { tid: visitor.tid, ...given };
    const answer = fields.tid ? await send(path, fields) : {};
    if (!answer) {
      setTimeout(flush, 2000 * 2 ** retries++);
      break;
    }
    // Another tab may have changed the list meanwhile, so just this item is taken out of what is there now.
    keep(waiting().filter((other) => other !== item));
    const { tid, ref_id, cookie_days } = answer as { tid?: string; ref_id: string; cookie_days: number };
    if (tid) become(tid, ref_id, cookie_days);
  }
  // In the same turn as the last look at what waits, so that nothing is added unseen.
  sending = undefined;
}

function become(tid: string, ref_id: string, days: number): void {
  visitor = { tid, ref_id };
  writeCookie("_svc_tid", tid, days);
  writeCookie("_svc_ref", ref_id, days);
}

/** A UUID v4. Browsers end the names of blobs with one, on plain http too, where crypto.randomUUID is missing. */
const uuid = (): string => URL.createObjectURL(new Blob()).slice(-36);
