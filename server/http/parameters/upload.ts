import type { H3Event } from "h3";
import { Failure } from "../../failure.ts";
import { readBytes } from "./body.ts";
import { parseJsonObject } from "./json.ts";
import { bodyType, nest, type Pair } from "./pairs.ts";

/** A request's fields and file. */
export interface Upload {
  values: Record<string, unknown>;
  /** Null if there was none. */
  file: Uint8Array | null;
}

/** Room for the other fields of a form. */
const OTHERS_BYTES = 64 * 1024;
const BASE64 = 4 / 3;

/**
 * Reads fields with a file: a multipart form with a file called `file`, or JSON with the bytes in `file` as base64, with
 * or without the prefix `data:…;base64,`.
 *
 * @throws Failure `malformed`, `too_large`, `invalid` for a `file` that is not base64
 */
export async function readUpload(event: H3Event, maxFileBytes: number): Promise<Upload> {
  const bytes = await readBytes(event, Math.ceil(maxFileBytes * BASE64) + OTHERS_BYTES);
  const upload = bodyType(event) === "multipart/form-data" ? await ofForm(event, bytes) : ofJson(bytes);
  if (upload.file !== null && upload.file.length > maxFileBytes)
    throw new Failure("too_large", `The file is larger than ${maxFileBytes / 1024 / 1024} MiB`);
  return upload;
}

async function ofForm(event: H3Event, bytes: Uint8Array): Promise<Upload> {
  const headers = { "content-type": event.req.headers.get("content-type") ?? "" };
  const form = await new Response(bytes as Uint8Array<ArrayBuffer>, { headers })
    .formData()
    .catch(() => Promise.reject(new Failure("malformed", "The body is not valid multipart/form-data")));
  const fields = [...form];
  const file = fields.map(([, value]) => value).find((value) => typeof value !== "string");
  return {
    values: { ...nest(fields.filter((field): field is Pair => typeof field[1] === "string")) },
    // Browsers send an empty file if none was chosen.
    file: file === undefined || file.size === 0 ? null : new Uint8Array(await file.arrayBuffer()),
  };
}

function ofJson(bytes: Uint8Array): Upload {
  const text = Buffer.from(bytes).toString("utf8");
  const { file, ...values } = text.trim() === "" ? {} : parseJsonObject(text);
  return { values, file: file === undefined || file === null || file === "" ? null : decoded(file) };
}

function decoded(file: unknown): Uint8Array {
  const text = typeof file === "string" ? file : "";
  const [, base64] = /^(?:data:[\w/+.;=-]*,)?([\w+/=\s-]+)$/.exec(text) ?? [];
  if (base64 === undefined) {
    const fault = "must be the file's bytes in base64";
    throw new Failure("invalid", `Validation failed: file ${fault}`, { file: [fault] });
  }
  return Buffer.from(base64, "base64");
}
