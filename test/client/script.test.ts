import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { Window } from "happy-dom";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const SCRIPT = readFileSync("dist/svc.js", "utf8");
const TID = "7f1b2c3d-1111-4222-8333-444455556666";

const RECORDED = { status: "recorded", tid: TID, ref_id: "jane", cookie_days: 60, has_cookies: false };
const NOBODY = { status: "refused", tid: null, ref_id: null, cookie_days: 0, has_cookies: false };
const OFFLINE = 0;

type Svc = ((...args: unknown[]) => void) & { q?: unknown[]; data?: unknown };
type Told = { status: string };
type Fetch = { path: string; form: Record<string, string> };

let window: Window & { svc?: Svc };
let sent: Fetch[];
/** The server's next answers. A number is a status without a body. */
let answers: (object | string | number | null)[];
let warnings: unknown[][];
let pageErrors: unknown[];

beforeEach(() => open("https://www.acme.example/?via=jane"));
afterEach(async () => {
  await window.happyDOM.close();
});

function open(url: string, previous?: Window): void {
  window = new Window({ url }) as typeof window;
  for (const key of Object.keys(previous?.localStorage ?? {})) {
    window.localStorage.setItem(key, previous!.localStorage.getItem(key)!);
  }
  if (previous) window.document.cookie = previous.document.cookie;
  sent = [];
  answers = [];
  timers = [];
  warnings = [];
  pageErrors = [];
  window.fetch = (async (address: string, init: { body: URLSearchParams }) => {
    sent.push({ path: new URL(address).pathname, form: Object.fromEntries(init.body) });
    const answer = answers.length ? answers.shift() : RECORDED;
    const isStatus = typeof answer === "number";
    if (answer === OFFLINE) throw new TypeError("Failed to fetch");
    return {
      ok: !isStatus,
      status: isStatus ? answer : 200,
      headers: new Headers(answer === 429 ? { "retry-after": "30" } : {}),
      json: async () => (isStatus ? { error: `status ${answer}` } : answer),
    };
  }) as never;
}

/** Runs the built file in the window, as a script element with these attributes would. */
function load(
  attributes: Record<string, string> | null = { cid: "acme" },
  {
    storage = window.localStorage,
    opened,
    settings,
  }: { storage?: object; opened?: string; settings?: object } = {},
): void {
  const script = attributes && { src: "https://track.acme.example/svc.js", dataset: attributes };
  Object.defineProperty(window.document, "currentScript", { value: script, configurable: true });
  const globals = {
    SVC_SETTINGS: settings,
    window,
    document: window.document,
    location: window.location,
    origin: window.location.origin,
    localStorage: storage,
    navigator: window.navigator,
    history: window.history,
    HTMLFormElement: window.HTMLFormElement,
    addEventListener: window.addEventListener.bind(window),
    performance: { getEntriesByType: () => [{ name: opened ?? window.location.href }] },
    globalThis: { webkitURL: URL },
    fetch: window.fetch,
    // Node's own channel would notify the windows of other tests.
    BroadcastChannel: undefined,
    console: { warn: (...line: unknown[]) => void warnings.push(line) },
    queueMicrotask: (run: () => void) =>
      queueMicrotask(() => {
        try {
          run();
        } catch (error) {
          pageErrors.push(error);
        }
      }),
    setTimeout: (run: () => void, delayMs?: number) =>
      delayMs === undefined ? setImmediate(run) : timers.push({ run, delayMs }),
  };
  new Function(...Object.keys(globals), SCRIPT)(...Object.values(globals));
}

/** A storage that the page may not use. */
const refuse = () => {
  throw new Error("denied");
};
const DENIED = new Proxy({}, { get: refuse, set: refuse, deleteProperty: refuse });

const settle = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
const queued = () => JSON.parse(window.localStorage.getItem("_svc_q") ?? "[]") as unknown[];
/** The callback and delay of the script's only timer. */
let timers: { run: () => void; delayMs: number }[];

