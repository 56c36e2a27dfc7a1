import { parse } from "./address.ts";
import { isPrivate } from "./queue.ts";
import { options, quietly, storageName } from "./state.ts";
import { svc } from "./svc.ts";
import { readCookie, who } from "./visitor.ts";

/** Cookies of other scripts: FirstPromoter, Rewardful, Tolt, PartnerStack and Dub. The most reliable come first. */
const COOKIES = [
  "_fprom_ref",
  "rewardful.referral",
  "tolt_data",
  "growSumoPartnerKey",
  "dub_partner_data",
  "tolt_referral",
  "dub_id",
];

/**
 * Records a visitor who follows a PartnerStack link, or followed another program's link before the company switched. The
 * promoter is identified by a ref id or by an id of that program.
 */
export function clickOfFormer(): void {
  const ref_id = promoterInLink() || (!who().tid && promoterInCookies());
  if (!ref_id || options.ref_id) return;
  // Ref ids are sent in lower case, but other programs' ids may differ only in case.
  options.former_id = options.ref_id = ref_id;
  svc("click");
  // A later link takes precedence.
  delete options.ref_id;
  delete options.former_id;
}

const isRefId = (text: unknown): boolean => typeof text === "string" && /^[\w-]{1,100}$/.test(text);

/** The partner's key, which such links contain as Base64. */
function promoterInLink(): string | undefined {
  const { searchParams } = parse(location.href);
  const key = searchParams.get("ps_partner_key") || searchParams.get("gspk");
  const text = key && quietly(() => atob(key));
  return text && isRefId(text) ? text : undefined;
}

/** The same from a cookie, but only once per tab, because an unknown promoter would be looked up on each page. */
function promoterInCookies(): string | undefined {
  const found = COOKIES.map(promoterIn).find(isRefId);
  if (quietly(() => sessionStorage[storageName("former")]) === found) return;
  if (!isPrivate()) quietly(() => (sessionStorage[storageName("former")] = found));
  return found;
}

function promoterIn(name: string): string | undefined {
  return quietly(() => {
    const text = readCookie(name);
    if (!text?.startsWith("{")) return text;
    const data = JSON.parse(text);
    return data.affiliate?.token || data.partner_id || data.partner?.id || data.id;
  });
}
