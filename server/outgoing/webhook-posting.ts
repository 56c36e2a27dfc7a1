import { signatureHeaders } from "./signature.ts";
import type { Posting } from "./post.ts";

/** The fields of a webhook that a posting needs. */
export interface WebhookTarget {
  url: string;
  timeoutSeconds: number;
  headers: Record<string, string>;
  basicAuthUser: string | null;
  basicAuthPassword: string | null;
  /** The secrets in use now. */
  secrets: readonly string[];
}

/**
 * The posting of an event to a webhook. The webhook's own headers come first, so that they can't replace
 * ours.
 */
export function webhookPosting(
  target: WebhookTarget,
  { eventId, type, body, now }: { eventId: string; type: string; body: string; now: Date },
): Posting {
  const { basicAuthUser, basicAuthPassword } = target;
  const credentials = Buffer.from(`${basicAuthUser}:${basicAuthPassword}`).toString("base64");
  return {
    url: target.url,
    headers: {
      ...target.headers,
      ...(basicAuthUser !== null && { authorization: `Basic ${credentials}` }),
      "content-type": "application/json",
      "user-agent": "Tidemark",
      "x-event-id": eventId,
      "x-event-type": type,
      ...signatureHeaders(target.secrets, { id: eventId, body, now }),
    },
    body,
    timeoutMs: target.timeoutSeconds * 1_000,
  };
}