describe("the built script", () => {
  it("is small", () => {
    expect(gzipSync(SCRIPT, { level: 9 }).length).toBeLessThanOrEqual(4_640);
  });

  it("uses no HTML sink, no eval and no global but its own", () => {
    expect(SCRIPT).not.toMatch(/innerHTML|outerHTML|document\.write|insertAdjacent|eval\(|new Function/);
    expect(SCRIPT.match(/window\b/g)!.length).toBeLessThan(3);
  });

  it("posts the click of a link as a form and keeps the answer", async () => {
    load();
    await settle();
    expect(sent).toEqual([
      {
        path: "/t/click",
        form: {
          cid: "acme",
          tid: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
          ref_id: "jane",
          url: "https://www.acme.example/?via=jane",
          referrer: "",
          domain: "acme.example",
        },
      },
    ]);
    expect(window.document.cookie).toContain(`_svc_tid=${TID}`);
    expect(window.document.cookie).toContain("_svc_ref=jane");
    expect(queued()).toEqual([]);
  });

  it.each([
    ["?ref=b&fpr=a", { cid: "acme" }, "a,b"],
    ["?mine=m&svc_ref=s", { cid: "acme", param: "mine" }, "m,s"],
    ["?via=%20&ref=second", { cid: "acme" }, "second"],
    ["?_get=last", { cid: "acme" }, "last"],
    ["?via=newsletter&ref=jane", { cid: "acme" }, "newsletter,jane"],
    ["?VIA=Jane/", { cid: "acme" }, "jane"],
    ["?x=1&amp;via=(jane).", { cid: "acme" }, ""],
    ["?x=1&amp;via=jane).", { cid: "acme" }, "jane"],
    ["?via=%E2%80%8Bja%E2%80%8Dne", { cid: "acme" }, "jane"],
    ["?x=1#via=jane", { cid: "acme", fragment: "" }, ""],
    ["#via=jane", { cid: "acme", fragment: "1" }, "jane"],
    ["#/pricing?via=jane&x=1", { cid: "acme", fragment: "1" }, "jane"],
  ])("reads the ref id of %s with %o", async (query, attributes, refId) => {
    open(`https://www.acme.example/${query}`);
    load(attributes as unknown as Record<string, string>);
    await settle();
    expect(sent.map(({ form }) => form["ref_id"])).toEqual(refId === "" ? [] : [refId]);
  });

  it("reads neither cookies nor storage while it is loaded on a page without a referral", async () => {
    open("https://www.acme.example/?utm_source=news");
    const read: string[] = [];
    const get = (_: object, name: string) => void read.push(name);
    Object.defineProperty(window.document, "cookie", { get: () => (read.push("cookie"), "") });
    load({ cid: "acme" }, { storage: new Proxy({}, { get }) });
    expect(read).toEqual([]);
    await settle();
    expect(new Set(read)).toEqual(new Set(["cookie"]));
  });

  it("sends nothing without a referral", async () => {
    open("https://www.acme.example/");
    load();
    window.svc!("referral", { email: "lead@example.com" });
    await settle();
    expect(sent).toEqual([]);
    expect(queued()).toEqual([]);
  });

  it("asks nothing about the details of nobody, and does not call back", async () => {
    open("https://www.acme.example/");
    const calls: unknown[] = [];
    load();
    window.svc!("details", (details: unknown) => calls.push(details));
    await settle();
    await settle();
    expect(sent).toEqual([]);
    open("https://www.acme.example/?via=jane");
    answers = [RECORDED, { details: null }];
    load();
    window.svc!("click");
    window.svc!("details", (details: unknown) => calls.push(details));
    await settle();
    await settle();
    expect(sent.map(({ path }) => path)).toEqual(["/t/click", "/t/details"]);
    expect(calls).toEqual([]);
  });

  it("sends a sign-up at once together with its click, and later ones as the visitor that the server named", async () => {
    load();
    window.svc!("referral", { email: "lead@example.com" });
    await settle();
    expect(sent.map(({ path }) => path)).toEqual(["/t/click", "/t/signup"]);
    const [{ form: click }, { form: signup }] = sent as [Fetch, Fetch];
    expect(signup).toEqual({ ...click, email: "lead@example.com" });
    window.svc!("referral", { email: "other@example.com", uid: 0, age: null, plan: { seats: 2 } });
    await settle();
    expect(sent[2]).toEqual({
      path: "/t/signup",
      form: {
        cid: "acme",
        domain: "acme.example",
        tid: TID,
        ref_id: "jane",
        email: "other@example.com",
        uid: "0",
        plan: '{"seats":2}',
      },
    });
  });

  it.each([500, 503, 429])(
    "keeps what the server answered with %i, and sends it on the next page",
    async (status) => {
      answers = [status];
      load();
      await settle();
      const [{ form: first }] = sent as [Fetch];
      expect(queued()).toHaveLength(1);
      expect(window.document.cookie).toContain(`_svc_tid=${first["tid"]}`);
      open("https://www.acme.example/next", window);
      load();
      await settle();
      timers[0]!.run();
      await settle();
      expect(sent.map(({ form }) => form["tid"])).toEqual([first["tid"]]);
      expect(queued()).toEqual([]);
    },
  );

  it.each([403, 404, 422])(
    "forgets what the server refused for good with %i, and tells why",
    async (status) => {
      answers = [status];
      load();
      await settle();
      expect(queued()).toEqual([]);
      expect(warnings).toEqual([["svc: click refused", { error: `status ${status}` }]]);
    },
  );

  it("forgets a ref id that belongs to nobody", async () => {
    open("https://www.acme.example/?via=nobody");
    answers = [NOBODY];
    load();
    await settle();
    expect(window.document.cookie).toBe("");
  });

  it("stores nothing before the answer if Global Privacy Control is on", async () => {
    Object.defineProperty(window.navigator, "globalPrivacyControl", { value: true });
    answers = [500];
    load();
    await settle();
    expect(window.localStorage.length).toBe(0);
    expect(window.document.cookie).toBe("");
  });

  it("waits while a page is prerendered", async () => {
    Object.defineProperty(window.document, "prerendering", { value: true, configurable: true });
    load();
    await settle();
    expect(sent).toEqual([]);
    Object.defineProperty(window.document, "prerendering", { value: false });
    window.document.dispatchEvent(new window.Event("prerenderingchange"));
    await settle();
    expect(sent).toHaveLength(1);
  });

  it("works with storage that is denied, full or corrupt", async () => {
    load({ cid: "acme" }, { storage: DENIED });
    window.svc!("signup", { uid: 1 });
    await settle();
    expect(sent.map(({ path }) => path)).toEqual(["/t/click", "/t/signup"]);
    open("https://www.acme.example/?via=jane");
    load({ cid: "acme" }, { storage: new Proxy({}, { set: refuse }) });
    await settle();
    expect(sent).toHaveLength(1);
  });

  it.each(["{spoilt", '[["click"]]', "null\n5\n", '"text"', "{}"])(
    "gets over a foreign %j among what waits, and sends what it was to send",
    async (foreign) => {
      const storage = { _svc_q: foreign };
      load({ cid: "acme" }, { storage });
      await settle();
      expect(sent.at(-1)).toMatchObject({ path: "/t/click", form: { ref_id: "jane" } });
      expect(storage).toEqual({});
    },
  );

  it("takes over a visitor from another site once the server has named it", async () => {
    open(`https://shop.acme.example/?x=1&svc_ref=jane&_svc_tid=${TID}${Date.now() - 60_000}`);
    load();
    await settle();
    expect(window.location.href).toBe("https://shop.acme.example/?x=1");
    expect(sent.map(({ path, form }) => [path, form["tid"], form["ref_id"]])).toEqual([
      ["/t/click", TID, "jane"],
    ]);
    expect(window.document.cookie).toContain(`_svc_tid=${TID}`);
  });

  it("stays the same function when it is loaded twice, and leaves a foreign svc alone", async () => {
    load();
    const first = window.svc;
    load();
    expect(window.svc).toBe(first);
    await settle();
    expect(sent).toHaveLength(1);
    open("https://www.acme.example/?via=jane");
    const own = () => {};
    window.svc = own;
    load();
    expect(window.svc).toBe(own);
  });

  it("makes the stub's calls in order, ignores unknown ones, and lets the page see its own errors", async () => {
    const calls: string[] = [];
    const q: unknown[] = [
      ["init", { cid: "acme" }],
      ["nonsense", 1],
      ["constructor"],
      [
        "click",
        () => {
          calls.push("click");
          throw new Error("the page's own");
        },
      ],
      ["onReady", () => calls.push("ready")],
      ["details", (answer: unknown) => calls.push(JSON.stringify(answer))],
    ];
    window.svc = Object.assign(() => {}, { q });
    answers = [RECORDED, { details: { promoter: { first_name: "Jane" } } }];
    load({});
    await settle();
    await settle();
    expect(calls).toEqual(["click", "ready", '{"promoter":{"first_name":"Jane"}}']);
    expect(pageErrors).toEqual([new Error("the page's own")]);
    expect(sent.map(({ path }) => path)).toEqual(["/t/click", "/t/details"]);
  });

  it("reports the result of each call", async () => {
    const told: unknown[] = [];
    const tell = (outcome: unknown) => void told.push(outcome);
    answers = [OFFLINE, 422, RECORDED];
    load({});
    window.svc!("init", { cid: "acme" });
    window.svc!("click", tell);
    await settle();
    window.svc!("signup", { email: "one@example.com" }, tell);
    await settle();
    window.svc!("signup", { email: "two@example.com" }, tell);
    await settle();
    window.svc!("click", tell);
    await settle();
    expect(told).toMatchObject([
      { status: "waiting" },
      { status: "refused", error: "status 422" },
      { status: "recorded", tid: TID, ref_id: "jane" },
      { status: "waiting", tid: TID, ref_id: "jane" },
    ]);
    expect(warnings).toEqual([["svc: signup refused", { error: "status 422" }]]);
    expect(window.svc!.data).toEqual({ tid: TID, ref_id: "jane" });
  });

  it("tells a repeated call what has become of an event that had to wait", async () => {
    const told: unknown[] = [];
    const signup = () => window.svc!("signup", { uid: 1 }, ({ status }: Told) => told.push(status));
    load();
    await settle();
    answers = [OFFLINE];
    signup();
    await settle();
    timers[0]!.run();
    await settle();
    signup();
    await settle();
    expect(told).toEqual(["waiting", "recorded"]);
    expect(sent.map(({ path }) => path)).toEqual(["/t/click", "/t/signup", "/t/signup"]);
  });

  it.each([
    ["a sign-up that is too long", { email: "a@b.example", note: "x".repeat(48_000) }, "too long"],
    ["a sign-up that is too long as a form", { email: "a@b.example", note: "字".repeat(6_000) }, "too long"],
    ["a sign-up that JSON can't express", { email: "a@b.example", uid: 1n }, "too long"],
  ])("refuses %s through the callback, and sends the next one", async (_, person, error) => {
    load();
    const told: unknown[] = [];
    window.svc!("signup", person, (outcome: unknown) => told.push(outcome));
    window.svc!("signup", { email: "next\u2028@b.example" });
    await settle();
    expect(told).toEqual([{ status: "refused", error }]);
    expect(sent.map(({ form }) => form["email"])).toEqual([undefined, "next\u2028@b.example"]);
  });

  it("retries with one timer, doubles the delay up to 5 minutes, and waits as long as a 429 asks", async () => {
    answers = Array.from({ length: 12 }, () => OFFLINE);
    load();
    await settle();
    for (let round = 0; round < 10; round++) {
      window.svc!("click");
      window.svc!("onReady");
      await settle();
      expect(timers).toHaveLength(round + 1);
      expect(sent).toHaveLength(round + 1);
      timers[round]!.run();
      await settle();
    }
    expect(timers.map(({ delayMs }) => delayMs / 1_000)).toEqual([
      2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300,
    ]);
    answers = [429];
    open("https://www.acme.example/?via=jane");
    answers = [429];
    load();
    await settle();
    expect(timers.map(({ delayMs }) => delayMs)).toEqual([30_000]);
  });

  it("skips events that can't be sent, and drops a sign-up after a day", async () => {
    const item = (path: string, days: number, tries = 0) => ({
      path,
      fields: { cid: "acme", tid: TID, ref_id: `${path}-${days}-${tries}` },
      at: Date.now() - days * 86_400_000,
      tries,
    });
    const items = [
      item("click", 61),
      item("click", 59),
      item("signup", 1.1),
      item("signup", 0.9),
      item("signup", 0.5),
      item("signup", 0, 100),
    ];
    open("https://www.acme.example/");
    window.document.cookie = `_svc_tid=${TID}`;
    window.localStorage.setItem("_svc_q", JSON.stringify(items));
    answers = [RECORDED, 503, RECORDED];
    load();
    await settle();
    timers[0]!.run();
    await settle();
    await settle();
    expect(sent.map(({ form }) => form["ref_id"])).toEqual(["click-59-0", "signup-0.9-0", "signup-0.5-0"]);
    expect(queued()).toMatchObject([{ fields: { ref_id: "signup-0.9-0" }, tries: 1 }]);
  });

  it.each([null, "text", {}])("sends again what something else has answered with %j", async (foreign) => {
    answers = [foreign];
    load();
    await settle();
    expect(queued()).toHaveLength(1);
    timers[0]!.run();
    await settle();
    expect(sent).toHaveLength(2);
    expect(queued()).toEqual([]);
    expect(window.svc!.data).toEqual({ tid: TID, ref_id: "jane" });
  });

  it("removes a sign-up after a day even if nothing else is to be sent", async () => {
    open("https://www.acme.example/");
    window.document.cookie = `_svc_tid=${TID}`;
    const at = Date.now() - 1.1 * 86_400_000;
    const items = [{ path: "signup", fields: { email: "lead@example.com" }, at, tries: 1 }];
    window.localStorage.setItem("_svc_q", JSON.stringify(items));
    load();
    await settle();
    expect(sent).toEqual([]);
    expect(window.localStorage.length).toBe(0);
  });

  it("gives up after 100 tries even if it may not store", async () => {
    answers = Array.from({ length: 200 }, () => OFFLINE);
    load({ cid: "acme" }, { storage: DENIED });
    await settle();
    for (let round = 0; round < timers.length; round++) {
      timers[round]!.run();
      await settle();
    }
    expect(sent).toHaveLength(100);
  });

  it("never sends fragments, passwords or secrets, and cuts long addresses", async () => {
    const secrets = "access_token=1&code=2&token=3&password=4&state=5&id_token=6&api_key=7";
    open(`https://www.acme.example/?via=jane&${secrets}&gclid=8&discount_code=9#access_token=10`);
    load();
    await settle();
    expect(sent[0]!.form["url"]).toBe("https://www.acme.example/?via=jane&gclid=8&discount_code=9");
    open(`https://www.acme.example/?via=jane&x=${"y".repeat(5_000)}`);
    load();
    await settle();
    expect(sent[0]!.form["url"]).toBe(`https://www.acme.example/?via=jane&x=${"y".repeat(1_963)}…`);
  });

  it("reads the address that the page was opened with if a router has changed it", async () => {
    open("https://www.acme.example/home");
    load({ cid: "acme" }, { opened: "https://www.acme.example/?via=jane" });
    await settle();
    expect(sent.map(({ form }) => [form["ref_id"], form["url"]])).toEqual([
      ["jane", "https://www.acme.example/?via=jane"],
    ]);
  });

  it("takes over a visitor even if the page's address can't be changed", async () => {
    open(`https://shop.acme.example/?svc_ref=jane&_svc_tid=${TID}${Date.now()}`);
    window.history.replaceState = refuse;
    load();
    await settle();
    expect(sent.map(({ form }) => form["tid"])).toEqual([TID]);
  });

  it.each([
    "shop.example",
    "*.shop.example",
    ".Shop.Example",
    " https://www.shop.example:8080/path ",
    "//shop.example",
  ])("hands the visitor over to a site that is named %j, after one that can't be read", (site) => {
    window.document.cookie = `_svc_tid=${TID}`;
    window.document.cookie = "_svc_ref=jane";
    load();
    window.svc!("crossDomain", ["", "a b", null, site]);
    expect(window.svc!("decorate", "https://www.shop.example/?x=1")).toMatch(
      new RegExp(`^https://www.shop.example/\\?x=1&svc_ref=jane&_svc_tid=${TID}\\d{13}$`),
    );
    const elsewhere = "https://www.other-shop.example/";
    expect(window.svc!("decorate", elsewhere)).toBe(elsewhere);
  });

  it("hands nobody over without the ref id, which the other site needs", () => {
    open("https://www.acme.example/");
    window.document.cookie = `_svc_tid=${TID}`;
    load();
    window.svc!("crossDomain", "shop.example");
    const address = "https://shop.example/";
    expect(window.svc!("decorate", address)).toBe(address);
  });

  it("asks whether it is the first to come by a handed-over link", async () => {
    const handedAt = Date.now() - 1_000;
    open(`https://shop.acme.example/?svc_ref=jane&_svc_tid=${TID}${handedAt}`);
    load();
    await settle();
    const { tid, handed_at: at, spare_tid: spare } = sent[0]!.form;
    expect([tid, at]).toEqual([TID, String(handedAt)]);
    expect(spare).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(spare).not.toBe(TID);
  });

  it("treats a handed-over link that comes too late as a new visit", async () => {
    open(`https://shop.acme.example/?svc_ref=jane&_svc_tid=${TID}${Date.now() - 121_000}`);
    load();
    await settle();
    expect(sent[0]!.form["ref_id"]).toBe("jane");
    expect(sent[0]!.form["tid"]).not.toBe(TID);
  });

  it("writes no cookie that the server has set", async () => {
    window.document.cookie = `_svc_tid=${TID}`;
    window.document.cookie = "_svc_ref=bob";
    answers = [{ ...RECORDED, has_cookies: true }];
    load();
    await settle();
    expect(sent.map(({ form }) => form["cookie_tid"])).toEqual([TID]);
    expect(window.document.cookie).toBe(`_svc_tid=${TID}; _svc_ref=bob`);
  });

  it("keeps the visitor, and asks for the ref id, if only that cookie is gone", async () => {
    window.document.cookie = `_svc_tid=${TID}`;
    answers = [{ ...RECORDED, status: "known" }];
    load();
    await settle();
    expect(sent.map(({ form }) => [form["ref_id"], form["cookie_tid"]])).toEqual([["jane", TID]]);
    expect(window.svc!.data).toEqual({ tid: TID, ref_id: "jane" });
  });

  it("knows the ref id that the page names, however it is written", async () => {
    open("https://www.acme.example/");
    window.document.cookie = `_svc_tid=${TID}`;
    window.document.cookie = "_svc_ref=jane";
    load();
    window.svc!("click", { ref_id: " Jane/" });
    await settle();
    expect(sent).toEqual([]);
    window.svc!("click", { ref_id: "BOB." });
    await settle();
    expect(sent.map(({ form }) => form["ref_id"])).toEqual(["bob"]);
  });

  it("forgets a sign-up that waits for consent if the visitor says no", async () => {
    load({ cid: "acme", consent: "required" });
    window.svc!("signup", { email: "early@example.com" });
    window.svc!("consent", false);
    window.svc!("signup", { email: "late@example.com" });
    window.svc!("consent", true);
    await settle();
    expect(sent.map(({ path, form }) => [path, form["email"]])).toEqual([
      ["/t/click", undefined],
      ["/t/signup", "late@example.com"],
    ]);
  });

  it("leaves alone the cookies that the server has set, and the site's own cookies with the same names", async () => {
    window.document.cookie = "_svc=own";
    window.document.cookie = "_svc_tid=own";
    window.document.cookie = "_svc_ref=jane";
    load();
    await settle();
    expect(sent).toHaveLength(1);
    expect(window.document.cookie).toContain("_svc=own");
    expect(window.document.cookie).not.toContain("_svc_1");
  });

  it.each(["", "/"])(
    "finds its tag without document.currentScript, and posts below a path%s",
    async (end) => {
      window.document.write(
        `<script data-cid="acme" data-origin="https://acme.example/proxy${end}"></script>`,
      );
      load(null);
      await settle();
      expect(sent.map(({ path }) => path)).toEqual(["/proxy/t/click"]);
    },
  );

  it("uses the names that the server puts in front of it", async () => {
    const settings = { global: "fpr", cookie: "_fprom", account: "acme" };
    const q = [["init", { cid: "theirs" }], ["click"]];
    (window as unknown as { fpr: Svc }).fpr = Object.assign(() => {}, { q });
    load({}, { settings });
    await settle();
    expect(sent[0]!.form["cid"]).toBe("acme");
    expect(window.document.cookie).toBe(`_fprom_tid=${TID}; _fprom_ref=jane`);
    expect((window as unknown as { fpr: Svc }).fpr.data).toEqual({ tid: TID, ref_id: "jane" });
    expect(window.svc).toBeUndefined();
  });
});

describe("the module", () => {
  it("can be imported and called without a page", async () => {
    const { svc } = await import("../../client/tracker/index.ts");
    svc("init", { cid: "acme" });
    svc("signup", { email: "lead@example.com" });
    expect(svc.data).toEqual({});
  });
});
