import { send } from "./client.ts";

/**
 * Has the browser save a file of the interface, straight to the disk and by the name that the server gives it. It is
 * the `fetch` of a call: `answer(api.GET("/api/v2/company/exports/promoters", { fetch: toDisk }))`.
 *
 * A link could not say why the server refuses, so the head of the answer is asked for first.
 */
export async function toDisk(request: Request): Promise<Response> {
  const head = await send(new Request(request, { method: "HEAD" }));
  // Only a body has the reasons.
  const response = head.ok ? head : await send(request);
  if (!response.ok) return response;
  await response.body?.cancel();
  const link = document.createElement("a");
  link.href = request.url;
  link.download = "";
  link.click();
  return Response.json(null);
}
