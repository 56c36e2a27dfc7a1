import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { Window } from "happy-dom";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const SCRIPT = readFileSync("dist/svc.js", "utf8");
const MORE_NAME = /svc-more\.[\da-f]{12}\.js/.exec(SCRIPT)![0];
const MORE = readFileSync(`dist/${MORE_NAME}`, "utf8");
const TID = "7f1b2c3d-1111-4222-8333-444455556666";

const RECORDED = { status: "recorded", tid: TID, ref_id: "jane", cookie_days: 60, has_cookies: false };
const NOBODY = { status: "refused", tid: null, ref_id: null, cookie_days: 0, has_cookies: false };
const OFFLINE = 0;
const PATIENCE_MS = 10_000;

type Svc = ((...args: unknown[]) => void) & { q?: unknown[]; data?: unknown };
type Told = { status: string };
type Loader = {
  src: string;
  nonce: string;
  integrity: string;
  crossOrigin: string | null;
  onload(): void;
  onerror(): void;
};
type Fetch = { path: string; form: Record<string, string> };

let window: Window & { svc?: Svc };
let sent: Fetch[];
/** The server's next answers. A number is a status without a body. */
let answers: (object | string | number | null)[];
let warnings: unknown[][];
let pageErrors: unknown[];
/** When the page was opened. */
let timeOrigin: number;
/** The elements that load the second file. */
let loaders: Loader[];
/** Whether the second file comes. false: it is on its way for ever. */
let more: "comes" | "is late" | "is blocked";
/** Brings what is late. */
let arrive: () => void;

beforeEach(() => open("https://www.acme.example/?via=jane"));
afterEach(async () => {
  await window.happyDOM.close();
});

function open(url: string, previous?: Window): void {
  window = new Window({ url }) as typeof window;
  timeOrigin = Date.now() - 1;
  for (const key of Object.keys(previous?.localStorage ?? {})) {
    window.localStorage.setItem(key, previous!.localStorage.getItem(key)!);
  }
  if (previous) window.document.cookie = previous.document.cookie;
  sent = [];
  answers = [];
  timers = [];
  loaders = [];
  more = "comes";
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
    element,
    ...others
  }: { storage?: object; opened?: string; settings?: object; element?: object; [name: string]: unknown } = {},
): void {
  const script = attributes && {
    src: "https://track.acme.example/svc.js",
    nonce: "",
    integrity: "",
    crossOrigin: null,
    dataset: attributes,
    ...element,
  };
  const globals = {
    SVC_SETTINGS: settings,
    window,
    document: window.document,
    location: window.location,
    origin: window.location.origin,
    localStorage: storage,
    sessionStorage: window.sessionStorage,
    navigator: window.navigator,
    history: window.history,
    HTMLFormElement: window.HTMLFormElement,
    addEventListener: window.addEventListener.bind(window),
    performance: { timeOrigin, getEntriesByType: () => [{ name: opened ?? window.location.href }] },
    globalThis: { webkitURL: URL },
    fetch: window.fetch,
    // Node's own channel would notify the windows of other tests.
    BroadcastChannel: class {
      postMessage() {}
      addEventListener() {}
    },
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
      delayMs === undefined ? setImmediate(run) : delayMs === PATIENCE_MS || timers.push({ run, delayMs }),
    ...others,
  };
  const run = (text: string, currentScript: object | null) => {
    Object.defineProperty(window.document, "currentScript", { value: currentScript, configurable: true });
    new Function(...Object.keys(globals), text)(...Object.values(globals));
  };
  window.document.head.append = ((loader: Loader) => {
    loaders.push(loader);
    arrive = () => {
      run(MORE, loader);
      loader.onload();
    };
    if (more === "comes") setImmediate(arrive);
    if (more === "is blocked") setImmediate(() => loader.onerror());
  }) as never;
  run(SCRIPT, script);
}

/** Holds back all answers. Calling the returned functions lets them arrive, in the order of the requests. */
function holdAnswers(arrived = () => {}): (() => void)[] {
  const released: (() => void)[] = [];
  const fetch = window.fetch as unknown as (...given: unknown[]) => Promise<unknown>;
  window.fetch = (async (...given: unknown[]) => {
    const response = await fetch(...given);
    await new Promise<void>((resolve) => released.push(resolve));
    arrived();
    return response;
  }) as never;
  return released;
}

/** A storage that the page may not use. */
const refuse = () => {
  throw new Error("denied");
};
const DENIED = new Proxy({}, { get: refuse, set: refuse, deleteProperty: refuse });

