import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KEY, NOW, startApp, type Answer, type TestApp } from "../../support/app.ts";
import { hashCount } from "../../support/hashes.ts";
import { outcome } from "../../support/v2.ts";
import { addUser, callAs, callWith, cookieOf, ORIGIN, PASSWORD, addUserLink } from "../../support/users.ts";

let app: TestApp;
beforeEach(async () => void (app = await startApp()));
afterEach(() => app.close());

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  callWith(app, null)(`POST ${path}`, body, headers);
const signIn = (email: string, password = PASSWORD, headers: Record<string, string> = {}) =>
  post("/session", { email, password }, headers);
const later = (ms: number) => app.setNow(new Date(Date.parse(NOW) + ms).toISOString());
const DAY_MS = 24 * 60 * 60 * 1_000;

const WRONG = {
  status: 401,
  body: { message: "The e-mail address or the password is wrong", code: "unauthorized" },
};
const ENDED = {
  status: 401,
  body: { message: "The session has ended. Sign in again.", code: "unauthorized" },
};
const BUSY = {
  status: 503,
  body: { message: "Too many others are signing in at the moment; try again", code: "unavailable" },
};
const FOREIGN = {
  status: 403,
  body: { message: "The request does not come from a page of this server", code: "forbidden" },
};
const USED = {
  status: 404,
  body: { message: "This link was used before or has expired", code: "not_found" },
};
const session = (user: Record<string, unknown>) => ({
  user: { id: 1, role: "owner", has_second_factor: false, ...user },
  account: { id: "acme", name: "Acme", shown_name: "Acme", currency: "USD", time_zone: "UTC" },
});

