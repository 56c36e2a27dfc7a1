import { expect, it } from "vitest";
import { isAdTraffic } from "../../server/domain/people/lead/suspicion.ts";

const isAd = (query: string, countsSocialClicksAsAds?: boolean) =>
  isAdTraffic(
    new URLSearchParams(query),
    countsSocialClicksAsAds === undefined ? {} : { counts_social_clicks_as_ads: countsSocialClicksAsAds },
  );

it.each([
  "gclid",
  "gbraid",
  "wbraid",
  "dclid",
  "msclkid",
  "ttclid",
  "li_fat_id",
  "twclid",
  "ScCid",
  "rdt_cid",
  "yclid",
  "tblci",
  "obclid",
])("%s is on links of ads only, so it always shows an ad", (name) => {
  expect(isAd(`${name}=1`)).toBe(true);
  expect(isAd(`${name}=1`, false)).toBe(true);
  expect(isAd(`${name}=1`, true)).toBe(true);
  expect(isAd(`${name}=`, true)).toBe(false);
});

it.each(["fbclid", "epik"])(
  "%s is on links in posts too, so it shows an ad only if the account says so",
  (name) => {
    expect(isAd(`${name}=1`)).toBe(false);
    expect(isAd(`${name}=1`, false)).toBe(false);
    expect(isAd(`${name}=1`, true)).toBe(true);
    expect(isAd(`${name}=1&utm_medium=paid_social`)).toBe(true);
  },
);

it.each(["utm_medium=cpc", "utm_medium=Paid-Social", "utm_medium=ads"])("%s shows an ad", (query) => {
  expect(isAd(query)).toBe(true);
});

it.each(["", "utm_medium=social", "utm_source=facebook", "igshid=1", "ysclid=1", "srsltid=1"])(
  "%s shows no ad",
  (query) => {
    expect(isAd(query, true)).toBe(false);
  },
);
