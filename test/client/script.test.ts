import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { Window } from "happy-dom";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const SCRIPT = readFileSync("dist/svc.js", "utf8");
const TID = "7f1b2c3d-1111-4222-8333-444455556666";

type Svc = ((...args: unknown[]) => void) & { q?: unknown[] };
type Fetch = { path: string; form: Record<string, string> };

let window: Window & { svc?: Svc };
let sent: Fetch[];
/** What the server answers next; a number is a status without a body. */
let answers: (object | number)[];

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
  window.fetch = (async (address: string, init: { body: URLSearchParams }) => {
    sent.push({ path: new URL(address).pathname, form: Object.fromEntries(init.body) });
    const answer = answers.shift() ?? { tid: TID, ref_id: "jane", cookie_days: 60 };
    if (typeof answer === "number") return { ok: false, status: answer };
    return { ok: true, status: 200, json: async () => answer };
  }) as never;
}

/** Runs the built file in the window, as the given script element would. */
function load(
  attributes: Record<string, string> = { cid: "acme" },
  storage: object = window.localStorage,
): void {
  const script = { src: "https://track.acme.example/svc.js", dataset: attributes };
  Object.defineProperty(window.document, "currentScript", { value: script, configurable: true });
  const globals = {
    window,
    document: window.document,
    location: window.location,
    origin: window.location.origin,
    localStorage: storage,
    navigator: window.navigator,
    history: window.history,
    fetch: window.fetch,
    // Retries and polling are the browser tests' matter.
    setInterval: () => 0,
    setTimeout: () => 0,
  };
  new Function(...Object.keys(globals), SCRIPT)(...Object.values(globals));
}

const settle = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
const queued = () => (window.localStorage.getItem("_svc_q") ?? "").split("\n").filter(Boolean);

describe("the built script", () => {
  it("is small", () => {
    expect(gzipSync(SCRIPT, { level: 9 }).length).toBeLessThanOrEqual(2_048);
  });

  it("uses no HTML sink, no eval and no global but its own", () => {
    expect(SCRIPT).not.toMatch(/innerHTML|outerHTML|document\.write|insertAdjacent|eval\(|new Function/);
    expect(SCRIPT.match(/window\b/g)!.length).toBeLessThan(5);
  });

  it("posts the click of a link as a form and keeps what the server answers", async () => {
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
          origin: "https://track.acme.example/svc.js",
          domain: expect.any(String),
        },
      },
    ]);
    expect(window.document.cookie).toContain(`_svc_tid=${TID}`);
    expect(window.document.cookie).toContain("_svc_ref=jane");
    expect(queued()).toEqual([]);
  });

  it.each([
    ["?ref=b&fpr=a", { cid: "acme" }, "a"],
    ["?mine=m&svc_ref=s", { cid: "acme", param: "mine" }, "m"],
    ["?via=%20&ref=second", { cid: "acme" }, "second"],
    ["?_get=last", { cid: "acme" }, "last"],
  ])("reads the ref id of %s with %o", async (query, attributes, refId) => {
    open(`https://www.acme.example/${query}`);
    load(attributes as unknown as Record<string, string>);
    await settle();
    expect(sent.map(({ form }) => form["ref_id"])).toEqual([refId]);
  });

  it("sends nothing where there is no referral", async () => {
    open("https://www.acme.example/");
    load();
    window.svc!("referral", { email: "lead@example.com" });
    await settle();
    expect(sent).toEqual([]);
    expect(queued()).toEqual([]);
  });

  it("lets sign-ups wait for the click, and sends them as the visitor that the server names", async () => {
    load();
    window.svc!("referral", { email: "lead@example.com" });
    await settle();
    expect(sent.map(({ path }) => path)).toEqual(["/t/click", "/t/signup"]);
    expect(sent[1]!.form).toMatchObject({ cid: "acme", tid: TID, email: "lead@example.com" });
  });

  it.each([500, 503, 429])(
    "keeps what the server answered with %i, and sends it on the next page",
    async (status) => {
      answers = [status];
      load();
      await settle();
      const [{ form: first }] = sent as [Fetch];
      expect(queued()).toHaveLength(1);
      expect(window.document.cookie).not.toContain("_svc_tid");
      open("https://www.acme.example/next", window);
      load();
      await settle();
      expect(sent.map(({ form }) => form["tid"])).toEqual([first["tid"]]);
      expect(queued()).toEqual([]);
    },
  );

  it("forgets what the server refused for good, and a ref id that is nobody's", async () => {
    answers = [422];
    load();
    await settle();
    expect(queued()).toEqual([]);
    answers = [{ tid: null, ref_id: null, cookie_days: 0 }];
    window.svc!("click", { ref_id: "nobody" });
    await settle();
    expect(window.document.cookie).not.toContain("_svc_tid");
  });

  it("stores nothing before the answer where Global Privacy Control is on", async () => {
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

  it("does its work with storage that is denied, full or spoilt", async () => {
    const refuse = () => {
      throw new Error("denied");
    };
    load({ cid: "acme" }, new Proxy({}, { get: refuse, set: refuse, deleteProperty: refuse }));
    window.svc!("signup", { uid: 1 });
    await settle();
    expect(sent.map(({ path }) => path)).toEqual(["/t/click", "/t/signup"]);
    open("https://www.acme.example/?via=jane");
    load({ cid: "acme" }, new Proxy({}, { set: refuse }));
    await settle();
    expect(sent).toHaveLength(1);
  });

  it.each(["{spoilt", '[["click"]]', "null\n5\n", '"text"', "{}"])(
    "gets over a foreign %j among what waits, and sends what it was to send",
    async (foreign) => {
      const storage = { _svc_q: foreign };
      answers = Array.from({ length: foreign.trim().split("\n").length - 1 }, () => ({ tid: null }));
      load({ cid: "acme" }, storage);
      await settle();
      expect(sent.at(-1)).toMatchObject({ path: "/t/click", form: { ref_id: "jane" } });
      expect(storage).toEqual({});
    },
  );

  it("takes over the visitor that another site of ours hands over, once the server has named it", async () => {
    open(`https://shop.acme.example/?&svc_ref=jane&_svc_tid=${TID}`);
    load();
    await settle();
    expect(sent.map(({ path, form }) => [path, form["tid"], form["ref_id"]])).toEqual([
      ["/t/click", TID, "jane"],
    ]);
    expect(window.document.cookie).toContain(`_svc_tid=${TID}`);
  });

  it("is the same function when it is loaded twice, and leaves a foreign svc alone", async () => {
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

  it("drains the stub's queue in order, ignores unknown calls, and survives callbacks that throw", async () => {
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
    answers = [{ tid: TID, ref_id: "jane", cookie_days: 60 }, { details: null }];
    load({});
    await settle();
    await settle();
    expect(calls).toEqual(["click", "ready", '{"details":null}']);
    expect(sent.map(({ path }) => path)).toEqual(["/t/click", "/t/details"]);
  });
});
