import type { AnswerHeaders } from "./answer.ts";

/** One page of a list. */
export interface Page {
  number: number;
  perPage: number;
  /** Records before the page's first. */
  offset: number;
}

/**
 * The page that a request asks for. What is no positive number counts as not given, and a page larger
 * than the largest is the largest. @see gaps "V1", lists
 */
export function readPage(
  params: Record<string, unknown>,
  { usual, most }: { usual: number; most: number },
): Page {
  const number = positive(params["page"]) ?? 1;
  const perPage = Math.min(positive(params["per_page"]) ?? usual, most);
  return { number, perPage, offset: (number - 1) * perPage };
}

/** `Total`, `Per-Page` and, where there is more than one page, `Link` (RFC 8288), which keeps the other parameters. */
export function pageHeaders(address: URL, page: Page, total: number): AnswerHeaders {
  const headers: AnswerHeaders = { total: String(total), "per-page": String(page.perPage) };
  const last = Math.max(1, Math.ceil(total / page.perPage));
  const links: string[] = [];
  const link = (number: number, rel: string) => {
    const target = new URL(address);
    target.searchParams.set("page", String(number));
    links.push(`<${target.href}>; rel="${rel}"`);
  };
  if (page.number > 1) link(1, "first");
  if (page.number > 1) link(Math.min(page.number - 1, last), "prev");
  if (page.number < last) link(last, "last");
  if (page.number < last) link(page.number + 1, "next");
  if (last > 1) headers["link"] = links.join(", ");
  return headers;
}

/** Up to ten digits, so that offsets stay safe integers. */
function positive(value: unknown): number | null {
  const text = String(value ?? "").trim();
  return /^\d{1,10}$/.test(text) && Number(text) > 0 ? Number(text) : null;
}
