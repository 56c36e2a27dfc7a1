import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answerOf, startApp, type TestApp } from "../../support/app.ts";
import { useMail } from "../../support/mail.ts";
import { PASSWORD, portalBrowser } from "../../support/portal.ts";
import { company, invalid } from "../../support/v2.ts";

const EMAIL = "jane@example.com";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

async function call(method: string, campaign: number | string, body?: unknown, address = "203.0.113.1") {
  const headers = { "content-type": "application/json", "x-forwarded-for": address };
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const answer = await answerOf(await app.request(`/api/v2/join/${campaign}`, init));
  return { status: answer.status, body: answer.body };
}
const join = (over: object = {}, campaign = 1) =>
  call("POST", campaign, { email: EMAIL, password: PASSWORD, first_name: "Jane", ...over });
const mail = useMail(() => app);
const { send, subjects } = mail;
const token = () => /\/portal\/welcome#(\S+)/.exec(mail.emails.at(-1)?.text ?? "")?.[1] ?? "";
const MISSING = { status: 404, body: { message: "Campaign not found.", code: "not_found" } };
/** All that a campaign without rewards says. */
const OFFER = [
  "A click counts for 60 days: everyone who signs up within that time is yours. If a visitor followed links of several promoters, the last one counts.",
];
const JOINED = { status: 201, body: { state: "accepted", needs_confirmation: true } };

it("shows what anybody may know of a campaign", async () => {
  await company(app, "PUT /campaigns/1", {
    signup: { description: "Earn 20%.", terms: "Be nice.", questions: [{ label: "Where?", is_long: true }] },
  });
  expect(await call("GET", 1)).toEqual({
    status: 200,
    body: {
      id: 1,
      name: "Default campaign",
      company_name: "Acme",
      brand: { name: "Acme", logo_url: null, favicon_url: null, colors: null },
      description: "Earn 20%.",
      terms: "Be nice.",
      contracts: [],
      questions: [{ label: "Where?", is_long: true, is_required: false, choices: [] }],
      offer: OFFER,
      is_private: false,
      needs_approval: false,
    },
  });
  expect(await call("GET", 9)).toEqual(MISSING);
});

it("makes a promoter, who gets in by the link in the e-mail and the password", async () => {
  expect(await join()).toEqual(JOINED);
  await send();
  expect(subjects()).toEqual(["Confirm your address for Default campaign"]);
  const browser = portalBrowser(app);
  const signIn = { email: EMAIL, password: PASSWORD };
  expect((await browser.call("POST /session", signIn)).status).toBe(401);
  const link = { token: token() };
  expect(await browser.outcome("POST /session/link/check", link)).toEqual({
    status: 200,
    body: { kind: "join", email: EMAIL },
  });
  expect((await browser.outcome("POST /session/link", { ...link, password: "someone else's" })).body).toEqual(
    {
      message: "Validation failed: password is not the one that you chose",
      code: "invalid_params",
      errors: { password: ["is not the one that you chose"] },
    },
  );
  expect((await browser.call("POST /session/link", { ...link, password: PASSWORD })).status).toBe(201);
  expect((await browser.call("POST /session", signIn)).status).toBe(201);
});

