import { send } from "./client.ts";

/**
 * Lets the browser save a file of the API to the disk, with the server's file name. It is the `fetch` of a call:
 * `answer(api.GET("/api/v2/company/exports/promoters", { fetch: toDisk }))`.
 *
 * A link could not show an error, so a HEAD request comes first.
 */
export async function toDisk(request: Request): Promise<Response> {
  const head = await send(new Request(request, { method: "HEAD" }));
  // Only a body contains the error.
  const response = head.ok ? head : await send(request);
  if (!response.ok) return response;
  await response.body?.cancel();
  const link = document.createElement("a");
  link.href = request.url;
  link.download = "";
  link.click();
  return Response.json(null);
}