describe("POST /api/v2/company/session", () => {
  it("opens a session, whose cookie scripts can't read", async () => {
    await addUser(app, "owner", { email: "Alex@acme.example", name: "Alex Kim" });
    const answer = await signIn(" alex@ACME.example ");
    expect(await outcome(Promise.resolve(answer))).toEqual({
      status: 201,
      body: session({ email: "Alex@acme.example", name: "Alex Kim" }),
    });
    const attributes = "Max-Age=34560000; Path=/api/v2/company; HttpOnly; Secure; SameSite=Lax";
    expect(answer.headers.getSetCookie().map((cookie) => cookie.replace(/=[\w-]{43};/, "=…;"))).toEqual([
      `tidemark_admin=…; ${attributes}`,
      `tidemark_admin_known=…; ${attributes}`,
    ]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const call = callWith(app, cookieOf(answer));
    expect(await outcome(call("GET /session"))).toEqual({
      status: 200,
      body: session({ email: "Alex@acme.example", name: "Alex Kim" }),
    });
  });

  it("opens another session each time, whatever cookie the browser sends", async () => {
    await addUser(app, "owner");
    const first = await signIn("owner@acme.example");
    const second = await signIn("owner@acme.example", PASSWORD, { cookie: cookieOf(first) });
    expect(cookieOf(second)).not.toBe(cookieOf(first));
    const planted = await signIn("owner@acme.example", PASSWORD, { cookie: "tidemark_admin=planted" });
    expect(cookieOf(planted)).not.toContain("planted");
    expect(await outcome(callWith(app, "tidemark_admin=planted")("GET /session"))).toEqual(ENDED);
  });

  it.each([
    ["a wrong password", "owner@acme.example", "wrong horse battery"],
    ["a password in another case", "owner@acme.example", PASSWORD.toUpperCase()],
    ["a password with a blank more", "owner@acme.example", `${PASSWORD} `],
    ["an unknown address", "nobody@acme.example", PASSWORD],
    ["a user without a password", "invited@acme.example", PASSWORD],
    ["the API key", "owner@acme.example", KEY],
  ])("refuses %s in the same words", async (_, email, password) => {
    await addUser(app, "owner");
    await addUser(app, "viewer", { email: "invited@acme.example", password_hash: null });
    const answer = await signIn(email, password);
    expect(await outcome(Promise.resolve(answer))).toEqual(WRONG);
    expect(answer.headers.get("set-cookie")).toBeNull();
  });

  it("computes one hash, whoever exists", async () => {
    await addUser(app, "owner");
    await addUser(app, "viewer", { email: "invited@acme.example", password_hash: null });
    for (const email of ["owner@acme.example", "nobody@acme.example", "invited@acme.example"]) {
      expect(await hashCount(() => signIn(email, "wrong horse battery"))).toBe(1);
    }
    expect(await hashCount(() => signIn("owner@acme.example"))).toBe(1);
  });

  it("answers 503 if too many others are signing in, and tracking goes on", async () => {
    app.services.chance.passwordCost = { N: 2 ** 14, r: 8, p: 1 };
    const tid = "7f1b2c3d-1111-4222-8333-444455556666";
    await app.v1("/promoters/create", { email: "jane@example.com", ref_id: "jane" });
    const many = Array.from({ length: 50 }, (_, at) => signIn(`${at}@acme.example`));
    const clicked = await app.browser("/t/click", { tid, ref_id: "jane" });
    const signedUp = await app.browser("/t/signup", { tid, email: "lead@example.com" });
    const answers = await Promise.all(many);
    expect([clicked.status, signedUp.status]).toEqual([200, 200]);
    const busy = answers.filter(({ status }) => status !== 401);
    expect(busy).toHaveLength(40);
    for (const answer of busy) {
      expect(await outcome(Promise.resolve(answer))).toEqual(BUSY);
      expect(answer.headers.get("retry-after")).toBe("2");
    }
  });

  it("refuses a body without address or password", async () => {
    expect(await outcome(post("/session", { email: "no address" }))).toEqual({
      status: 422,
      body: {
        message: "Validation failed: email is invalid, password can't be blank",
        code: "invalid_params",
        errors: { email: ["is invalid"], password: ["can't be blank"] },
      },
    });
  });

  it.each([{ origin: "https://evil.example" }, { origin: "null" }])(
    "refuses a page of another site: %j",
    async (headers) => {
      await addUser(app, "owner");
      expect(await outcome(signIn("owner@acme.example", PASSWORD, headers))).toEqual(FOREIGN);
    },
  );

  const TOO_MANY = { status: 429, body: { message: "Too many attempts to sign in", code: "rate_limited" } };
  const from = (network: string) => ({ "x-forwarded-for": network });

  it("lets the right password in from elsewhere while someone guesses", async () => {
    await app.close();
    app = await startApp("memory", { signIns: 6, signInsByPair: 2, signInsByEmail: 5 });
    await addUser(app, "owner");
    const guess = (network: string) => signIn("OWNER@acme.example ", "x", from(network));
    expect((await guess("10.0.0.1")).status).toBe(401);
    expect((await guess("10.0.0.1")).status).toBe(401);
    for (let more = 0; more < 10; more++) {
      expect(await outcome(guess("10.0.0.1"))).toEqual(TOO_MANY);
    }
    const refused = await signIn("owner@acme.example", PASSWORD, from("10.0.0.1"));
    expect(await outcome(Promise.resolve(refused))).toEqual(TOO_MANY);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    // The refused attempts did not count against the user: only two of five have.
    expect((await signIn("owner@acme.example", PASSWORD, from("10.0.0.2"))).status).toBe(201);
  });

  it("limits guesses from many networks", async () => {
    await app.close();
    app = await startApp("memory", { signInsByPair: 2, signInsByEmail: 3 });
    for (const network of ["10.0.0.1", "10.0.0.2", "10.0.0.3"]) {
      expect((await signIn("owner@acme.example", "x", from(network))).status).toBe(401);
    }
    expect(await outcome(signIn("owner@acme.example", "x", from("10.0.0.4")))).toEqual(TOO_MANY);
  });

  it("limits the guesses of a network for all users", async () => {
    await app.close();
    app = await startApp("memory", { signIns: 2, signInsByPair: 2 });
    expect((await signIn("a@acme.example", "x")).status).toBe(401);
    expect((await signIn("b@acme.example", "x")).status).toBe(401);
    expect(await outcome(signIn("c@acme.example", "x"))).toEqual(TOO_MANY);
  });

  const marksOf = (answer: Answer) => answer.headers.getSetCookie()[1]!.replace(/;.*/, "");

  it("keeps attempts for a browser that its user has signed in with, however many strangers guess", async () => {
    await app.close();
    app = await startApp("memory", { signIns: 3, signInsByPair: 3, signInsByEmail: 3 });
    await addUser(app, "owner");
    const cookie = marksOf(await signIn("owner@acme.example", PASSWORD, from("10.0.0.9")));
    for (const network of ["10.0.0.1", "10.0.0.2"]) {
      expect((await signIn("owner@acme.example", "x", from(network))).status).toBe(401);
    }
    const here = (password: string, also: object = {}) =>
      signIn("owner@acme.example", password, { ...from("10.0.0.3"), ...also });
    expect(await outcome(here(PASSWORD))).toEqual(TOO_MANY);
    expect((await here(PASSWORD, { cookie })).status).toBe(201);
    // The attempts of the known browser are limited, too.
    expect((await here("x", { cookie })).status).toBe(401);
    expect((await here("x", { cookie })).status).toBe(401);
    expect(await outcome(here(PASSWORD, { cookie }))).toEqual(TOO_MANY);
  });

  it("knows a browser only for the people who have signed in with it", async () => {
    await app.close();
    app = await startApp("memory", { signInsByEmail: 2 });
    await addUser(app, "owner");
    await addUser(app, "viewer");
    const cookie = marksOf(await signIn("viewer@acme.example"));
    const [name = "", mark = ""] = cookie.split("=");
    const forged = [
      cookie,
      `${name}=${"A".repeat(43)}`,
      `${name}=${mark.slice(0, 16)}${"A".repeat(27)}`,
      `${name}=`,
    ];
    await signIn("owner@acme.example", "x");
    await signIn("owner@acme.example", "x");
    for (const each of forged) {
      expect(await outcome(signIn("owner@acme.example", PASSWORD, { cookie: each }))).toEqual(TOO_MANY);
    }
  });

  it("knows a browser for several people", async () => {
    await addUser(app, "owner");
    await addUser(app, "viewer");
    const first = marksOf(await signIn("viewer@acme.example"));
    const both = marksOf(await signIn("owner@acme.example", PASSWORD, { cookie: first }));
    expect(both.split("=")[1]!.split(".")).toEqual([expect.any(String), first.split("=")[1]]);
    expect(marksOf(await signIn("owner@acme.example", PASSWORD, { cookie: both }))).toBe(both);
  });

  it("limits the guesses of all browsers that know a person, and of all people in a network", async () => {
    await app.close();
    app = await startApp("memory", { signIns: 4 });
    await addUser(app, "owner");
    await addUser(app, "viewer");
    const newBrowser = async (name: string, at: string) =>
      marksOf(await signIn(`${name}@acme.example`, PASSWORD, from(at)));
    const guess = async (name: string, cookie: string, at: string) =>
      (await signIn(`${name}@acme.example`, "x", { ...from(at), cookie })).status;
    // Someone who signs in anew each time gets as many marks as they like.
    const [one, two, three] = [
      await newBrowser("owner", "10.0.0.1"),
      await newBrowser("owner", "10.0.0.1"),
      await newBrowser("owner", "10.0.0.1"),
    ];
    const other = await newBrowser("viewer", "10.0.0.1");
    expect([await guess("owner", one, "10.0.1.1"), await guess("owner", two, "10.0.1.2")]).toEqual([
      401, 401,
    ]);
    expect([await guess("owner", three, "10.0.1.3"), await guess("owner", one, "10.0.1.4")]).toEqual([
      401, 401,
    ]);
    expect(await guess("owner", three, "10.0.1.5")).toBe(429);
    const inOneNetwork: number[] = [];
    for (let count = 0; count < 4; count++) inOneNetwork.push(await guess("viewer", other, "10.0.1.1"));
    expect(inOneNetwork).toEqual([401, 401, 401, 429]);
  });

  it("limits the guesses of a larger IPv6 network", async () => {
    await app.close();
    app = await startApp("memory", { signIns: 2, signInsBySite: 3, signInsByPair: 2 });
    const statuses: number[] = [];
    for (const network of ["2001:db8:1:1::1", "2001:db8:1:2::1", "2001:db8:1:3::1", "2001:db8:1:4::1"]) {
      statuses.push(
        (await signIn(`${network.length + statuses.length}@acme.example`, "x", from(network))).status,
      );
    }
    expect(statuses).toEqual([401, 401, 401, 429]);
    expect((await signIn("a@acme.example", "x", from("2001:db8:2:1::1"))).status).toBe(401);
    // One address is limited by the larger network as well.
    expect((await signIn("b@acme.example", "x", from("2001:db8:3:1::1"))).status).toBe(401);
    expect((await signIn("b@acme.example", "x", from("2001:db8:3:2::1"))).status).toBe(401);
    expect((await signIn("b@acme.example", "x", from("2001:db8:3:3::1"))).status).toBe(429);
  });

  it("limits the e-mails to one address, wherever they are asked for", async () => {
    await app.close();
    app = await startApp("memory", { signInsByPair: 2, signInEmails: 2 });
    const ask = (network: string) =>
      outcome(post("/session/reset", { email: "owner@acme.example" }, from(network)));
    expect(await ask("10.0.0.1")).toMatchObject({ status: 202 });
    expect(await ask("10.0.0.2")).toMatchObject({ status: 202 });
    expect(await ask("10.0.0.3")).toEqual({
      status: 429,
      body: { message: "Too many e-mails to this address", code: "rate_limited" },
    });
    // A stranger who asks for e-mails keeps no user from signing in.
    expect((await signIn("owner@acme.example", "x", from("10.0.0.1"))).status).toBe(401);
  });
});

describe("a session", () => {
  it("ends when its user signs out", async () => {
    const call = await callAs(app, await addUser(app, "owner"));
    const answer = await call("DELETE /session");
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 204, body: "" });
    expect(answer.headers.get("set-cookie")).toBe(
      "tidemark_admin=; Max-Age=0; Path=/api/v2/company; HttpOnly; Secure; SameSite=Lax",
    );
    expect(await outcome(call("GET /session"))).toEqual(ENDED);
    expect(await outcome(call("DELETE /session"))).toEqual(ENDED);
  });

  it("ends after 14 days without use", async () => {
    const call = await callAs(app, await addUser(app, "owner"));
    later(13 * DAY_MS);
    expect((await call("GET /campaigns")).status).toBe(200);
    later(26 * DAY_MS);
    expect((await call("GET /campaigns")).status).toBe(200);
    later(41 * DAY_MS);
    expect(await outcome(call("GET /campaigns"))).toEqual(ENDED);
  });

  it("ends with its user", async () => {
    const user = await addUser(app, "owner");
    const call = await callAs(app, user);
    await app.records.remove("user", user.id);
    expect(await outcome(call("GET /campaigns"))).toEqual(ENDED);
  });

  it("has the role of this moment", async () => {
    const user = await addUser(app, "manager");
    const call = await callAs(app, user);
    await app.records.change("user", user.id, { role: "viewer" });
    expect(await outcome(call("POST /campaigns", {}))).toEqual({
      status: 403,
      body: { message: "This needs the role manager, and you are a viewer", code: "forbidden" },
    });
  });

  it.each([
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: "" },
    { origin: `${ORIGIN}.evil.example` },
  ])("changes nothing for a page of another site: %j", async (headers) => {
    const call = await callAs(app, await addUser(app, "owner"));
    expect(await outcome(call("DELETE /session", undefined, headers))).toEqual(FOREIGN);
    expect((await call("GET /session", undefined, headers)).status).toBe(200);
  });

  it("does not help a wrong key, and a key needs no session", async () => {
    const call = await callAs(app, await addUser(app, "owner"));
    const wrong = { authorization: "Bearer wrong" };
    expect(await outcome(call("GET /campaigns", undefined, wrong))).toEqual({
      status: 401,
      body: { message: "Bad credentials", code: "unauthorized" },
    });
    const key = { authorization: `Bearer ${KEY}`, "account-id": "acme", origin: "https://evil.example" };
    expect((await callWith(app, "tidemark_admin=x")("GET /campaigns", undefined, key)).status).toBe(200);
  });

  it("is for its own account only", async () => {
    const call = await callAs(app, await addUser(app, "owner"));
    expect((await call("GET /campaigns", undefined, { "account-id": "acme" })).status).toBe(200);
    expect(await outcome(call("GET /campaigns", undefined, { "account-id": "other" }))).toEqual({
      status: 403,
      body: { message: "The session does not belong to this account", code: "forbidden" },
    });
  });

  it("is counted apart from the account's keys", async () => {
    await app.close();
    app = await startApp("memory", { v2: 1 });
    const call = await callAs(app, await addUser(app, "owner"));
    expect((await app.v2("GET", "/campaigns")).status).toBe(200);
    expect((await call("GET /campaigns")).status).toBe(200);
    expect((await call("GET /campaigns")).status).toBe(429);
  });

  it("is needed to show who is signed in", async () => {
    expect(await outcome(callWith(app, null)("GET /session"))).toEqual({
      status: 401,
      body: { message: "No user is signed in", code: "unauthorized" },
    });
    expect(await outcome(app.v2("GET", "/session"))).toEqual({
      status: 403,
      body: {
        message: "Only a signed-in user can do this, not an API key",
        code: "forbidden",
      },
    });
  });
});

