import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { useMail } from "../../support/mail.ts";
import { addUser, callAs } from "../../support/users.ts";
import { company, outcome } from "../../support/v2.ts";

const NONE = {
  delay_interval: null,
  delay_value: null,
  count: null,
  metric: null,
  period_in_days: null,
  frequency: null,
  day: null,
  hour: null,
  minute: null,
};
const COMMON =
  "{{first_name}}, {{email}}, {{company_name}}, {{campaign_name}}, {{ref_token}}, {{ref_link}}, {{portal_url}}, {{unsubscribe_url}}";

/** A body for a trigger. */
function bodyOf(trigger_on: string, settings: object = {}, more: object = {}) {
  return {
    name: "Mine",
    subject: "Hello {{first_name}}",
    content: "Your link is {{ref_link}}",
    allowed_campaign_ids: [],
    trigger: { enabled: true, trigger_on, settings },
    ...more,
  };
}

describe("the company's e-mails", () => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp();
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });
  const call = (request: string, body?: unknown) => outcome(company(app, request, body));
  const mail = useMail(() => app);

  const WELCOME = {
    id: 1,
    name: "Mine",
    subject: "Hello {{first_name}}",
    content: "Your link is {{ref_link}}",
    translations: [],
    allowed_campaign_ids: [1],
    trigger: {
      enabled: true,
      trigger_on: "promoter_accepted",
      settings: { ...NONE, delay_interval: "day", delay_value: 3 },
    },
    sent_count: 0,
    allowed_campaigns: [{ id: 1, name: "Default campaign", color: "#2563eb" }],
    created_at: NOW,
    updated_at: NOW,
  };

  it("are written, shown, changed, copied, listed and deleted", async () => {
    const body = bodyOf(
      "promoter_accepted",
      { delay_interval: "day", delay_value: 3, count: 7 },
      { allowed_campaign_ids: ["1", 1] },
    );
    expect(await call("POST /emails", body)).toEqual({ status: 200, body: WELCOME });
    expect(await call("GET /emails/1")).toEqual({ status: 200, body: WELCOME });
    const copy = {
      ...WELCOME,
      id: 2,
      name: "Mine (copy)",
      trigger: { ...WELCOME.trigger, enabled: false },
    };
    expect(await call("POST /emails/1/copy")).toEqual({ status: 200, body: copy });
    app.setNow("2026-03-05T03:04:05.000Z");
    const change = bodyOf("recurring", { frequency: "weekly", day: 1, hour: 9, minute: 30 });
    const changed = {
      ...WELCOME,
      allowed_campaign_ids: [],
      allowed_campaigns: [],
      trigger: {
        enabled: true,
        trigger_on: "recurring",
        settings: { ...NONE, frequency: "weekly", day: 1, hour: 9, minute: 30 },
      },
      updated_at: "2026-03-05T03:04:05.000Z",
    };
    expect(await call("PUT /emails/1", change)).toEqual({ status: 200, body: changed });
    expect(await call("GET /emails")).toEqual({ status: 200, body: [copy, changed] });
    expect(await call("DELETE /emails/1")).toEqual({ status: 200, body: changed });
    for (const request of [
      "GET /emails/1",
      "DELETE /emails/1",
      "POST /emails/1/copy",
      "POST /emails/1/send_now",
    ])
      expect(await call(request)).toEqual({
        status: 404,
        body: { message: "E-mail not found.", code: "not_found" },
      });
    const log = (await call("GET /audit_log?filters[entity]=email")).body as { action: string }[];
    expect(log.map(({ action }) => action)).toEqual(["deleted", "updated", "created", "created"]);
  });

  it.each([
    ["", [4, 3, 2, 1]],
    ["?q=WELC", [1]],
    ["?q=%25", []],
    ["?filters[trigger_enabled]=no", [4]],
    ["?filters[trigger_enabled]=yes", [3, 2, 1]],
    ["?filters[trigger_on]=not_set", [4, 3]],
    ["?filters[trigger_on]=promotion_reached_target", [2]],
    ["?filters[trigger_on]=promoter_blocked", []],
    ["?filters[campaign_id]=2", [4, 2, 1]],
    ["?filters[campaign_id][]=1&filters[campaign_id][]=2", [4, 3, 2, 1]],
    ["?filters[sent_count][from]=1", []],
    ["?filters[sent_count][to]=0", [4, 3, 2, 1]],
    ["?sorting[subject]=asc", [1, 2, 3, 4]],
    ["?sorting[sent_count]=desc", [4, 3, 2, 1]],
    ["?per_page=1&page=2", [3]],
  ])("are found by %s", async (query, expected) => {
    await call("POST /campaigns", { name: "Second", landing_url: "https://www.acme.example/" });
    const made = [
      bodyOf("promoter_accepted", {}, { name: "Welcome", subject: "A" }),
      bodyOf("count_reached", { count: 1, metric: "clicks" }, { subject: "b" }),
      bodyOf("broadcast", {}, { subject: "C", allowed_campaign_ids: [1] }),
      bodyOf(
        "broadcast",
        {},
        { subject: "d", trigger: { enabled: false, trigger_on: "broadcast", settings: {} } },
      ),
    ];
    for (const body of made) await call("POST /emails", body);
    const { body } = await call(`GET /emails${query}`);
    expect((body as { id: number }[]).map(({ id }) => id)).toEqual(expected);
  });

  it.each([
    [{}, { name: ["can't be blank"] }],
    [{ subject: " \n " }, { subject: ["can't be blank"] }],
    [{ subject: "x".repeat(256) }, { subject: ["is too long (maximum is 255 characters)"] }],
    [{ subject: "{{amount}}" }, { subject: [`does not know {{amount}}. Use ${COMMON}`] }],
    [{ content: "{{ Vorname }}" }, { content: [`does not know {{Vorname}}. Use ${COMMON}`] }],
    [{ allowed_campaign_ids: [9] }, { allowed_campaign_ids: ["names an unknown campaign (9)"] }],
    [{ trigger: undefined }, { trigger: ["can't be blank"] }],
    [bodyOf("lead_becomes_referral"), { "trigger[trigger_on]": [expect.stringContaining("is not one of")] }],
    [bodyOf("inactivity"), { "trigger[settings][period_in_days]": ["can't be blank"] }],
    [bodyOf("count_reached", { count: 0 }), { "trigger[settings][count]": ["must be from 1 to 9999"] }],
    [
      bodyOf("recurring", { frequency: "weekly", day: 8, minute: 0 }),
      { "trigger[settings][hour]": ["can't be blank"], "trigger[settings][day]": ["must be from 0 to 7"] },
    ],
    [
      bodyOf("lead_signup", { delay_interval: "day", delay_value: 366 }),
      { "trigger[settings][delay_value]": ["must be at most 365 days"] },
    ],
    [bodyOf("lead_signup", { delay_value: 1 }), { "trigger[settings][delay_interval]": ["can't be blank"] }],
  ])("refuse %j with a sentence at the field", async (given, errors) => {
    const isEmpty = Object.keys(given).length === 0;
    const body = isEmpty ? { ...bodyOf("broadcast"), name: "" } : { ...bodyOf("broadcast"), ...given };
    const answer = await call("POST /emails", body);
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid_params", errors } });
    expect(Object.keys((answer.body as { errors: object }).errors)).toEqual(Object.keys(errors));
    expect((await call("GET /emails")).body).toEqual([]);
  });

  it("are read at once, whatever braces and blanks they have", async () => {
    const blanks = " ".repeat(9_900);
    for (const content of [`{{${blanks}`, "{{".repeat(4_900), "{{ ".repeat(3_000)])
      expect((await call("POST /emails", bodyOf("broadcast", {}, { content }))).status).toBe(200);
    expect(await call("POST /emails", bodyOf("broadcast", {}, { content: `{{${blanks}x }}` }))).toMatchObject(
      {
        status: 422,
        body: { errors: { content: [`does not know {{x}}. Use ${COMMON}`] } },
      },
    );
  }, 15_000);

  it("keep no HTML that could run", async () => {
    const content = '<p onclick="x()">Hi <a href="{{ref_link}}">link</a></p><script>alert(1)</script>';
    const { body } = await call("POST /emails", bodyOf("broadcast", {}, { content }));
    expect(body).toMatchObject({ content: '<p>Hi <a href="{{ref_link}}">link</a></p>' });
  });

  it("show each trigger with its placeholders and the built-in e-mail", async () => {
    const { body } = await call("GET /emails/triggers");
    const triggers = body as { trigger_on: string; placeholders: string[]; original: object | null }[];
    expect(triggers.map(({ trigger_on, original }) => [trigger_on, original !== null])).toEqual([
      ["promoter_accepted", true],
      ["promoter_rejected", true],
      ["reward_created", true],
      ["fulfilment_completed", true],
      ["count_reached", false],
      ["lead_signup", true],
      ["inactivity", false],
      ["broadcast", false],
      ["recurring", false],
    ]);
    expect(triggers[2]).toEqual({
      trigger_on: "reward_created",
      placeholders: [...COMMON.replaceAll(/[{}]/g, "").split(", "), "amount"],
      original: {
        subject: "You have earned a commission",
        content: `Hello {{first_name}},

{{company_name}} has credited you {{amount}} for {{campaign_name}}.

You can find everything in your portal: {{portal_url}}

{{company_name}}`,
      },
    });
  });

  it("are previewed with sample data", async () => {
    const draft = {
      subject: "{{first_name}}",
      content: "{{amount}} <b>now</b>",
      trigger_on: "reward_created",
    };
    expect(await call("POST /emails/preview", draft)).toEqual({
      status: 200,
      body: {
        subject: "Jane",
        text: "$25.00 now Unsubscribe from these e-mails https://track.acme.example/unsubscribe\n",
        html: expect.stringContaining("$25.00 <b>now</b>") as string,
      },
    });
    const preview = "GET /campaigns/1/email_preview?kind=new_commission";
    expect((await call(preview)).body).toMatchObject({ subject: "You have earned a commission" });
    await call("POST /emails", bodyOf("reward_created", {}, { subject: "{{amount}} for {{first_name}}" }));
    expect((await call(preview)).body).toMatchObject({ subject: "$25.00 for Jane" });
    expect(await call("POST /emails/preview", { ...draft, trigger_on: "broadcast" })).toMatchObject({
      status: 422,
      body: { errors: { content: [`does not know {{amount}}. Use ${COMMON}`] } },
    });
  });

  it("have a frame that the company may change, without scripts", async () => {
    const usual = {
      html: '{{content}}\n<p><small><a href="{{unsubscribe_url}}">Unsubscribe from these e-mails</a></small></p>\n',
      is_custom: false,
    };
    expect(await call("GET /emails/template")).toEqual({ status: 200, body: usual });
    const html = "<div style='color:#333' onclick='x()'>{{content}}</div><script>x</script>";
    const own = { html: '<div style="color:#333">{{content}}</div>', is_custom: true };
    expect(await call("PATCH /emails/custom_template", { html })).toEqual({ status: 200, body: own });
    expect(await call("GET /emails/template")).toEqual({ status: 200, body: own });
    for (const [wrong, fault] of [
      ["<p>Hi</p>", "needs {{content}} where the text of each e-mail goes"],
      ["{{content}} {{ content }}", "may have {{content}} only once"],
      ["{{content}} {{amount}}", `does not know {{amount}}. Use ${COMMON}, {{content}}`],
    ])
      expect(await call("PATCH /emails/custom_template", { html: wrong })).toMatchObject({
        status: 422,
        body: { errors: { html: [fault] } },
      });
    const draft = { subject: "Hi", content: "Hello", trigger_on: "broadcast" };
    const tried = async (frame: string) => call("POST /emails/preview", { ...draft, html: frame });
    expect(await tried("<h1 onclick='x()'>Hi</h1>{{content}}")).toMatchObject({
      status: 200,
      body: { html: expect.stringContaining("<h1>Hi</h1><p>Hello</p>") },
    });
    expect(await tried("<p>Hi</p>")).toMatchObject({
      status: 422,
      body: { errors: { html: ["needs {{content}} where the text of each e-mail goes"] } },
    });
    expect(await call("GET /emails/template")).toEqual({ status: 200, body: own });
    expect(await call("PATCH /emails/custom_template", { html: "" })).toEqual({ status: 200, body: usual });
  });

  it("can be sent to oneself as a test", async () => {
    const refusal = {
      status: 422,
      body: {
        message: "The test goes to the signed-in user, and an API key has no address",
        code: "operation_failed",
      },
    };
    await call("POST /emails", bodyOf("broadcast"));
    expect(await call("POST /emails/1/send_test")).toEqual(refusal);
    expect(await call("POST /emails/test_custom_template")).toEqual(refusal);
    await app.close();
    app = await startApp("memory", { has_mail: true, smtpUrl: mail.server.url });
    await call(
      "POST /emails",
      bodyOf("broadcast", {}, { subject: "Hi {{first_name}}\nBcc: a@evil.example" }),
    );
    const asAlex = await callAs(app, await addUser(app, "manager", { email: "alex@acme.example" }));
    const sent = { sent: true, to: "alex@acme.example", response_code: null, error: null };
    for (const path of ["/emails/1/send_test", "/emails/test_custom_template"])
      expect(await outcome(asAlex(`POST ${path}`))).toEqual({ status: 200, body: sent });
    expect(mail.subjects()).toEqual(["Hi Jane Bcc: a@evil.example", "A sample of e-mails from Acme"]);
    expect(mail.emails[0]!.to).toEqual(["alex@acme.example"]);
    expect(mail.emails[0]!.headers["bcc"]).toBeUndefined();
    expect(mail.emails[0]!.text).toContain("Your link is https://www.acme.example/?via=jane");
    app.services.mail?.mailer.close();
  });
});