const settle = async () => {
  for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
};
const queued = () => JSON.parse(window.localStorage.getItem("_svc_q") ?? "[]") as unknown[];
/** The timers that the script sets, except the one that waits for its second file. */
let timers: { run: () => void; delayMs: number }[];

describe("the built script", () => {
  it("is small", () => {
    const [first, second] = [SCRIPT, MORE].map((text) => gzipSync(text, { level: 9 }).length);
    expect([first! <= 3_910, second! <= 3_860]).toEqual([true, true]);
  });

  it("has nothing in both files", () => {
    // A piece of text of each module that both files need.
    for (const piece of ["localStorage", "/t/", "keepalive", "webkitURL", "[^;]+", "prerendering"])
      expect([SCRIPT.includes(piece), MORE.includes(piece)], piece).toEqual([true, false]);
  });

  it("uses no HTML sink, no eval and no global but its own", () => {
    const forbidden = /innerHTML|outerHTML|document\.write|insertAdjacent|eval\(|new Function/;
    expect([SCRIPT, MORE].filter((text) => forbidden.test(text))).toEqual([]);
    expect(SCRIPT.match(/window\b/g)!.length).toBeLessThan(3);
    expect(MORE).not.toMatch(/window\b/);
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
    ["?tolt=jane", { cid: "acme" }, "jane"],
    ["?gr_id=jane", { cid: "acme" }, "jane"],
    ["?ps_partner_key=SmFuZTEyMw%3D%3D&ps_xid=AbC", { cid: "acme" }, "jane123"],
    ["?gsxid=AbC&gspk=SmFuZTEyMw", { cid: "acme" }, "jane123"],
    ["?gspk=***&via=jane", { cid: "acme" }, "jane"],
    ["?partner=jane&via=bob", { cid: "acme", param: "Partner deal_by" }, "jane,bob"],
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
    expect(new Set(read)).toEqual(new Set(["cookie", "_svc_q"]));
    expect(loaders).toEqual([]);
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

  it.each([["consulting"], [1], [{ data: {} }], [{ q: "a question" }]])(
    "leaves a foreign svc alone: %o",
    (own) => {
      window.svc = own as never;
      load();
      expect([window.svc, sent, warnings]).toEqual([own, [], []]);
    },
  );

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
    const item = (path: string, days: number, tries = 1) => ({
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
    expect(sent.map(({ form }) => form["ref_id"])).toEqual([
      "click-59-1",
      "signup-0.9-1",
      "signup-0.5-1",
      "signup-0-100",
    ]);
    expect(queued()).toMatchObject([{ fields: { ref_id: "signup-0.9-1" }, tries: 2 }]);
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

  it.each([
    ["that is stored", {}],
    ["that may not be stored", { storage: DENIED }],
  ])("tries an event %s until it is answered, however often that is", async (_, globals) => {
    answers = Array.from({ length: 150 }, () => OFFLINE);
    load({ cid: "acme" }, globals);
    await settle();
    for (let round = 0; round < timers.length; round++) {
      timers[round]!.run();
      await settle();
    }
    expect(sent).toHaveLength(151);
  });

  it("never sends fragments, passwords or secrets, and cuts long addresses", async () => {
    const secrets = "access_token=1&code=2&token=3&password=4&state=5&id_token=6&api_key=7";
    open(`https://www.acme.example/?via=jane&${secrets}&gclid=8&discount_code=9#access_token=10`);
    load();
    await settle();
    expect(sent[0]!.form["url"]).toBe("https://www.acme.example/?via=jane&gclid=8&discount_code=9");
    open("https://www.acme.example/?via=jane&amp;code=1&x=2?token=3?email=me@acme.example&y=4");
    load();
    await settle();
    expect(sent[0]!.form["url"]).toBe("https://www.acme.example/?via=jane&x=2&y=4");
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
  ])("hands the visitor over to a site that is named %j, after one that can't be read", async (site) => {
    window.document.cookie = `_svc_tid=${TID}`;
    window.document.cookie = "_svc_ref=jane";
    load();
    await settle();
    window.svc!("crossDomain", ["", "a b", null, site]);
    expect(window.svc!("decorate", "https://www.shop.example/?x=1")).toMatch(
      new RegExp(`^https://www.shop.example/\\?x=1&svc_ref=jane&_svc_tid=${TID}\\d{13}$`),
    );
    const elsewhere = "https://www.other-shop.example/";
    expect(window.svc!("decorate", elsewhere)).toBe(elsewhere);
  });

  it("hands nobody over without the ref id, which the other site needs", async () => {
    open("https://www.acme.example/");
    window.document.cookie = `_svc_tid=${TID}`;
    load();
    await settle();
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

describe("the second file", () => {
  const names = () => sent.map(({ path, form }) => [path, form["email"]]);
  const loaded = () =>
    loaders.map(({ src, nonce, integrity, crossOrigin }) => ({ src, nonce, integrity, crossOrigin }));
  const person = { email: "lead@example.com" };

  it("is loaded only for visitors whom someone has sent", async () => {
    open("https://www.acme.example/");
    const told: unknown[] = [];
    const tell = (result: unknown) => void told.push(result);
    load();
    window.svc!("click", tell);
    window.svc!("onReady", tell);
    window.svc!("details", tell);
    window.svc!("crossDomain", ["shop.example"]);
    window.svc!("decorate", "https://shop.example/", tell);
    window.svc!("signup", person, tell);
    await settle();
    const refused = { status: "refused", error: "no referral" };
    expect(told).toEqual([refused, refused, "https://shop.example/", refused]);
    expect([loaders, sent, window.localStorage.length]).toEqual([[], [], 0]);
  });

  it.each([
    ["a visitor's cookie", () => void (window.document.cookie = `_svc_tid=${TID}`)],
    [
      "a waiting event",
      () => {
        const item = { path: "click", fields: { cid: "acme", tid: TID }, at: Date.now(), tries: 1 };
        window.localStorage.setItem("_svc_q", JSON.stringify([item]));
      },
    ],
  ])("is loaded because of %s", async (_, prepare) => {
    open("https://www.acme.example/");
    prepare();
    load();
    await settle();
    expect(loaders).toHaveLength(1);
  });

  it.each([
    [0, 0],
    [0.95, 0],
    [0.9999, 0],
    [0.9999, 0.9999],
  ])("sends all events of one millisecond, if chance draws %d and %d", async (...drawn) => {
    const now = Date.now();
    let draws = 0;
    const chance = { random: () => drawn[draws++ % 2] };
    load({ cid: "acme" }, { Date: { now: () => now }, Math: Object.assign(Object.create(Math), chance) });
    window.svc!("signup", person);
    window.svc!("signup", { email: "second@example.com" });
    await settle();
    expect(names().sort()).toEqual([
      ["/t/click", undefined],
      ["/t/signup", "lead@example.com"],
      ["/t/signup", "second@example.com"],
    ]);
    expect(queued()).toEqual([]);
  });

  it("comes from the folder of the first, which knows its digest, and with its nonce", async () => {
    load({ cid: "acme" }, { element: { nonce: "n0" } });
    await settle();
    const digest = createHash("sha256").update(MORE).digest();
    const src = `https://track.acme.example/${MORE_NAME}`;
    expect(MORE_NAME).toBe(`svc-more.${digest.toString("hex").slice(0, 12)}.js`);
    expect(loaded()).toMatchObject([{ src, nonce: "n0", integrity: "" }]);
    open("https://www.acme.example/?via=jane");
    const element = {
      integrity: "sha384-theirs",
      crossOrigin: "anonymous",
      src: "https://cdn.example/a/svc.js?v=1",
    };
    load({ cid: "acme" }, { element });
    await settle();
    expect(loaded()).toEqual([
      {
        src: `https://cdn.example/a/${MORE_NAME}`,
        nonce: "",
        integrity: `sha256-${digest.toString("base64")}`,
        crossOrigin: "anonymous",
      },
    ]);
  });

  it("comes from the server that the page names if there is no tag to go by", async () => {
    load(null);
    window.svc!("init", { cid: "acme", origin: "https://track.example/below" });
    window.svc!("click");
    await settle();
    expect(loaded().map(({ src }) => src)).toEqual([`https://track.example/below/${MORE_NAME}`]);
  });

  it("has a Trusted Types policy of the script's name", async () => {
    const policies: string[] = [];
    const trustedTypes = {
      createPolicy: (name: string, rules: { createScriptURL(url: string): string }) => {
        policies.push(name);
        return { createScriptURL: (url: string) => rules.createScriptURL(url) };
      },
    };
    Object.assign(window, { trustedTypes });
    load();
    await settle();
    expect(policies).toEqual(["svc"]);
    expect(loaded().map(({ src }) => src)).toEqual([`https://track.acme.example/${MORE_NAME}`]);
  });

  it.each([
    ["is blocked", {}],
    [
      "is forbidden by Trusted Types",
      {
        createPolicy: () => {
          throw new TypeError("no such policy");
        },
      },
    ],
  ])(
    "that %s costs no event: the click is sent once, all are kept, and a later page sends them",
    async (_, trustedTypes) => {
      more = "is blocked";
      if ("createPolicy" in trustedTypes) Object.assign(window, { trustedTypes });
      const told: unknown[] = [];
      load();
      window.svc!("signup", { ...person, plan: { seats: 2 }, age: null }, (result: unknown) =>
        told.push(result),
      );
      expect(queued()).toMatchObject([{ path: "click" }, { path: "signup", fields: person }]);
      await settle();
      expect(names()).toEqual([["/t/click", undefined]]);
      expect(told).toEqual([{ status: "waiting" }]);
      const [click] = sent.map(({ form }) => form);
      expect(window.svc!.data).toEqual({ tid: click!["tid"], ref_id: "jane" });
      open("https://www.acme.example/next", window);
      load();
      await settle();
      const [again, signup] = sent.map(({ form }) => form);
      expect(again).toMatchObject(click!);
      expect(signup).toMatchObject({ ...click, ...person, plan: '{"seats":2}' });
      expect(names()).toEqual([
        ["/t/click", undefined],
        ["/t/signup", "lead@example.com"],
      ]);
      expect(queued()).toEqual([]);
    },
  );

  it("answers calls that the page has made before its click", async () => {
    const told: unknown[] = [];
    const tell = (result: unknown) => void told.push(result);
    window.svc = Object.assign(() => {}, {
      q: [
        ["onReady", tell],
        ["details", tell],
        ["signup", person, tell],
      ],
    });
    answers = [RECORDED, RECORDED, { details: { ref_id: "jane" } }];
    load();
    await settle();
    expect(told).toMatchObject([{ status: "recorded" }, { status: "known", tid: TID }, { ref_id: "jane" }]);
    expect(sent.map(({ path }) => path)).toEqual(["/t/click", "/t/signup", "/t/details"]);
  });

  it("that is late sends what the page has kept, and answers its calls", async () => {
    more = "is late";
    const told: unknown[] = [];
    load();
    window.svc!("signup", person, ({ status }: Told) => told.push(status));
    window.svc!("signup", person, ({ status }: Told) => told.push(status));
    await settle();
    expect([names(), told]).toEqual([[["/t/click", undefined]], []]);
    arrive();
    await settle();
    expect(told).toEqual(["recorded", "recorded"]);
    expect(names()).toEqual([
      ["/t/click", undefined],
      ["/t/signup", "lead@example.com"],
    ]);
    expect(queued()).toEqual([]);
  });

  it("that does not come before the page is left costs no click", async () => {
    more = "is late";
    load();
    // The browser does what waits for the end of the task before it leaves the page.
    await Promise.resolve();
    expect(sent).toMatchObject([{ path: "/t/click", form: { ref_id: "jane" } }]);
    const { tid } = sent[0]!.form;
    expect(queued()).toMatchObject([{ path: "click", fields: { tid } }]);
  });

  it("that was kept out is told the age of what it sends later", async () => {
    open("https://www.acme.example/");
    const item = {
      path: "click",
      fields: { cid: "acme", tid: TID, ref_id: "bob" },
      at: Date.now() - 5_000,
      tries: 0,
    };
    window.localStorage.setItem("_svc_q", JSON.stringify([item]));
    load();
    await settle();
    expect(Number(sent[0]!.form["age"])).toBeGreaterThanOrEqual(5_000);
  });

  it.each(["is blocked", "is late"] as const)(
    "that %s keeps no marked form from signing up",
    async (state) => {
      more = state;
      load();
      await settle();
      window.document.body.innerHTML =
        "<form data-svc-signup><input name='email' value='form@example.com'></form>";
      const form = window.document.querySelector("form")!;
      form.dispatchEvent(new window.Event("submit", { bubbles: true }));
      expect(queued()).toMatchObject([
        { path: "click" },
        { path: "signup", fields: { email: "form@example.com" } },
      ]);
      open("https://www.acme.example/next", window);
      load();
      await settle();
      expect(names()).toEqual([
        ["/t/click", undefined],
        ["/t/signup", "form@example.com"],
      ]);
    },
  );
});

describe("a visitor of the program before", () => {
  const UUID = "0b5a9c1e-4f0e-4f7a-9d2b-2f6f0d8f7c11";
  const coded = (value: object) => encodeURIComponent(JSON.stringify(value));
  const rewardful = { id: UUID, affiliate: { id: UUID.replace("0b", "1b"), first_name: "Jane" } };
  const tolt = { click_id: "clk_1", partner_id: "part_4u9", program_id: "prg_2", customer_id: null };
  const dub = { clickId: "q9", partner: { id: "pn_1Ab", name: "Jane", image: null }, discount: { id: "d1" } };
  beforeEach(() => open("https://www.acme.example/"));

  it.each([
    ["FirstPromoter's", { _fprom_ref: "Jane", _fprom_tid: UUID }, "Jane"],
    ["Rewardful's", { "rewardful.referral": UUID }, UUID],
    [
      "Rewardful's, with a token",
      { "rewardful.referral": coded({ id: UUID, affiliate: { token: "jane" } }) },
      "jane",
    ],
    ["Rewardful's, without a token", { "rewardful.referral": coded(rewardful) }, UUID],
    ["Tolt's", { tolt_referral: "clk_1", tolt_data: coded(tolt) }, "part_4u9"],
    ["Tolt's, of a click alone", { tolt_referral: "clk_1" }, "clk_1"],
    ["PartnerStack's", { growSumoPartnerKey: "jane123" }, "jane123"],
    ["Dub's", { dub_id: "q9", dub_partner_data: coded(dub) }, "pn_1Ab"],
    ["Dub's, of a click alone", { dub_id: "q9" }, "q9"],
    ["broken", { tolt_data: "%7B", "rewardful.referral": "%", dub_id: "q9" }, "q9"],
  ])("is recorded by the cookie: %s", async (_, cookies, refId) => {
    for (const [name, value] of Object.entries(cookies)) window.document.cookie = `${name}=${value}`;
    load();
    await settle();
    const id = refId.toLowerCase();
    expect(sent).toMatchObject([{ path: "/t/click", form: { ref_id: id, former_id: refId } }]);
    expect(window.svc!.data).toEqual({ tid: TID, ref_id: "jane" });
  });

  it("is recorded with a sign-up that comes first", async () => {
    window.document.cookie = "growSumoPartnerKey=jane";
    load();
    window.svc!("signup", { uid: 1 });
    await settle();
    expect(sent.map(({ path, form }) => [path, form["ref_id"], form["uid"]])).toEqual([
      ["/t/click", "jane", undefined],
      ["/t/signup", "jane", "1"],
    ]);
  });

  it("belongs to the link that they follow now", async () => {
    open("https://www.acme.example/?via=bob");
    window.document.cookie = "_fprom_ref=jane";
    load();
    await settle();
    window.history.pushState({}, "", "/?via=eve");
    await settle();
    expect(sent.map(({ form }) => [form["ref_id"], form["former_id"]])).toEqual([
      ["bob", undefined],
      ["eve", undefined],
    ]);
  });

  it("is asked for once in a tab if their promoter did not come over, and may follow a link later", async () => {
    window.document.cookie = "growSumoPartnerKey=gone";
    answers = [NOBODY];
    load();
    await settle();
    expect(window.document.cookie).toBe("growSumoPartnerKey=gone");
    Reflect.deleteProperty(window, "svc");
    load();
    await settle();
    expect(sent.map(({ form }) => form["ref_id"])).toEqual(["gone"]);
    expect({ ...window.sessionStorage }).toEqual({ _svc_former: "gone" });
    window.svc!("consent", false);
    expect(window.sessionStorage.length).toBe(0);
    window.svc!("consent", true);
    window.history.pushState({}, "", "/?via=jane");
    await settle();
    expect(new Set(sent.map(({ form }) => form["ref_id"]))).toEqual(new Set(["gone", "jane"]));
  });

  it("is not read without consent", async () => {
    window.document.cookie = "growSumoPartnerKey=jane";
    load({ cid: "acme", consent: "required" });
    await settle();
    expect([sent, loaders]).toEqual([[], []]);
    window.svc!("consent", true);
    await settle();
    expect(sent.map(({ form }) => form["ref_id"])).toEqual(["jane"]);
  });
});

describe("the last link", () => {
  const push = (query: string) => window.history.pushState({}, "", `/${query}`);
  const clicks = () => sent.filter(({ path }) => path === "/t/click").map(({ form }) => form);
  const answer = (tid: string, ref_id: string) => ({ ...RECORDED, tid, ref_id });
  const [ONE, TWO, THREE] = ["1", "2", "3"].map((digit) => TID.replace("7", digit)) as [
    string,
    string,
    string,
  ];

  it("wins if one page shows jane's, bob's and jane's again", async () => {
    answers = [answer(ONE, "jane"), answer(TWO, "bob"), answer(THREE, "jane")];
    load();
    push("?via=bob");
    push("?via=jane");
    await settle();
    await settle();
    expect(clicks().map(({ ref_id, cookie_tid }) => [ref_id, cookie_tid])).toEqual([
      ["jane", undefined],
      ["bob", ONE],
      ["jane", TWO],
    ]);
    expect(window.document.cookie).toBe(`_svc_tid=${THREE}; _svc_ref=jane`);
  });

  it("wins while the server is down, too", async () => {
    answers = [OFFLINE, OFFLINE, OFFLINE];
    load();
    push("?via=bob");
    push("?via=jane");
    await settle();
    await settle();
    expect(clicks().map(({ ref_id }) => ref_id)).toEqual(["jane", "bob", "jane"]);
    const [{ tid: first }, , { tid: third }] = clicks() as [Fetch["form"], Fetch["form"], Fetch["form"]];
    answers = [answer(first!, "jane"), answer(TWO, "bob"), answer(third!, "jane")];
    timers[0]!.run();
    await settle();
    await settle();
    expect(
      clicks()
        .slice(3)
        .map(({ ref_id }) => ref_id),
    ).toEqual(["jane", "bob", "jane"]);
    expect(window.document.cookie).toBe(`_svc_tid=${third}; _svc_ref=jane`);
  });

  it("keeps the visitor and their sign-up if an older click is sent again later", async () => {
    answers = [503, answer(TWO, "bob"), answer(TWO, "bob"), answer(TWO, "bob")];
    load();
    await settle();
    push("?via=bob");
    await settle();
    window.svc!("signup", { uid: 1 });
    await settle();
    expect(sent.at(-1)).toMatchObject({ path: "/t/signup", form: { tid: TWO, ref_id: "bob" } });
    timers[0]!.run();
    await settle();
    const [late] = clicks().slice(-1);
    expect(late).toMatchObject({ ref_id: "jane", cookie_tid: TWO, age: expect.stringMatching(/^\d+$/) });
    expect(window.document.cookie).toBe(`_svc_tid=${TWO}; _svc_ref=bob`);
  });

  it("stays with the later link if another page has sent the older click again before its first answer", async () => {
    const released = holdAnswers();
    load();
    await settle();
    // What the other page leaves.
    window.localStorage.clear();
    window.document.cookie = `_svc_tid=${TWO}; domain=acme.example; path=/`;
    window.document.cookie = "_svc_ref=bob; domain=acme.example; path=/";
    released[0]!();
    await settle();
    expect(window.document.cookie).toBe(`_svc_tid=${TWO}; _svc_ref=bob`);
  });
});

describe("consent that is withdrawn while a request is under way", () => {
  it("takes the late answer's cookies away, and tells the server that they are void", async () => {
    // The server's answer sets them itself.
    const released = holdAnswers(() => {
      window.document.cookie = `_svc_tid=${TID}; domain=acme.example; path=/`;
    });
    const told: unknown[] = [];
    load();
    window.svc!("click", ({ status }: Told) => told.push(status));
    await settle();
    window.svc!("consent", false);
    expect(window.document.cookie).toBe("");
    released[0]!();
    await settle();
    expect(window.document.cookie).toBe("");
    const { tid } = sent[0]!.form;
    const withdrawals = [tid, TID].map((each) => ({
      path: "/t/withdraw",
      form: { cid: "acme", tid: each },
    }));
    expect(sent.slice(1)).toEqual(withdrawals);
    expect([window.localStorage.length, window.svc!.data]).toEqual([0, {}]);
  });

  it("sends no click that has waited for the one before, and tells its callback", async () => {
    const released = holdAnswers();
    const told: unknown[] = [];
    load();
    await settle();
    window.svc!("set", { ref_id: "bob" });
    window.svc!("click", (outcome: Told) => told.push(outcome));
    await settle();
    window.svc!("consent", false);
    for (let at = 0; at < 3; at++) {
      for (const release of released) release();
      await settle();
    }
    expect(sent.filter(({ path }) => path === "/t/click").map(({ form }) => form["ref_id"])).toEqual([
      "jane",
    ]);
    expect(told).toEqual([{ status: "refused", error: "no consent" }]);
  });

  it("tells the callback of a sign-up that the second file has not come for", async () => {
    more = "is late";
    load();
    const told: unknown[] = [];
    window.svc!("signup", { email: "lead@example.com" }, (outcome: Told) => told.push(outcome));
    await settle();
    window.svc!("consent", false);
    await settle();
    expect(told).toEqual([{ status: "refused", error: "no consent" }]);
  });

  it("is kept with Global Privacy Control, too, until the server has heard it", async () => {
    Object.defineProperty(window.navigator, "globalPrivacyControl", { value: true });
    load();
    await settle();
    expect(window.document.cookie).toContain(TID);
    answers = Array.from({ length: 9 }, () => OFFLINE);
    window.svc!("consent", false);
    await settle();
    expect(window.document.cookie).toBe("");
    expect(queued()).toMatchObject([{ path: "withdraw", fields: { cid: "acme", tid: TID } }]);
  });

  it("is told to other tabs once, and not passed on by them", async () => {
    const posted: unknown[] = [];
    let hear: (event: { data: unknown }) => void;
    class BroadcastChannel {
      postMessage = (data: unknown) => void posted.push(data);
      addEventListener = (_: string, listener: typeof hear) => void (hear = listener);
    }
    load({ cid: "acme" }, { BroadcastChannel });
    await settle();
    hear!({ data: false });
    expect([window.document.cookie, posted]).toEqual(["", []]);
    window.svc!("consent", true);
    window.svc!("consent", false);
    expect(posted).toEqual([true, false]);
  });

  it("is told later without losing a sign-up that waits for the next answer", async () => {
    const fields = { cid: "acme", tid: TID, ref_id: "jane" };
    const items = ["withdraw", "signup"].map((path, tries) => ({
      path,
      fields,
      at: Date.now() - 60_000 + tries,
      tries,
    }));
    window.localStorage.setItem("_svc_q", JSON.stringify(items));
    load({ cid: "acme", consent: "required" });
    await settle();
    expect(sent.map(({ path }) => path)).toEqual(["/t/withdraw"]);
    expect(queued()).toEqual([items[1]]);
  });

  it("before the second file has come forgets what the page has kept", async () => {
    window.document.cookie = `_svc_tid=${TID}; domain=acme.example; path=/`;
    more = "is late";
    load();
    await settle();
    window.svc!("consent", false);
    expect([window.localStorage.length, window.document.cookie]).toEqual([0, ""]);
    const [{ form: click }] = sent as [Fetch];
    expect(click["cookie_tid"]).toBe(TID);
    const withdrawals = [TID, click["tid"]].map((tid) => ({
      path: "/t/withdraw",
      form: { cid: "acme", tid },
    }));
    expect(sent.slice(1)).toEqual(withdrawals);
    arrive();
    await settle();
    expect(sent.slice(3)).toEqual(withdrawals);
    expect([window.localStorage.length, window.document.cookie]).toEqual([0, ""]);
  });
});

describe("an odd page", () => {
  const STUBS: [string, string][] = [
    ["as the guide has it", "svc = function () { (svc.q = svc.q || []).push(arguments); }"],
    ["minified", "svc=function(){(svc.q||(svc.q=[])).push([].slice.call(arguments))}"],
    [
      "of another program",
      "svc = function () { svc.q = svc.q || []; svc.q['set' == arguments[0] ? 'unshift' : 'push'](arguments); }",
    ],
  ];
  it.each(STUBS)("may have a stub that has queued nothing, %s", async (_, stub) => {
    new Function("window", `window.${stub}`)(window);
    load();
    await settle();
    expect(sent).toMatchObject([{ path: "/t/click", form: { ref_id: "jane" } }]);
  });

  it("may have null among the stub's calls, and callbacks that are no functions", async () => {
    const q = [null, 5, ["signup", { uid: 1 }, "callback"], ["click", { uid: 2 }, {}]];
    window.svc = Object.assign(() => {}, { q });
    load();
    await settle();
    expect(sent.map(({ path }) => path).toSorted()).toEqual(["/t/click", "/t/signup"]);
    expect(pageErrors).toEqual([]);
  });

  it("may have added methods to all objects: the sign-up is sent, and the cookies are kept", async () => {
    const prototype = Object.prototype as unknown as Record<string, unknown>;
    prototype["each"] = () => {};
    try {
      load();
      window.svc!("signup", { uid: 1 });
      await settle();
    } finally {
      delete prototype["each"];
    }
    expect(sent.map(({ path, form }) => [path, form["uid"], "each" in form])).toEqual([
      ["/t/click", undefined, false],
      ["/t/signup", "1", false],
    ]);
    expect(window.document.cookie).toBe(`_svc_tid=${TID}; _svc_ref=jane`);
  });

  const CLICK = { path: "click", fields: { tid: TID }, at: Date.now(), tries: 0 };
  it.each([
    ["null", [null]],
    ["a click of the future", [{ ...CLICK, at: 9e15 }]],
    ["a click without fields", [{ ...CLICK, fields: undefined }]],
    ["a click without an age", [{ ...CLICK, at: "yesterday" }]],
    ["2 MB", [{ ...CLICK, fields: { tid: TID, url: "x".repeat(2_000_000) } }]],
  ])("may have planted %s among what waits: it is ignored, and the rest is sent", async (_, planted) => {
    window.localStorage.setItem("_svc_q", JSON.stringify(planted));
    load();
    window.svc!("signup", { uid: 1 });
    await settle();
    expect(sent.map(({ path, form }) => [path, form["ref_id"]])).toEqual([
      ["/t/click", "jane"],
      ["/t/signup", "jane"],
    ]);
    expect(queued()).toEqual([]);
  });

  it("may have planted 5,000 events: only the last ones are sent", async () => {
    open("https://www.acme.example/");
    const item = (at: number) => ({
      path: "signup",
      fields: { tid: TID, uid: at },
      at: Date.now() - at,
      tries: 0,
    });
    window.localStorage.setItem("_svc_q", JSON.stringify(Array.from({ length: 5_000 }, (_, at) => item(at))));
    load();
    await settle();
    expect(sent.map(({ form }) => Number(form["uid"]))).toEqual(
      Array.from({ length: 20 }, (_, at) => 4_980 + at),
    );
    expect(queued()).toEqual([]);
  });

  it("may have a second question mark in its address", async () => {
    open("https://www.acme.example/?utm_source=news?via=jane");
    load();
    await settle();
    expect(sent.map(({ form }) => form["ref_id"])).toEqual(["jane"]);
  });

  it("may have sent a form before the script was there: the stub keeps it", async () => {
    const marked = (mark: string, email: string) => {
      const form = window.document.createElement("form");
      form.setAttribute("data-svc-signup", mark);
      form.innerHTML = `<input name="email" value="${email}"><input data-svc-field="first_name" value="Lee">`;
      return form;
    };
    const unmarked = window.document.createElement("form");
    const q = [
      ["submit", unmarked],
      ["submit", marked("", "form@example.com")],
    ];
    window.svc = Object.assign(() => {}, { q });
    load();
    await settle();
    expect(sent.map(({ path, form }) => [path, form["email"], form["first_name"]])).toEqual([
      ["/t/click", undefined, undefined],
      ["/t/signup", "form@example.com", "Lee"],
    ]);
    window.svc!("submit", marked("success", "later@example.com"));
    await settle();
    expect(JSON.parse(window.sessionStorage.getItem("_svc_form")!).person.email).toBe("later@example.com");
  });

  it.each(["is blocked", "is late"] as const)(
    "keeps the stub's form although the second file %s",
    async (state) => {
      const form = window.document.createElement("form");
      form.setAttribute("data-svc-signup", "");
      form.innerHTML = `<input name="email" value="form@example.com"><input name="work_email" value="a@example.com">
      <input data-svc-field="first_name" type="radio" value="No"><input data-svc-field="first_name" type="radio" value="Lee" checked>
      <input data-svc-field="website" autocomplete="cc-number" value="4111"><input type="hidden" name="email" value="b@example.com">`;
      window.svc = Object.assign(() => {}, { q: [["submit", form]] });
      more = state;
      load();
      await settle();
      expect(queued()).toMatchObject([
        { path: "click" },
        { path: "signup", fields: { email: "form@example.com", first_name: "Lee" } },
      ]);
      expect(Object.keys((queued()[1] as { fields: object }).fields)).not.toContain("website");
      const kept = window;
      open("https://www.acme.example/", kept);
      load();
      await settle();
      expect(sent.map(({ path, form: { email } }) => [path, email])).toEqual([
        ["/t/click", undefined],
        ["/t/signup", "form@example.com"],
      ]);
    },
  );

  it("may undo or ignore each change of its address", async () => {
    open(`https://www.acme.example/?svc_ref=jane&_svc_tid=${TID}${Date.now()}`);
    let looks = 0;
    Object.defineProperty(window.history, "replaceState", { value: () => void looks++, writable: true });
    load();
    await settle();
    expect([looks, warnings, sent.length]).toEqual([1, [], 1]);
  });

  it("gets its callback if the server does not answer within ten seconds, and the event is sent again", async () => {
    const told: unknown[] = [];
    let limitMs = 0;
    const timeout = (ms: number) => {
      limitMs = ms;
      return AbortSignal.abort(new DOMException("", "TimeoutError"));
    };
    const fetch = window.fetch as unknown as (...given: unknown[]) => Promise<unknown>;
    let isDeaf = true;
    window.fetch = (async (url: string, init: RequestInit) => {
      const answered = fetch(url, init);
      if (isDeaf) init.signal!.throwIfAborted();
      return answered;
    }) as never;
    load({ cid: "acme" }, { AbortSignal: { timeout } });
    window.svc!("click", ({ status }: Told) => told.push(status));
    await settle();
    expect([limitMs, told]).toEqual([10_000, ["waiting"]]);
    isDeaf = false;
    timers[0]!.run();
    await settle();
    expect(new Set(sent.map(({ form }) => form["tid"])).size).toBe(1);
    expect([sent.length, queued()]).toEqual([2, []]);
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
