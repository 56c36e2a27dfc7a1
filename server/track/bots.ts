import type { H3Event } from "h3";
import { isbot } from "isbot";

const judgedAgents = new Map<string, boolean>();
const MAX_JUDGED_AGENTS = 1_000;

/**
 * Whether no person looks at the page: a bot, or a page that is fetched ahead of a visit. It reads only the
 * headers.
 */
export function isUnattended({ req: { headers } }: H3Event): boolean {
  const purpose = headers.get("sec-purpose") ?? headers.get("purpose") ?? headers.get("x-moz") ?? "";
  const userAgent = headers.get("user-agent") ?? "";
  return userAgent === "" || /prefetch|prerender|preview/i.test(purpose) || isKnownBot(userAgent);
}

/** Browsers send few different user agents, and testing one costs as much as the rest of a click. */
function isKnownBot(userAgent: string): boolean {
  const known = judgedAgents.get(userAgent);
  if (known !== undefined) return known;
  if (judgedAgents.size >= MAX_JUDGED_AGENTS) judgedAgents.clear();
  const isBot = isbot(userAgent);
  judgedAgents.set(userAgent, isBot);
  return isBot;
}
