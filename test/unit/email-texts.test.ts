import { describe, expect, it } from "vitest";
import { EMAIL_TEXTS, writeEmail } from "../../server/outbox/email-template.ts";
import { LANGUAGES } from "../../server/languages/languages.ts";
import { writeCompanyEmail } from "../../server/outgoing/email-text.ts";

it.each(Object.entries(EMAIL_TEXTS))(
  "each paragraph of %s begins with a capital or a value",
  (_, { text }) => {
    const paragraphs = text.split("\n\n");
    expect(paragraphs.filter((paragraph) => !/^([A-Z]|\{\{|--\n[A-Z])/.test(paragraph))).toEqual([]);
  },
);

describe("a person without a name", () => {
  const email = "jane@example.com";
  const values = { first_name: email, email, company_name: "Acme", amount: "$5" };
  const words = (text: string) => text.split("\n")[0];

  it.each(LANGUAGES)("is greeted without one in %s, and with theirs if they have one", (language) => {
    const kind = "payment_failed" as const;
    const written = writeEmail(EMAIL_TEXTS, { kind, values, language });
    expect(written.text + written.html).not.toContain(email);
    expect(words(written.text)).toMatch(/^[^{}@]+[,:。]$/);
    const named = writeEmail(EMAIL_TEXTS, { kind, values: { ...values, first_name: "Jane" }, language });
    expect(words(named.text)).toContain("Jane");
  });

  it.each([
    ["Hello {{first_name}},\n\nwelcome", "Hello,"],
    ["Hi {{ first_name }}!", "Hi!"],
    ["<p>Hallo {{first_name}}</p>", "Hallo"],
    ["<p>Guten Tag {{first_name}},</p>", "Guten Tag,"],
    ["Thank you, {{first_name}}!", "Thank you!"],
    ["It is for {{first_name}}.", `It is for ${email}.`],
    ["It is for {{first_name}} and others.", `It is for ${email} and others.`],
    ["{{first_name}}: welcome", `${email}: welcome`],
    [`${"a".repeat(41)} {{first_name}},`, `${"a".repeat(41)} ${email},`],
  ])("is not called by their address in %j", async (content, expected) => {
    const { text } = await writeCompanyEmail({ subject: "x", content, layout: "{{content}}" }, values);
    expect(words(text)).toBe(expected);
  });
});

it.each(Object.entries(EMAIL_TEXTS))("%s fits a phone", (_, { html }) => {
  expect(html).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
});
