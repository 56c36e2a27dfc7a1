import { kept, post, record, type Item } from "./queue.ts";
import { accountId, cookieName, mayAct, options, quietly, state, type Visitor } from "./state.ts";

/** A cookie. undefined if there is none, or if the page may not read cookies. */
export const readCookie = (name: string): string | undefined =>
  quietly(() => {
    const value = new RegExp(`(^|; )${name}=([^;]+)`).exec(document.cookie)?.[2];
    return value && decodeURIComponent(value);
  });

/** The visitor in the cookies. They are read each time, because other tabs change them. */
export function visitorInCookies(): Visitor {
  const tid = readCookie(cookieName("tid"));
  // A site may have its own cookies with our names, but without a visitor id.
  return tid?.length === 36 ? { tid, ref_id: readCookie(cookieName("ref")) } : state.visitor || {};
}

/** The last click that waits for its answer, unless a later one was answered. */
export function waitingClick(): Item | undefined {
  const clicks = kept().filter(({ path, isPast }) => path === "click" && !isPast);
  return clicks.pop();
}

/**
 * Who is this visitor? The one of the last link, even if the server does not know them yet. Sign-ups, links to other sites
 * and pages ask here.
 */
export function who(): Visitor {
  if (!mayAct()) return {};
  const { tid = options.tid, ref_id } = waitingClick()?.fields || visitorInCookies();
  return { tid, ref_id } as Visitor;
}

/**
 * Finds the widest domain on which the page may set cookies: the shortest suffix of the host that keeps a cookie, because
 * browsers refuse public suffixes. Empty for only the host itself.
 */
export function findDomain(): string {
  // A name that no site uses, so that no cookie of the site is overwritten.
  const probe = `_svc_${Date.now()}`;
  const labels = location.hostname.split(".");
  for (let at = 2; options.domain === undefined; at++) {
    options.domain = labels.slice(-at).join(".");
    writeCookie(probe, 1, 1);
    if (readCookie(probe)) writeCookie(probe, 1, -1);
    else options.domain = at >= labels.length ? "" : undefined;
  }
  return options.domain!;
}

/** Sets a cookie on the page's domain; -1 removes it. */
export function writeCookie(name: string, value: unknown, seconds: number): void {
  const end = location.protocol === "https:" ? ";secure" : "";
  const place = `;path=/;domain=${options.domain};max-age=${seconds};samesite=lax${end}`;
  quietly(() => (document.cookie = `${name}=${value}${place}`));
}

/** Sets the cookies of a visitor. */
export function writeVisitor({ tid, ref_id }: Visitor, seconds: number): void {
  findDomain();
  writeCookie(cookieName("tid"), tid, seconds);
  writeCookie(cookieName("ref"), ref_id, seconds);
}

/** Removes the visitor from the browser. */
export function removeVisitor(): void {
  state.visitor = undefined;
  writeVisitor({}, -1);
}

/**
 * Forgets a visitor, here and on the server. What the server may not have heard is stored, and the second file repeats it.
 * `pending`: this page's requests on their way. The server may read them after the withdrawal, and their answers may set
 * the cookies. `isElsewhere`: there may be such requests of other pages.
 */
export async function withdraw(
  tid: unknown,
  pending?: Promise<unknown>,
  isElsewhere?: boolean,
): Promise<void> {
  const fields = { cid: accountId(), tid };
  /** Whether the server has answered, or the withdrawal is stored. */
  let isDone = false;
  const store = () => {
    if (!isDone) record("withdraw", fields);
    isDone = true;
  };
  const tell = async () => {
    if (visitorInCookies().tid === tid) removeVisitor();
    return (await post("withdraw", fields))?.json().catch(() => {});
  };
  if (isElsewhere) store();
  addEventListener("pagehide", store);
  let answer = await tell();
  if (await pending) answer = await tell();
  isDone ||= !!answer?.status;
  store();
}
