import { refusalOf } from "./refusal.ts";

/** What openapi-fetch resolves with for a file. */
type FileCall = Promise<{ data?: unknown; error?: unknown; response: Response }>;

/**
 * Saves a file of the interface by the name that the server gives it. Ask openapi-fetch for a blob (`parseAs: "blob"`).
 *
 * @throws Refusal
 */
export async function download(call: FileCall): Promise<void> {
  const { data, error, response } = await call;
  if (!response.ok) throw refusalOf(response, error);
  save(data as Blob, nameOf(response));
}

function save(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function nameOf({ headers }: Response): string {
  return /filename="([^"]+)"/.exec(headers.get("content-disposition") ?? "")?.[1] ?? "download";
}