it("writes nothing of the newcomer's own words to an address that is not confirmed", async () => {
  const words = "Win money at evil.example";
  await join({ first_name: words, last_name: words });
  await portalBrowser(app).call("POST /session/link/send", { email: EMAIL });
  await send();
  expect(mail.emails.map(({ to }) => to)).toEqual([[EMAIL], [EMAIL]]);
  for (const email of mail.emails) expect(JSON.stringify(email)).not.toContain("evil");
  const [first] = mail.emails;
  expect(first!.text.trim().split(/(?:\r?\n)+/)).toEqual([
    "Hello,",
    "Someone has applied to Default campaign of Acme with this e-mail address. If it was you, open this link to confirm the address:",
    expect.stringMatching(/^https:\/\/track\.acme\.example\/portal\/welcome#\S+$/),
    "If it was not you, ignore this e-mail.",
    "Acme",
  ]);
});

it("sends one e-mail until the address is confirmed, and then those that the campaign sends", async () => {
  await company(app, "PUT /campaigns/1", {
    emails: { signup_accepted: true, new_referral: true, new_commission: true },
  });
  await join();
  await send();
  expect((await company(app, "GET /promoters/1")).body).toMatchObject({ is_confirmed: false });
  const ref = ((await app.v1("/promoters/show", { id: "1" })).body as { promotions: { ref_id: string }[] })
    .promotions[0]!.ref_id;
  await app.v1("/track/signup", { email: "lead@example.com", ref_id: ref });
  await send();
  expect(subjects()).toEqual(["Confirm your address for Default campaign"]);
  const link = { token: token(), password: PASSWORD };
  expect((await portalBrowser(app).call("POST /session/link", link)).status).toBe(201);
  await app.v1("/track/signup", { email: "other@example.com", ref_id: ref });
  await send();
  expect((await company(app, "GET /promoters/1")).body).toMatchObject({ is_confirmed: true });
  expect(subjects().slice(1).toSorted()).toEqual(["Welcome to Default campaign", "You have a new lead"]);
});

it.each([
  ["accept", "You have been accepted to Default campaign"],
  ["reject", "Your application to Default campaign"],
])(
  "tells a newcomer of the decision to %s when they have confirmed their address",
  async (decision, subject) => {
    await company(app, "PUT /campaigns/1", {
      auto_approve_promoters: false,
      emails: { accepted: true, rejected: true },
    });
    await join();
    const decided = await company(app, `POST /promoters/${decision}`, { ids: [1], campaign_id: 1 });
    expect(decided.status).toBeLessThan(300);
    await send();
    expect(subjects()).toEqual(["Confirm your address for Default campaign"]);
    await portalBrowser(app).call("POST /session/link", { token: token(), password: PASSWORD });
    await send();
    expect(subjects().slice(1)).toEqual([subject]);
  },
);

describe("strangers' mailboxes", () => {
  const TOO_MANY = (message: string) => ({ status: 429, body: { message, code: "rate_limited" } });
  const again = async (options: Parameters<typeof startApp>[1]) => {
    await app.close();
    app = await startApp("memory", options);
  };

  it("get five e-mails a day, however their address is written and whoever asks", async () => {
    await again({ mailsByMailbox: 5 });
    for (const email of ["j.ane@example.com", "jane+1@example.com", "JANE@example.com"]) {
      expect((await join({ email })).status).toBe(201);
    }
    const browser = portalBrowser(app);
    for (let wish = 0; wish < 4; wish++) {
      expect((await browser.call("POST /session/link/send", { email: EMAIL })).status).toBe(202);
    }
    await send();
    expect(mail.emails).toHaveLength(5);
    expect(await join({ email: "jane+2@example.com" })).toEqual(TOO_MANY("Too many e-mails to this address"));
    expect((await join({ email: "kim@example.com" })).status).toBe(201);
  });

  it("are one mailbox in each spelling of their domain that the mail server understands", async () => {
    await again({ mailsByMailbox: 1 });
    expect((await join({ email: "jane@bücher.example.com" })).status).toBe(201);
    const spellings = [
      "jane@BÜCHER.example.com",
      "jane@xn--bcher-kva.example.com",
      "jane@bücher.ｅxample.com",
      "jane@bücher。example.com",
      "jane@büch\u00ader.example.com",
      "jane@bücher.exam\u200bple.com",
      "jane@bücher.example.com.",
      "ja\u0085ne@bücher.example.com",
    ];
    const answers = await Promise.all(
      spellings.map(async (email) => [email, (await join({ email })).status]),
    );
    expect(answers.filter(([, status]) => status === 201)).toEqual([]);
  });

  it("get their e-mails although the server was busy at first", async () => {
    await again({ joins: 1, mailsByMailbox: 1 });
    app.services.chance.passwordCost = { N: 2 ** 14, r: 8, p: 4 };
    const guess = (at: number) =>
      portalBrowser(app).call("POST /session", { email: `${at}@example.com`, password: PASSWORD });
    const others = Array.from({ length: 11 }, (_, at) => guess(at));
    // The one that finds the queue full is answered first.
    expect((await Promise.race(others)).status).toBe(503);
    expect((await join()).status).toBe(503);
    await Promise.all(others);
    expect((await join()).status).toBe(201);
  });

  it("can join although one address has used up its share", async () => {
    await again({ joinsBySite: 2, joins: 3 });
    const from = (email: string, address: string) =>
      call("POST", 1, { email, password: PASSWORD, first_name: "Jane" }, address);
    for (const name of ["a", "b"])
      expect((await from(`${name}@example.com`, "2001:db8:1:1::1")).status).toBe(201);
    for (const network of [1, 2])
      expect(await from("c@example.com", `2001:db8:1:${network}::2`)).toEqual(
        TOO_MANY("Too many applications from this address"),
      );
    expect((await from("d@example.com", "2001:db8:2:1::1")).status).toBe(201);
  });

  it("are safe from someone who writes to many through one campaign", async () => {
    await again({ joins: 3 });
    for (const name of ["a", "b", "c"])
      expect((await join({ email: `${name}@example.com` })).status).toBe(201);
    // Programs that fill in the hidden field don't count.
    expect((await join({ company_website: "https://spam.example" })).status).toBe(201);
    expect(await join({ email: "d@example.com" })).toEqual(
      TOO_MANY("Too many people are joining at the moment"),
    );
    const { body } = await company(app, "POST /campaigns", {
      name: "Other",
      landing_url: "https://www.acme.example/",
    });
    expect((await join({ email: "d@example.com" }, (body as { id: number }).id)).status).toBe(201);
  });
});

it("answers a known address alike, and writes to its owner", async () => {
  await app.v1("/promoters/create", { email: EMAIL });
  const { total } = await promoterCount();
  expect(await join({ email: "JANE@example.com" })).toEqual(JOINED);
  await send();
  expect(subjects()).toEqual(["You already have an account with Acme"]);
  expect(await promoterCount()).toEqual({ total });
});

it("forgets the password of whoever joined with a stranger's address", async () => {
  await join({ password: "attacker's choice" });
  await send();
  const browser = portalBrowser(app);
  await browser.call("POST /session/link/send", { email: EMAIL });
  await send();
  expect(await browser.outcome("POST /session/link", { token: token() })).toMatchObject({
    status: 201,
    body: { has_password: false },
  });
  const attack = { email: EMAIL, password: "attacker's choice" };
  expect((await portalBrowser(app).call("POST /session", attack)).status).toBe(401);
});

describe("a campaign", () => {
  it("may look at newcomers first", async () => {
    await company(app, "PUT /campaigns/1", { auto_approve_promoters: false });
    expect(await join()).toEqual({ status: 201, body: { state: "pending", needs_confirmation: true } });
    await send();
    expect(subjects()).toEqual(["Confirm your address for Default campaign"]);
    const { body } = await company(app, "GET /promoters/1");
    expect(body).toMatchObject({ promoter_campaigns: [{ state: "pending" }] });
  });

  it("may ask questions, whose answers it keeps, and want its terms accepted", async () => {
    const questions = [{ label: "Where?", is_required: true, choices: ["Blog", "Video"] }];
    await company(app, "PUT /campaigns/1", { signup: { terms: "Be nice.", questions } });
    expect(await join({ answers: { "Where?": "Radio" } })).toEqual({
      status: 422,
      body: {
        message: "Some answers are missing or wrong.",
        code: "invalid_params",
        errors: { "answers[Where?]": ["is not one of Blog, Video"], terms_accepted: ["must be accepted"] },
      },
    });
    expect(await join({ answers: { "Where?": "Blog", other: "x" }, terms_accepted: true })).toEqual(JOINED);
    const { body } = await company(app, "GET /promoters/1");
    expect(body).toMatchObject({ custom_fields: { "Where?": "Blog" } });
  });

  it("tells all faults at once, also those of its questions", async () => {
    await company(app, "PUT /campaigns/1", {
      signup: { terms: "Be nice.", questions: [{ label: "Where?", is_required: true }] },
    });
    const faults = {
      first_name: ["can't be blank"],
      "answers[Where?]": ["can't be blank"],
      terms_accepted: ["must be accepted"],
    };
    expect(await join({ first_name: " " })).toEqual(invalid(faults));
  });

  it("that is private is shown to those who have its invitation", async () => {
    const invitation = await invitationTo(1);
    const show = (body: object, campaign = 1) => call("POST", `${campaign}/invitation`, body);
    expect(await show({ invitation })).toEqual({
      status: 200,
      body: {
        id: 1,
        name: "Default campaign",
        company_name: "Acme",
        brand: { name: "Acme", logo_url: null, favicon_url: null, colors: null },
        description: null,
        terms: null,
        contracts: [],
        questions: [],
        offer: OFFER,
        is_private: true,
        needs_approval: false,
      },
    });
    expect(await join({ invitation })).toEqual(JOINED);
    await company(app, "PUT /campaigns/1", { is_private: false });
    expect(await show({ invitation: "old" })).toEqual({
      status: 200,
      body: expect.objectContaining({ is_private: false }) as unknown,
    });
  });

  it("that is private is answered like an unknown one without its invitation", async () => {
    await company(app, "PUT /campaigns/1", {
      signup: { questions: [{ label: "Where?", is_required: true }] },
    });
    const { body: other } = await company(app, "POST /campaigns", {
      name: "Other",
      landing_url: "https://www.acme.example/",
    });
    const invitations = [
      undefined,
      null,
      "",
      "guess",
      ["guess"],
      await invitationTo((other as { id: number }).id),
    ];
    await invitationTo(1);
    expect(await call("GET", 1)).toEqual(MISSING);
    for (const invitation of invitations) {
      for (const id of [1, 9]) {
        // Nor do the faults of what was filled in tell them apart.
        expect(await call("POST", id, { invitation })).toEqual(MISSING);
        expect(await join({ invitation }, id)).toEqual(MISSING);
      }
    }
    expect(await call("POST", "1/invitation", { invitation: "guess" })).toEqual(MISSING);
    expect(await call("POST", "1/invitation", {})).toEqual(invalid({ invitation: ["can't be blank"] }));
    expect(await promoterCount()).toEqual({ total: "0" });
  });
});

it("remembers who brought someone in", async () => {
  await app.v1("/promoters/create", { email: "alex@example.com", ref_id: "alex" });
  await join({ ref: "alex" });
  await join({ ref: "nobody", email: "kim@example.com" });
  const parents = async (id: number) =>
    (await company(app, `GET /promoters/${id}?include_parent_promoter=true`)).body;
  expect(await parents(2)).toMatchObject({ parent_promoter: { id: 1 } });
  expect(await parents(3)).toMatchObject({ parent_promoter: null });
});

it.each([
  [
    "an address that no mail reaches",
    { email: "mia@nowhere" },
    { email: ["needs a domain such as example.com"] },
  ],
  ["a name of blanks", { first_name: "   " }, { first_name: ["can't be blank"] }],
  ["no name", { first_name: undefined }, { first_name: ["can't be blank"] }],
])("refuses %s", async (_case, over, errors: Record<string, string[]>) => {
  expect(await join(over)).toEqual(invalid(errors));
  expect(await promoterCount()).toEqual({ total: "0" });
});

it("takes no notice of programs that fill in the hidden field", async () => {
  expect(await join({ company_website: "https://spam.example" })).toEqual(JOINED);
  expect(await promoterCount()).toEqual({ total: "0" });
});

it("needs no confirmation if the server can't send e-mails", async () => {
  app.services.mail = null;
  expect(await join()).toEqual({ status: 201, body: { state: "accepted", needs_confirmation: false } });
  const signIn = { email: EMAIL, password: PASSWORD };
  expect((await portalBrowser(app).call("POST /session", signIn)).status).toBe(201);
});

/** Makes a campaign private. */
async function invitationTo(campaignId: number): Promise<string> {
  const { body } = await company(app, `PUT /campaigns/${campaignId}`, { is_private: true });
  const [, invitation = ""] = (body as { signup_url: string }).signup_url.split("#invitation=");
  return invitation;
}

async function promoterCount() {
  const { headers } = await company(app, "GET /promoters");
  return { total: headers.get("total") };
}
