/** The sender of an account's e-mails, as it wishes. Null fields are the server's. */
export interface WantedSender {
  /** `partners@acme.example`, or `Acme <partners@acme.example>`. */
  address: string | null;
  /** Instead of the name in `address`. */
  name: string | null;
  replyTo: string | null;
}

/** The operator's settings for senders. */
export interface SenderSettings {
  /** The sender of all that have no other. */
  from: string;
  /** Further domains that accounts may send from. Absent: none. */
  domains?: string[];
}

/** A sender with the parts of its header. An empty name is left out. */
interface Sender {
  name: string;
  address: string;
}

/**
 * The sender of an e-mail. The mail server signs for certain domains only, and mail from others is taken for forged. So
 * an address of a domain that the operator does not allow gets the replies instead.
 *
 * @see MAIL_FROM_DOMAINS in docs/operators.md
 */
export function chosenSender(
  { from, domains = [] }: SenderSettings,
  { address, name, replyTo }: WantedSender,
): { from: Sender; replyTo: string | null } {
  const usual = parse(from);
  const own = address === null ? null : parse(address);
  const allowed = [domainOf(usual.address), ...domains];
  const isAllowed = own !== null && allowed.includes(domainOf(own.address));
  return {
    from: {
      name: name ?? (own?.name || usual.name),
      address: isAllowed ? own.address : usual.address,
    },
    replyTo: replyTo ?? (own === null || isAllowed ? null : own.address),
  };
}

/** A sender as people write it. */
export function senderText({ name, address }: Sender): string {
  return name === "" ? address : `${name} <${address}>`;
}

/** The domain of an e-mail address, in lower case. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1).toLowerCase();
}

function parse(text: string): Sender {
  const [address = text] = /[^\s<>]+@[^\s<>]+/.exec(text) ?? [];
  const name = text.slice(0, text.indexOf(address)).replace(/<$/, "").trim();
  return { name: name.replace(/^"(.*)"$/, "$1"), address };
}
