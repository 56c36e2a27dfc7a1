import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { useMail } from "../../support/mail.ts";
import { PASSWORD, portalBrowser } from "../../support/portal.ts";
import { addUser, callAs } from "../../support/users.ts";
import { company, invalid, outcome, reward } from "../../support/v2.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const invite = (body: object) => company(app, "POST /promoters/invite", body);
const LINK = /^https:\/\/track\.acme\.example\/portal\/welcome#\S+$/;

describe("POST /promoters/invite", () => {
  const mail = useMail(() => app);

  it("makes promoters of many people, who are accepted, and mails each the message and a way in", async () => {
    await company(app, "PUT /campaigns/1", {
      auto_approve_promoters: false,
      emails: { signup_accepted: true },
      rewards_for_promoters: [{ reward_id: await reward(app) }],
    });
    await app.v1("/promoters/create", { email: "known@example.com" });
    const message = "We met at the fair.\nJoin us <now>!";
    expect(
      await invite({ emails: ["jane@example.com", "KNOWN@example.com", "jane@example.com "], message }),
    ).toMatchObject({
      status: 201,
      body: {
        promoters: [
          {
            email: "jane@example.com",
            promoter_id: 2,
            is_new: true,
            is_mailed: true,
            password_setup_url: expect.stringMatching(LINK) as string,
          },
          {
            email: "known@example.com",
            promoter_id: 1,
            is_new: false,
            is_mailed: false,
            password_setup_url: expect.stringMatching(LINK) as string,
          },
        ],
        signup_url: "https://track.acme.example/join/1",
      },
    });
    await mail.send();
    // One e-mail to one person: the invitation is the welcome.
    expect(mail.subjects()).toEqual(["Acme invites you to Default campaign"]);
    const [{ text = "", html = "" } = {}] = mail.emails as { text: string; html: string }[];
    expect(text.replaceAll("\r\n", "\n")).toContain(
      "Default campaign.\n\nWe met at the fair.\nJoin us <now>!\n\nYou earn 20%",
    );
    expect(html).toContain("We met at the fair.<br>Join us &lt;now&gt;!");
    const token = /\/portal\/welcome#(\S+)/.exec(text)?.[1];
    const browser = portalBrowser(app);
    expect(await browser.outcome("POST /session/link/check", { token })).toMatchObject({
      body: { kind: "setup", email: "jane@example.com" },
    });
    expect(await browser.outcome("POST /session/link", { token, password: PASSWORD })).toMatchObject({
      status: 201,
    });
    expect(await browser.outcome("GET /promoter_campaigns")).toMatchObject({ body: [{ state: "accepted" }] });
  });

  it("has no gap where there is no message", async () => {
    await invite({ emails: ["jane@example.com"] });
    await mail.send();
    const [{ text = "", html = "" } = {}] = mail.emails as { text: string; html: string }[];
    expect(text.replaceAll("\r\n", "\n")).not.toMatch(/\n{3}/);
    expect(html).not.toContain("<p></p>");
  });
});

it("keeps the names that mail programs write beside an address", async () => {
  const emails = [
    "Hans Peter Huber <hans@example.com>",
    '"Huber, Anna" <anna@example.com>',
    "Kim <kim@example.com>",
    "lee@example.com <lee@example.com>",
  ];
  expect(await invite({ emails })).toMatchObject({
    status: 201,
    body: {
      promoters: ["hans", "anna", "kim", "lee"].map((name) => ({ email: `${name}@example.com` })),
    },
  });
  const { body } = await company(app, "GET /promoters?sorting[created_at]=asc");
  const names = (body as { data: { email: string; profile: Record<string, unknown> }[] }).data.map(
    ({ email, profile }) => [email, profile["first_name"], profile["last_name"]],
  );
  expect(names.toSorted()).toEqual([
    ["anna@example.com", "Anna", "Huber"],
    ["hans@example.com", "Hans Peter", "Huber"],
    ["kim@example.com", "Kim", null],
    ["lee@example.com", null, null],
  ]);
  expect((await outcome(invite({ emails: ["Hans <hans>"] }))).status).toBe(422);
});

it("reads names as mail programs write them, whole and without control characters", async () => {
  const face = "\u{1f600}";
  const emails = [
    "'Hans Huber' <hans@example.com>",
    "Pat O'Neil <pat@example.com>",
    "Ha\u0000ns\u0085 Bcc:\r\n Mo\u0007 <mo@example.com>",
    `${"a".repeat(99)}${face} <cut@example.com>`,
    `${"a".repeat(98)}${face}${face} <whole@example.com>`,
  ];
  expect((await invite({ emails })).status).toBe(201);
  const namesOf = async (id: number) => {
    const promoter = await app.records.get("promoter", id);
    return [promoter?.profile.first_name, promoter?.profile.last_name];
  };
  expect(await Promise.all([1, 2, 3, 4, 5].map(namesOf))).toEqual([
    ["Hans", "Huber"],
    ["Pat", "O'Neil"],
    ["Ha ns Bcc:", "Mo"],
    ["a".repeat(99), null],
    [`${"a".repeat(98)}${face}`, null],
  ]);
});

it("takes the name from whichever mention of an address has one", async () => {
  const emails = [
    "Jane Doe <jane@example.com>",
    "JANE@example.com",
    "kim@example.com",
    "Kim <kim@example.com>",
  ];
  expect((await invite({ emails })).body).toMatchObject({
    promoters: [{ email: "jane@example.com" }, { email: "kim@example.com" }],
  });
  expect(await app.records.all("promoter")).toMatchObject([
    { email: "jane@example.com", profile: { first_name: "Jane", last_name: "Doe" } },
    { email: "kim@example.com", profile: { first_name: "Kim", last_name: null } },
  ]);
});

it("gives the links alone if asked, and refuses what is no address before anybody is invited", async () => {
  const { body } = await invite({ emails: ["jane@example.com"], sends_email: false });
  expect(body).toMatchObject({ promoters: [{ is_new: true, is_mailed: false }] });
  expect(await outcome(invite({ emails: ["kim@example.com", "no address", ""] }))).toEqual(
    invalid({ emails: ["no address is not an e-mail address", "a blank one is not an e-mail address"] }),
  );
  expect(await outcome(invite({ emails: [] }))).toEqual(invalid({ emails: ["can't be blank"] }));
  expect((await invite({ emails: ["kim@example.com"], campaign_id: 99 })).status).toBe(404);
  expect(await company(app, "GET /promoters")).toMatchObject({
    body: { data: [{ email: "jane@example.com" }] },
  });
});

it("accepts promoters whom someone of the team adds, also where others are reviewed", async () => {
  await company(app, "PUT /campaigns/1", { auto_approve_promoters: false });
  const call = await callAs(app, await addUser(app, "manager"));
  const stateOf = ({ body }: { body: unknown }) =>
    (body as { promoter_campaigns: { state: string }[] }).promoter_campaigns[0]?.state;
  expect(stateOf(await call("POST /promoters", { email: "jane@example.com" }))).toBe("accepted");
  expect(stateOf(await company(app, "POST /promoters", { email: "kim@example.com" }))).toBe("pending");
});
