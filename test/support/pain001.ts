import { XMLParser } from "fast-xml-parser";

/** An element of the message: its name, how often it may appear, and its text or its children. */
type Rule = readonly [name: string, least: 0 | 1, most: 1 | "many", content: RegExp | Rule[] | Choice];
/** Exactly one of the children appears. */
interface Choice {
  one: Rule[];
}

const text = (length: number) => new RegExp(`^[A-Za-z0-9/\\-?:().,'+ ]{1,${length}}$`);
/** References neither begin nor end with a slash, and have no two in a row. */
const reference = /^(?!\/)(?!.*\/\/)[A-Za-z0-9/\-?:().,'+ ]{1,35}(?<!\/)$/;
const BIC: Rule = ["BICFI", 0, 1, /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/];
const IBAN: Rule = ["IBAN", 1, 1, /^[A-Z]{2}\d{2}[A-Z0-9]{1,30}$/];
const other = (length: number): Rule => ["Othr", 1, 1, [["Id", 1, 1, text(length)]]];
const COUNT: Rule = ["NbOfTxs", 1, 1, /^\d{1,15}$/];
const SUM: Rule = ["CtrlSum", 1, 1, /^\d{1,13}(\.\d{1,5})?$/];
const ADDRESS: Rule = [
  "PstlAdr",
  0,
  1,
  [
    ["StrtNm", 0, 1, text(70)],
    ["PstCd", 0, 1, text(16)],
    ["TwnNm", 1, 1, text(35)],
    ["Ctry", 1, 1, /^[A-Z]{2}$/],
  ],
];
const party = (name: string): Rule => [name, 1, 1, [["Nm", 1, 1, text(70)], ADDRESS]];
const agent = (name: string, least: 0 | 1): Rule => [
  name,
  least,
  1,
  [
    [
      "FinInstnId",
      1,
      1,
      [
        BIC,
        [
          "ClrSysMmbId",
          0,
          1,
          [
            ["ClrSysId", 1, 1, [["Cd", 1, 1, /^[A-Z]{5}$/]]],
            ["MmbId", 1, 1, text(35)],
          ],
        ],
        ["Othr", 0, 1, [["Id", 1, 1, text(35)]]],
      ],
    ],
  ],
];
const TRANSFER: Rule = [
  "CdtTrfTxInf",
  1,
  "many",
  [
    ["PmtId", 1, 1, [["EndToEndId", 1, 1, reference]]],
    ["Amt", 1, 1, [["InstdAmt", 1, 1, /^\d{1,13}(\.\d{1,5})?$/]]],
    agent("CdtrAgt", 0),
    party("Cdtr"),
    ["CdtrAcct", 1, 1, [["Id", 1, 1, { one: [IBAN, other(34)] }]]],
    ["RmtInf", 1, 1, [["Ustrd", 1, 1, text(140)]]],
  ],
];
const GROUP: Rule = [
  "PmtInf",
  1,
  "many",
  [
    ["PmtInfId", 1, 1, reference],
    ["PmtMtd", 1, 1, /^TRF$/],
    ["BtchBookg", 1, 1, /^(true|false)$/],
    COUNT,
    SUM,
    ["PmtTpInf", 0, 1, [["SvcLvl", 1, 1, [["Cd", 1, 1, /^SEPA$/]]]]],
    ["ReqdExctnDt", 1, 1, [["Dt", 1, 1, /^\d{4}-\d\d-\d\d$/]]],
    party("Dbtr"),
    ["DbtrAcct", 1, 1, [["Id", 1, 1, [IBAN]]]],
    agent("DbtrAgt", 1),
    ["ChrgBr", 1, 1, /^(SLEV|SHAR|DEBT|CRED)$/],
    TRANSFER,
  ],
];
const MESSAGE: Rule[] = [
  [
    "GrpHdr",
    1,
    1,
    [
      ["MsgId", 1, 1, reference],
      ["CreDtTm", 1, 1, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/],
      COUNT,
      SUM,
      ["InitgPty", 1, 1, [["Nm", 1, 1, text(70)]]],
    ],
  ],
  GROUP,
];

type Node = Record<string, unknown>;

/**
 * What breaks the structure of pain.001.001.09 in a message: names, order, number, lengths and characters. The rules
 * are our own reading of ISO 20022 and of the guidelines for SEPA and Switzerland, for the elements that we write.
 */
export function faultsOfPain001(message: string): string[] {
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    parseTagValue: false,
    trimValues: true,
  });
  const faults: string[] = [];
  const [, root] = parser.parse(message) as Node[];
  const attributes = root?.[":@"] as Record<string, string> | undefined;
  if (attributes?.["@_xmlns"] !== "urn:iso:std:iso:20022:tech:xsd:pain.001.001.09")
    faults.push("wrong namespace");
  check(childrenOf(root, "Document"), [["CstmrCdtTrfInitn", 1, 1, MESSAGE]], "", faults);
  return faults;
}

function check(nodes: Node[], content: Rule[] | Choice, path: string, faults: string[]): void {
  const rules = Array.isArray(content) ? content : content.one;
  let at = 0;
  let found = 0;
  for (const [name, least, most, inside] of rules) {
    let count = 0;
    while (at < nodes.length && nameOf(nodes[at]!) === name) {
      checkOne(nodes[at]!, { name, inside, path }, faults);
      at += 1;
      count += 1;
    }
    found += count;
    if (Array.isArray(content) && count < least) faults.push(`${path}/${name} is missing`);
    if (most === 1 && count > 1) faults.push(`${path}/${name} appears ${count} times`);
  }
  if (!Array.isArray(content) && found !== 1) faults.push(`${path} has ${found} of its choices`);
  if (at < nodes.length) faults.push(`${path} has ${nameOf(nodes[at]!)} in a wrong place`);
}

function checkOne(
  node: Node,
  { name, inside, path }: { name: string; inside: Rule[3]; path: string },
  faults: string[],
): void {
  const here = `${path}/${name}`;
  if (!(inside instanceof RegExp)) return check(childrenOf(node, name), inside, here, faults);
  const value = textOf(node, name);
  if (!inside.test(value)) faults.push(`${here} is ${value}`);
}

function nameOf(node: Node): string {
  return Object.keys(node).find((name) => name !== ":@") ?? "";
}

function childrenOf(node: Node | undefined, name: string): Node[] {
  return (node?.[name] as Node[] | undefined) ?? [];
}

function textOf(node: Node, name: string): string {
  const [first] = childrenOf(node, name);
  return String(first?.["#text"] ?? "");
}
