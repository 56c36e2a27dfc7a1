import type { H3Event } from "h3";

/** The V1 key, or null. @see docs/spec/common.md "Authentication" */
export function readApiKey(event: H3Event): string | null {
  return nonBlank(event.req.headers.get("x-api-key"));
}

/** The V2 bearer token, or null. The scheme may be in any case (RFC 9110, 11.1). */
export function readBearer(event: H3Event): string | null {
  const value = event.req.headers.get("authorization") ?? "";
  return nonBlank(/^bearer +(.*)$/i.exec(value)?.[1] ?? null);
}

/** The `Account-ID` header, or null. */
export function readAccountId(event: H3Event): string | null {
  return nonBlank(event.req.headers.get("account-id"));
}

function nonBlank(value: string | null): string | null {
  const trimmed = value?.trim() ?? "";
  return trimmed === "" ? null : trimmed;
}
