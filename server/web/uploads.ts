import type { EventHandler } from "h3";
import { FastResponse } from "srvx";
import { Failure } from "../failure.ts";
import { v1Error } from "../http/errors.ts";
import { refuse } from "../request/refusal.ts";
import type { Services } from "../request/services.ts";

/**
 * `GET /uploads/{file}`. It is public, because promoters put banners on their own sites. Its name changes with the file.
 * The headers keep browsers from running it as a page or a script.
 */
export function serveUpload(services: Services): EventHandler {
  return async (event) => {
    const found = await services.uploads
      .read(event.context.params?.["file"] ?? "")
      .catch((error: Failure) => error);
    if (found === null || found instanceof Error) {
      const error = found ?? new Failure("not_found", "Not found");
      return refuse(services, event, { error, generation: "v1", shape: v1Error, headers: {} });
    }
    return new FastResponse(found.bytes, {
      headers: {
        "content-type": found.media,
        "content-length": String(found.bytes.length),
        "content-disposition": found.isImage ? "inline" : "attachment",
        "content-security-policy": "default-src 'none'; sandbox",
        "cross-origin-resource-policy": "cross-origin",
        "cache-control": "public, max-age=31536000, immutable",
      },
    });
  };
}
