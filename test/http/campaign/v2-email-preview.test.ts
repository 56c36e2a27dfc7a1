import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { company, invalid, outcome } from "../../support/v2.ts";

describe("GET /campaigns/{id}/email_preview", () => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp("memory");
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const preview = (path: string) => outcome(company(app, `GET /campaigns/${path}`));

  it("writes the e-mail to Jane, with the campaign's own link", async () => {
    expect(await preview("1/email_preview?kind=accepted")).toEqual({
      status: 200,
      body: {
        subject: "You have been accepted to Default campaign",
        text: expect.stringMatching(
          /^Hello Jane,\n\nAcme has accepted you\. .*\n\nhttps:\/\/www\.acme\.example\/\?via=jane\n/,
        ),
        html: expect.stringContaining('<a href="https://www.acme.example/?via=jane">'),
      },
    });
  });

  it("fills in an amount", async () => {
    const { body } = await preview("1/email_preview?kind=payout_sent");
    expect((body as { text: string }).text).toContain("Acme has sent you a payout of $25.00");
  });

  it("refuses an unknown e-mail and an unknown campaign", async () => {
    const kinds = "signup_accepted, accepted, rejected, new_referral, new_commission, payout_sent";
    expect(await preview("1/email_preview?kind=x")).toEqual(invalid({ kind: [`is not one of ${kinds}`] }));
    expect(await preview("99/email_preview?kind=accepted")).toEqual({
      status: 404,
      body: { message: "Campaign not found.", code: "not_found" },
    });
  });
});
