import { said, t } from "../../languages/messages.ts";

/** Why a request failed, for the user. */
export interface Refusal {
  /** Null if the server was not reached. */
  status: number | null;
  code: string;
  message: string;
  /** Errors by the API's field names. */
  fields: Record<string, string[]>;
  /** The request's id in the server's log, or null. */
  requestId: string | null;
}

/** All thrown refusals, to distinguish them from bugs. */
const known = new WeakSet<Error>();

/** Makes a refusal that can be thrown. */
export function refused(refusal: Refusal): Error & Refusal {
  const error = Object.assign(new Error(refusal.message), refusal);
  known.add(error);
  return error;
}

/** A refusal of the server, from the body and the headers of its answer. */
export function refusalOf({ status, headers }: Response, body: unknown): Error & Refusal {
  const { message, code, errors } = (typeof body === "object" && body !== null ? body : {}) as Partial<
    Record<"message" | "code" | "errors", unknown>
  >;
  return refused({
    status,
    code: typeof code === "string" ? code : "unknown",
    message: status >= 500 ? t("broken") : sentence(message, status),
    fields: inLanguage(errors ?? {}),
    requestId: headers.get("x-request-id"),
  });
}

/** The refusal that stands for a thrown value. A bug of the page is logged for its developers. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Error && known.has(error)) return error as Error & Refusal;
  console.error(error);
  const message = t("fault.toast");
  return { status: null, code: "bug", message, fields: {}, requestId: null };
}

function inLanguage(errors: object): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(errors as Record<string, string[]>).map(([field, messages]) => [
      field,
      messages.map(said),
    ]),
  );
}

function sentence(message: unknown, status: number): string {
  return typeof message === "string" && message !== ""
    ? said(message)
    : t("refused", { status: String(status) });
}
