import { expect, it } from "vitest";
import { EMAIL_TEXTS } from "../../server/outbox/email-template.ts";

it.each(Object.entries(EMAIL_TEXTS))(
  "each paragraph of %s begins with a capital or a value",
  (_, { text }) => {
    const paragraphs = text.split("\n\n");
    expect(paragraphs.filter((paragraph) => !/^([A-Z]|\{\{|--\n[A-Z])/.test(paragraph))).toEqual([]);
  },
);
