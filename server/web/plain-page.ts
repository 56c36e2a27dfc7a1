import { FastResponse } from "srvx";
import { NO_STORE, type AnswerHeaders } from "../http/answer.ts";

/** A page of a few words without a script. No site can show it in a frame, and so have its button clicked. */
export function plainPage(
  title: string,
  content: string,
  { status = 200, headers = {} }: { status?: number; headers?: AnswerHeaders } = {},
): Response {
  return new FastResponse(`<!doctype html><meta charset="utf-8"><title>${title}</title>${content}`, {
    status,
    headers: {
      ...NO_STORE,
      "content-type": "text/html; charset=utf-8",
      // The address may hold a token, which no other site may see.
      "referrer-policy": "no-referrer",
      "content-security-policy":
        "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
      ...headers,
    },
  });
}

/** A text as part of a page. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
