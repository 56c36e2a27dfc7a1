import type { IncomingMessage } from "node:http";
import type { H3Event } from "h3";
import { Failure } from "../../failure.ts";

const MAX_BYTES = 64 * 1024;

/**
 * The text of a request's body, or "" if there is none. The limit is 64 KiB, unless the route allows more.
 *
 * @throws Failure `too_large` past the limit, `malformed` if it is cut off or not UTF-8, `unsupported` if it is
 *   compressed
 */
export async function readBody(event: H3Event, maxBytes = MAX_BYTES): Promise<string> {
  const bytes = await readBytes(event, maxBytes);
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Failure("malformed", "The body is not valid UTF-8");
  }
}

/** The bytes of a request's body. @throws Failure as `readBody`, without its rule on UTF-8 */
export async function readBytes(event: H3Event, maxBytes: number): Promise<Uint8Array> {
  refuseCompressed(event);
  const declared = Number(event.req.headers.get("content-length") ?? 0);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  const request = event.runtime?.node?.req as IncomingMessage | undefined;
  return request === undefined ? readStream(event, maxBytes) : readNode(request, maxBytes);
}

/** Refuses a compressed body by its header alone. @throws Failure `unsupported` */
export function refuseCompressed({ req }: H3Event): void {
  // `identity` means no encoding (RFC 9110, 8.4.1).
  const encoding = req.headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  if (encoding !== "" && encoding !== "identity")
    throw new Failure("unsupported", "The body is compressed; send it uncompressed");
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Node's own stream is three times as fast as a web stream around it. */
function readNode(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    if (request.destroyed) return reject(cutOff());
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        chunks.length = 0;
        reject(tooLarge(maxBytes));
        return;
      }
      chunks.push(chunk);
    });
    request.on("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.on("error", () => reject(cutOff()));
    // A client that disconnects before the end causes no error event.
    request.on("close", () => request.readableEnded || reject(cutOff()));
  });
}

async function readStream({ req }: H3Event, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of req.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(maxBytes: number): Failure {
  const kib = maxBytes / 1024;
  return new Failure(
    "too_large",
    `The body is larger than ${kib < 1024 ? `${kib} KiB` : `${kib / 1024} MiB`}`,
  );
}

function cutOff(): Failure {
  return new Failure("malformed", "The body ended early");
}
