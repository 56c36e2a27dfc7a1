/**
 * Parses pasted addresses: separated by line, comma, semicolon or blank, some with names, like
 * `"Huber, Hans" <hans@example.com>`. What is no address stays, so that the server names it.
 */
export function addressesIn(text: string): string[] {
  return [...text.matchAll(PERSON)].flatMap(([whole, name = "", address]) => {
    if (address === undefined) return whole.split(/[,;\s]+/).filter((word) => word !== "");
    const person = `${name.replace(/^[\s,;]+/, "")}<${address}>`;
    // Addresses without a name, before one with a name
    const [, before = "", rest = person] = /^((?:[^\s,;<>"]+@[^\s,;<>"]+[\s,;]+)*)(.*)$/s.exec(person) ?? [];
    const words = before.split(/[,;\s]+/).filter((word) => word !== "");
    // Outlook writes the address as the name of people whom it does not know.
    if (rest === `<${address}>` && words.at(-1) === address.trim()) words.pop();
    return [...words, rest];
  });
}

/** A name, which may have a comma in it, and an address in angle brackets; or the rest of a line. */
const PERSON = /((?:"(?:[^"\\\n]|\\.)*"|[^<>"\n;])*)<([^<>\n]+)>|[^\n;]+/g;
