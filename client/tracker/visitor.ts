import { findDomain, readCookie, writeCookie } from "./cookie.ts";
import { options, pageParam, pageRef } from "./options.ts";
import { keep, waiting } from "./outbox.ts";
import { quietly } from "./quietly.ts";
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
let retryMs = 1_000;

const line = JSON.stringify;
/** A UUID v4. Browsers end the names of blobs with one, on plain http too, where crypto.randomUUID is missing. */
const uuid = (): string => URL.createObjectURL(new Blob()).slice(-36);

/** Takes up the visitor of the cookies, which another tab may have changed; what is known where there are none. */
export function begin(): void {
  visitor = {
    tid: readCookie("_svc_tid") || visitor?.tid || options.tid,
    ref_id: readCookie("_svc_ref") || visitor?.ref_id,
  };
}

/** Forgets the visitor, here and in the browser. */
export function forget(): void {
  become("", "", -1);
  keep("");
  visitor = undefined;
}

/** Sends the click of a link that was followed, unless it is the one that is known already. */
export function click(): Promise<void> {
  const ref_id = pageRef();
  const { tid, ref_id: known } = visitor!;
  const isNew = ref_id ? ref_id !== seenRef && ref_id !== known : options.url_tracking && !tid;
  seenRef = ref_id;
  if (!isNew || waiting().includes(line({ path: "click", ref_id }).slice(0, -1))) return flush();
  findDomain();
  return enqueue("click", { ref_id, tid: options.tid || pageParam("_svc_tid") || uuid(), cookie_tid: tid });
}

/** Sends an event, after those that wait. */
export function enqueue(path: string, fields: Fields): Promise<void> {
  keep(
    `${waiting()}\n${line({ path, ...fields, url: location.href, referrer: document.referrer, ...options })}`,
  );
  return flush();
}

/**
 * Sends what waits, one after the other, as a sign-up means nothing before its click. Ends when all is
 * answered or the server is away; then it tries again later, and so does the next page.
 */
export const flush = (): Promise<void> => (sending ||= drain());

async function drain(): Promise<void> {
  // None is under way yet; the wait lets the caller note that this one is, before it can end.
  await sending;
  for (let item; visitor && (item = /.+/.exec(waiting())?.[0]);) {
    // A sign-up takes the visitor of its sending, for the click's answer may have named an older one.
    const { path, ...fields }: Fields = { tid: visitor.tid, ...quietly(() => JSON.parse(item!)) };
    const answer = fields["tid"] ? await send(path!, fields) : {};
    if (!answer) {
      setTimeout(flush, (retryMs *= 2));
      break;
    }
    // Another tab may have changed the list meanwhile, so just this item is taken out of what is there now.
    keep(waiting().replace(item, "").trim());
    const { tid, ref_id, cookie_days } = answer as { tid?: string; ref_id: string; cookie_days: number };
    if (tid) become(tid, ref_id, cookie_days);
  }
  // In the same turn as the last look at what waits, so that nothing is added unseen.
  sending = undefined;
}

function become(tid: string, ref_id: string, days: number): void {
  visitor = { tid, ref_id };
  findDomain();
  writeCookie("_svc_tid", tid, days);
  writeCookie("_svc_ref", ref_id, days);
}
