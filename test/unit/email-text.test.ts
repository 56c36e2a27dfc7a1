import { describe, expect, it } from "vitest";
import { keptContent, writeCompanyEmail } from "../../server/outgoing/email-text.ts";

const VALUES = {
  first_name: "Jane",
  ref_link: "https://www.acme.example/?via=jane&a=1",
  unsubscribe_url: "https://track.acme.example/unsubscribe?cid=acme",
};
const LEAVE = `<p><small><a href="https://track.acme.example/unsubscribe?cid=acme">Unsubscribe from these e-mails</a></small></p>`;

/** What stands between the body's tags. */
async function bodyOf(
  content: string,
  values: Record<string, string> = VALUES,
  layout: string | null = null,
) {
  const { html } = await writeCompanyEmail({ subject: "Hello", content, layout }, values);
  return /<body>\n([^]*?)\n<\/body>/.exec(html)![1]!.replace(LEAVE, "").trim();
}

describe("an e-mail of a company", () => {
  it("makes paragraphs, lines and links of text, and text of them again", async () => {
    const content = "Hello {{first_name}},\n\nyour link:\n{{ref_link}}\n\nSee https://acme.example/help.";
    expect(
      await writeCompanyEmail({ subject: "Hi {{ first_name }}", content, layout: null }, VALUES),
    ).toEqual({
      subject: "Hi Jane",
      text: `Hello Jane,

your link:
https://www.acme.example/?via=jane&a=1

See https://acme.example/help.

Unsubscribe from these e-mails https://track.acme.example/unsubscribe?cid=acme
`,
      html: `<!doctype html>
<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"></head><body>
<p>Hello Jane,</p>
<p>your link:<br />
<a href="https://www.acme.example/?via=jane&amp;a=1">https://www.acme.example/?via=jane&amp;a=1</a></p>
<p>See <a href="https://acme.example/help">https://acme.example/help</a>.</p>
${LEAVE}

</body></html>
`,
    });
  });

  it.each([
    ["<p>Hi</p><script>alert(1)</script>", "<p>Hi</p>"],
    ["<p onclick='alert(1)'>Hi</p>", "<p>Hi</p>"],
    ["<a href='javascript:alert(1)'>x</a>", "<a>x</a>"],
    ["<a href='java\nscript:alert(1)'>x</a>", "<a>x</a>"],
    ["<a href='data:text/html,x'>x</a>", "<a>x</a>"],
    ["<img src=x onerror=alert(1)>", '<img src="x" />'],
    ["<img src='javascript:alert(1)'>", "<img />"],
    ["<svg onload=alert(1)><p>Hi</p></svg>", "<p>Hi</p>"],
    ["<iframe src='https://evil.example'></iframe><p>Hi</p>", "<p>Hi</p>"],
    ["<form action='https://evil.example'><p>Hi</p></form>", "<p>Hi</p>"],
    ["<style>p{display:none}</style><p>Hi</p>", "<p>Hi</p>"],
    ["<p style='background:url(https://evil.example)'>Hi</p>", "<p>Hi</p>"],
    ["<p style='color:red;position:fixed'>Hi</p>", '<p style="color:red">Hi</p>'],
    ["<meta http-equiv=refresh content='0;url=https://evil.example'><p>Hi</p>", "<p>Hi</p>"],
    ["<base href='https://evil.example'><p>Hi</p>", "<p>Hi</p>"],
    ["<p>a < b & c</p>", "<p>a &lt; b &amp; c</p>"],
    ["1 < 2 & {{first_name}}", "<p>1 &lt; 2 &amp; Jane</p>"],
  ])("sends of %s only %s", async (content, expected) => {
    expect(await bodyOf(content)).toBe(expected);
    expect(await bodyOf(await keptContent(content))).toBe(expected);
  });

  it("lets no value run or link where it should not", async () => {
    const values = { ...VALUES, first_name: "<script>alert(1)</script>", ref_link: "javascript:alert(1)" };
    expect(await bodyOf("<p>{{first_name}} <a href='{{ref_link}}'>x</a></p>", values)).toBe(
      "<p>&lt;script&gt;alert(1)&lt;/script&gt; <a>x</a></p>",
    );
    // A value is filled in once: it can't name a further placeholder.
    expect(await bodyOf("{{first_name}}", { ...VALUES, first_name: "{{ref_link}}" })).toBe(
      "<p>{{ref_link}}</p>",
    );
  });

  it("keeps a subject on one line", async () => {
    const subject = "Hello {{first_name}}\r\nBcc: all@evil.example";
    const values = { ...VALUES, first_name: "Jane\nCc: more@evil.example" };
    expect((await writeCompanyEmail({ subject, content: "x", layout: null }, values)).subject).toBe(
      "Hello Jane Cc: more@evil.example Bcc: all@evil.example",
    );
  });

  it("names the link to unsubscribe in the promoter's language", async () => {
    const email = { subject: "x", content: "Hallo", layout: null, reader: "de" as const };
    expect((await writeCompanyEmail(email, VALUES)).text).toBe(
      "Hallo\n\nDiese E-Mails abbestellen https://track.acme.example/unsubscribe?cid=acme\n",
    );
  });

  it("puts the content into the company's layout, and adds a way to leave if that has none", async () => {
    expect(await bodyOf("Hi", VALUES, "<div style='color:#333'>{{content}}</div>")).toBe(
      '<div style="color:#333"><p>Hi</p></div>',
    );
    const own = "<div>{{content}}</div><a href='{{unsubscribe_url}}'>Leave</a>";
    expect(await bodyOf("Hi", VALUES, own)).toBe(
      '<div><p>Hi</p></div><a href="https://track.acme.example/unsubscribe?cid=acme">Leave</a>',
    );
  });
});
