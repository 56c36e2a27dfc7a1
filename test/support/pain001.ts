import { readFileSync } from "node:fs";
import { XmlDocument, XmlValidateError, XsdValidator } from "libxml2-wasm";

/** ISO's schema of the message, unchanged. */
const SCHEMA = new URL("../fixtures/pain.001.001.09.xsd", import.meta.url);
const NAMES = { m: "urn:iso:std:iso:20022:tech:xsd:pain.001.001.09" };

const LATIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/-?:().,'+ ";
const REFERENCE = "self::m:MsgId or self::m:PmtInfId or self::m:EndToEndId";
const sumsOf = (transfers: string) =>
  `m:NbOfTxs != count(${transfers}) or round(m:CtrlSum * 10000) != round(sum(${transfers}/m:Amt/m:InstdAmt) * 10000)`;

/** What the schema leaves to the banks' guidelines for SEPA and Switzerland, and the elements that break it. */
const GUIDELINES: [words: string, elements: string][] = [
  ["has letters that banks refuse", `//*[not(*) and translate(., "${LATIN}", "") != ""]`],
  [
    "has a slash at its start or end, or two in a row",
    `//*[(${REFERENCE}) and (contains(concat("/", ., "/"), "//"))]`,
  ],
  ["appears twice", "//m:EndToEndId[. = following::m:EndToEndId]"],
  ["has more than 70 letters", "//m:Nm[string-length(.) > 70]"],
  ["lacks its town or country", "//m:PstlAdr[not(m:TwnNm and m:Ctry)]"],
  [
    "is not a group of SEPA",
    "//m:PmtInf[.//m:SvcLvl/m:Cd = 'SEPA'][m:ChrgBr != 'SLEV' or .//m:InstdAmt/@Ccy != 'EUR' or .//m:CdtrAcct[not(.//m:IBAN)]]",
  ],
  ["has sums that are wrong", `//m:GrpHdr[${sumsOf("//m:CdtTrfTxInf")}]`],
  ["has sums that are wrong", `//m:PmtInf[${sumsOf("m:CdtTrfTxInf")}]`],
];

let validator: XsdValidator | undefined;

/** What breaks the schema of pain.001.001.09 in a message, and then the banks' guidelines. */
export function faultsOfPain001(message: string): string[] {
  const document = XmlDocument.fromString(message);
  try {
    const broken = GUIDELINES.flatMap(([words, elements]) =>
      document.find(elements, NAMES).map(({ content }) => `${content} ${words}`),
    );
    return [...schemaFaults(document), ...broken];
  } finally {
    document.dispose();
  }
}

function schemaFaults(document: XmlDocument): string[] {
  validator ??= XsdValidator.fromDoc(XmlDocument.fromBuffer(readFileSync(SCHEMA)));
  try {
    validator.validate(document);
    return [];
  } catch (error) {
    if (!(error instanceof XmlValidateError)) throw error;
    return error.details.map(({ message }) => message.trim());
  }
}
