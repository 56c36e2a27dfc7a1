import { parse } from "./address.ts";
import { svc } from "./call.ts";
import { who } from "./click.ts";
import { options } from "./options.ts";
import { isPrivate } from "./queue.ts";
import { quietly } from "./quietly.ts";

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
/** The storage key of what this tab has tried. */
const NAME = "_svc_former";

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

/** Forgets what this tab has tried. */
export const forgetFormer = (): unknown => quietly(() => delete sessionStorage[NAME]);

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
  if (quietly(() => sessionStorage[NAME]) === found) return;
  if (!isPrivate()) quietly(() => (sessionStorage[NAME] = found));
  return found;
}

function promoterIn(name: string): string | undefined {
  return quietly(() => {
    const text = decodeURIComponent(new RegExp(`(^|; )${name}=([^;]+)`).exec(document.cookie)![2]!);
    const data = quietly(() => JSON.parse(text));
    if (typeof data !== "object") return text;
    return data.affiliate?.token || data.partner_id || data.partner?.id || data.id;
  });
}
