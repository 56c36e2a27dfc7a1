import { countrySpecs } from "ibantools";
import { compactNumber, isBic, isClabe, isIban, isRoutingNumber } from "../../bank-numbers.ts";

const fine = () => null;
const shaped = (shape: RegExp, words: string) => (text: string) =>
  shape.test(compactNumber(text)) ? null : words;
const checked = (isRight: (text: string) => boolean, words: string) => (text: string) =>
  isRight(text) ? null : words;

/** The details that identify an account, by the names of the API: what is wrong with a text, or null. */
const BANK_FIELDS = {
  iban: checked(isIban, "is not a valid IBAN"),
  account_number: shaped(/^[A-Z0-9]{4,34}$/, "is invalid"),
  routing_aba_number: (text: string) => {
    if (!/^\d{9}$/.test(compactNumber(text))) return "must have 9 digits";
    return isRoutingNumber(text) ? null : "is not a valid routing number";
  },
  account_type: checked((text) => /^(checking|savings)$/.test(text), "is not one of checking, savings"),
  account_holder_type: checked((text) => /^(person|company)$/.test(text), "is not one of person, company"),
  sort_code: shaped(/^\d{6}$/, "must have 6 digits"),
  bsb_code: shaped(/^\d{6}$/, "must have 6 digits"),
  institution_number: shaped(/^\d{3}$/, "must have 3 digits"),
  transit_number: shaped(/^\d{5}$/, "must have 5 digits"),
  ifsc_code: shaped(/^[A-Z]{4}0[A-Z0-9]{6}$/, "must be like HDFC0001234"),
  bank_code: shaped(/^\d{3,4}$/, "must have 3 or 4 digits"),
  branch_code: shaped(/^\d{3,6}$/, "must have 3 to 6 digits"),
  clabe: checked(isClabe, "is not a valid CLABE"),
  swift_bic_code: checked(isBic, "is not a valid BIC"),
  bank_name: fine,
} satisfies Record<string, (text: string) => string | null>;

export type BankFieldName = keyof typeof BANK_FIELDS;
export const BANK_FIELD_NAMES = Object.keys(BANK_FIELDS) as [BankFieldName, ...BankFieldName[]];

/** The details that an account needs, and others that banks may want. */
export interface BankForm {
  required: readonly BankFieldName[];
  optional: readonly BankFieldName[];
}

const BY_IBAN: BankForm = { required: ["iban"], optional: ["swift_bic_code"] };

/** Countries without IBANs, or with a second way, which many people there know better. */
const BY_COUNTRY: Record<string, BankForm> = {
  US: {
    required: ["routing_aba_number", "account_number"],
    optional: ["account_type", "account_holder_type", "bank_name"],
  },
  GB: { required: ["sort_code", "account_number"], optional: ["iban"] },
  CA: { required: ["institution_number", "transit_number", "account_number"], optional: ["bank_name"] },
  AU: { required: ["bsb_code", "account_number"], optional: ["bank_name"] },
  NZ: { required: ["account_number"], optional: ["bank_name", "swift_bic_code"] },
  IN: { required: ["ifsc_code", "account_number"], optional: ["bank_name"] },
  JP: {
    required: ["bank_code", "branch_code", "account_number"],
    optional: ["account_type", "bank_name", "swift_bic_code"],
  },
  MX: { required: ["clabe"], optional: ["bank_name", "swift_bic_code"] },
  HK: { required: ["bank_code", "account_number"], optional: ["bank_name", "swift_bic_code"] },
  SG: { required: ["bank_code", "account_number"], optional: ["branch_code", "bank_name", "swift_bic_code"] },
  ZA: { required: ["branch_code", "account_number"], optional: ["bank_name", "swift_bic_code"] },
};

/** All other countries. */
export const ELSEWHERE: BankForm = {
  required: ["swift_bic_code", "account_number"],
  optional: ["bank_name"],
};

/** Territories whose banks give IBANs of another country, by the country of the IBAN (ISO 13616). */
const IBAN_TERRITORIES: Record<string, string> = {
  FR: "BL GF GP MF MQ NC PF PM RE TF WF YT",
  GB: "GG IM JE",
  FI: "AX",
};

/** The form of each country with its own. Those that are not listed have `ELSEWHERE`. */
export const BANK_FORMS: Readonly<Record<string, BankForm>> = {
  ...Object.fromEntries(ibanCountries().map((country) => [country, BY_IBAN])),
  ...BY_COUNTRY,
};

function ibanCountries(): string[] {
  const issuers = Object.keys(countrySpecs).filter((country) => countrySpecs[country]?.IBANRegistry === true);
  return [...issuers, ...Object.values(IBAN_TERRITORIES).flatMap((territories) => territories.split(" "))];
}

/** The details that a bank account in a country needs. */
function bankFormOf(country: string): BankForm {
  return BANK_FORMS[country] ?? ELSEWHERE;
}

/**
 * What is wrong with the details of a bank account, by field. An IBAN of the country is enough anywhere.
 * Blank details count as missing.
 */
export function bankFaults(details: Record<string, string | undefined>): Record<string, string> {
  const faults: Record<string, string> = {};
  for (const name of BANK_FIELD_NAMES) {
    const text = details[name] ?? "";
    const words = text === "" ? null : BANK_FIELDS[name](text);
    if (words !== null) faults[name] = words;
  }
  const { bank_country: country = "", iban = "" } = details;
  if (iban !== "") {
    const issuer = compactNumber(iban).slice(0, 2);
    const isOfCountry = [issuer, ...(IBAN_TERRITORIES[issuer] ?? "").split(" ")].includes(country);
    if (faults["iban"] === undefined && !isOfCountry)
      faults["bank_country"] = `is not the country of the IBAN, which is ${issuer}`;
    return faults;
  }
  for (const name of bankFormOf(country).required) {
    if ((details[name] ?? "") === "") faults[name] = "can't be blank";
  }
  return faults;
}

/** A bank by the number that its country gives it, for ISO 20022, or null. */
export function clearingOf(details: Record<string, string>): { system: string; member: string } | null {
  const one = (system: string, ...names: BankFieldName[]) => {
    const parts = names.map((name) => compactNumber(details[name] ?? ""));
    return parts.includes("") ? null : { system, member: parts.join("") };
  };
  switch (details["bank_country"]) {
    case "US":
      return one("USABA", "routing_aba_number");
    case "GB":
      return one("GBDSC", "sort_code");
    case "CA": {
      const codes = one("CACPA", "institution_number", "transit_number");
      return codes && { ...codes, member: `0${codes.member}` };
    }
    case "AU":
      return one("AUBSB", "bsb_code");
    case "IN":
      return one("INFSC", "ifsc_code");
    case "JP":
      return one("JPZGN", "bank_code", "branch_code");
    case "HK":
      return one("HKNCC", "bank_code");
    case "NZ": {
      // The number of an account begins with those of the bank and its branch.
      const account = one("NZNCC", "account_number");
      return account && { ...account, member: account.member.slice(0, 6) };
    }
    case "SG": {
      const bank = one("SGIBG", "bank_code");
      return one("SGIBG", "bank_code", "branch_code") ?? bank;
    }
    case "ZA":
      return one("ZANCC", "branch_code");
    default:
      return null;
  }
}
