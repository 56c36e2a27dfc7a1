import type { WrittenCall } from "./call.ts";
import type { Reply } from "./client.ts";
import { findOperation, newBodyCheck, type DescribedOperation } from "./document.ts";

/** Statuses for paths and methods that the document does not have. 302 is the redirect from `/`. */
const OFF_THE_MAP = new Set([204, 302, 400, 401, 403, 404, 405, 413, 422, 429]);

/** Says which rule an answer breaks. null: none. */
export type Judge = (call: WrittenCall, reply: Reply) => string | null;

/** Compares answers with the document. */
export function newJudge(operations: DescribedOperation[]): Judge {
  const checkBody = newBodyCheck();
  return ({ method, target }, { status, headers, body }) => {
    if (status >= 500 && (status !== 503 || headers["retry-after"] === undefined)) return `status ${status}`;
    // Node's own answer to more than 16 KiB of headers, which include the path.
    if (status === 431) return null;
    const operation = findOperation(operations, method, target);
    if (operation === null) {
      // A page for people is the same at each of its addresses: its script reads the address.
      const isPage = status === 200 && headers["content-security-policy"] !== undefined;
      return isPage || OFF_THE_MAP.has(status) ? null : `status ${status} on a path that is not described`;
    }
    const described = operation.responses[status];
    if (described === undefined) return `status ${status} is not described`;
    if (method === "HEAD") return body === "" ? null : "a body to HEAD";
    if (described.content === undefined) return body === "" ? null : `a body to ${status}`;
    const type = headers["content-type"]?.split(";")[0] ?? "none";
    const content = described.content[type];
    if (content === undefined) return `content type ${type} is not described`;
    if (type !== "application/json") return checkBody(content.schema, body);
    try {
      return checkBody(content.schema, JSON.parse(body));
    } catch {
      return "the body is no JSON";
    }
  };
}