describe("a link", () => {
  const makeLink = (...link: [kind: Parameters<typeof addUserLink>[1], userId: number | null]) =>
    addUserLink(app, ...link);
  const invite = async () => {
    const user = await addUser(app, "manager", { email: "new@acme.example", password_hash: null });
    return makeLink("invitation", user.id);
  };

  it("shows what it is for, as often as someone looks", async () => {
    const invitation = await invite();
    const owner = await makeLink("owner", null);
    for (let look = 0; look < 2; look++) {
      expect(await outcome(post("/session/link/check", { token: invitation }))).toEqual({
        status: 200,
        body: { kind: "invitation", email: "new@acme.example" },
      });
      expect(await outcome(post("/session/link/check", { token: owner }))).toEqual({
        status: 200,
        body: { kind: "owner", email: null },
      });
    }
  });

  it("makes the first owner, once", async () => {
    const token = await makeLink("owner", null);
    const input = { token, password: PASSWORD, email: "alex@acme.example", name: "Alex" };
    const answer = await post("/session/link", input);
    expect(await outcome(Promise.resolve(answer))).toEqual({
      status: 201,
      body: session({ email: "alex@acme.example", name: "Alex" }),
    });
    expect((await callWith(app, cookieOf(answer))("GET /session")).status).toBe(200);
    expect(await outcome(post("/session/link", { ...input, email: "eve@evil.example" }))).toEqual(USED);
    expect(await outcome(post("/session/link/check", { token }))).toEqual(USED);
    expect((await signIn("alex@acme.example")).status).toBe(201);
  });

  it("asks the first owner for an address", async () => {
    const token = await makeLink("owner", null);
    const fault = {
      message: "email can't be blank",
      code: "invalid_params",
      errors: { email: ["can't be blank"] },
    };
    expect(await outcome(post("/session/link", { token, password: PASSWORD }))).toEqual({
      status: 422,
      body: fault,
    });
    expect((await post("/session/link/check", { token })).status).toBe(200);
  });

  it("gives an invited user a password, and nobody another address", async () => {
    const token = await invite();
    const input = { token, password: "my own password", email: "eve@evil.example" };
    expect(await outcome(post("/session/link", input))).toEqual({
      status: 201,
      body: session({ email: "new@acme.example", name: "new@acme.example", role: "manager" }),
    });
    expect((await signIn("new@acme.example", "my own password")).status).toBe(201);
  });

  it("ends all sessions and links of a user whose password it resets", async () => {
    const user = await addUser(app, "owner");
    const call = await callAs(app, user);
    const earlier = await makeLink("reset", user.id);
    const token = await makeLink("reset", user.id);
    expect(await outcome(post("/session/link", { token: earlier, password: "another password" }))).toEqual(
      USED,
    );
    expect((await post("/session/link", { token, password: "another password" })).status).toBe(201);
    expect(await outcome(call("GET /session"))).toEqual(ENDED);
    expect(await outcome(signIn("owner@acme.example"))).toEqual(WRONG);
  });

  it("sets one password when two people use it at once", async () => {
    const token = await invite();
    const answers = await Promise.all(
      ["first password", "second password"].map((password) => post("/session/link", { token, password })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 404]);
    const winner = answers[0]?.status === 201 ? "first password" : "second password";
    expect((await signIn("new@acme.example", winner)).status).toBe(201);
  });

  it.each([
    ["owner", DAY_MS],
    ["invitation", 7 * DAY_MS],
    ["reset", DAY_MS],
  ] as const)("of kind %s is good for %d milliseconds", async (kind, lifetimeMs) => {
    const user = await addUser(app, "owner");
    const token = await makeLink(kind, kind === "owner" ? null : user.id);
    later(lifetimeMs - 1);
    expect((await post("/session/link/check", { token })).status).toBe(200);
    later(lifetimeMs);
    expect(await outcome(post("/session/link", { token, password: PASSWORD }))).toEqual(USED);
  });

  it("is no good when its user is gone", async () => {
    const user = await addUser(app, "owner");
    const token = await makeLink("reset", user.id);
    await app.records.remove("user", user.id);
    expect(await outcome(post("/session/link/check", { token }))).toEqual(USED);
  });

  it("refuses a short password and stays good", async () => {
    const token = await invite();
    expect(await outcome(post("/session/link", { token, password: "seven77" }))).toEqual({
      status: 422,
      body: {
        message: "Validation failed: password is too short (minimum is 8 characters)",
        code: "invalid_params",
        errors: { password: ["is too short (minimum is 8 characters)"] },
      },
    });
    expect((await post("/session/link/check", { token })).status).toBe(200);
  });
});
