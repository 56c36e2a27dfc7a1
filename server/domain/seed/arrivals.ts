import type { Campaign } from "../campaign/campaign.ts";
import type { Context } from "../context.ts";
import { originOf, type Origin } from "../origin/origin.ts";

/** A way that visitors take to the site. */
export interface Arrival {
  origin: Origin;
  url: string;
  referrer: string | null;
}

/** Where links stand, the most common first. null: the browser tells no referrer. */
const REFERRERS = [
  "https://www.youtube.com/",
  null,
  "https://www.google.com/",
  "https://www.linkedin.com/",
  "https://www.reddit.com/",
  "https://github.com/",
  "https://www.instagram.com/",
  "https://news.example/",
];
const QUERIES = ["", "?utm_source=newsletter", "?utm_source=podcast"];
const PAGES = ["", "/pricing", "/features", "/blog/why-we-switched"];

/** Makes the origins of the program's visitors known, the most common ones first. */
export function seedArrivals(
  { store }: Context,
  { accountId, landingUrl }: Pick<Campaign, "accountId" | "landingUrl">,
): Promise<Arrival[]> {
  const { origin: site } = new URL(landingUrl);
  const pages = PAGES.map((path) => (path === "" ? landingUrl : site + path));
  return store.transact(async (tx) => {
    const arrivals: Arrival[] = [];
    for (const referrer of REFERRERS) {
      for (const page of pages) {
        // A referrer names the source by itself. Without one, only the parameter can.
        for (const query of referrer === null ? QUERIES : [""]) {
          const url = page + query;
          const origin = await originOf(tx, accountId, { url, referrer, isOwnPage: false });
          arrivals.push({ origin, url, referrer });
        }
      }
    }
    return arrivals;
  });
}
