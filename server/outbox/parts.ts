import type { Logger } from "pino";
import type { Chance } from "../domain/context.ts";
import type { Failure } from "../failure.ts";
import type { Mailer } from "../outgoing/mail.ts";
import type { Post } from "../outgoing/post.ts";
import type { Store } from "../storage/store.ts";
import type { Lease } from "../process/lease.ts";
import type { Templates } from "./email-template.ts";

/** The services that the outbox uses. */
export interface OutboxParts {
  store: Store;
  clock: () => Date;
  chance: Chance;
  log: Logger;
  /** Logs that the store can't be used. */
  logOutage: (failure: Failure) => void;
  post: Post;
  /** Null if mail is not set up; e-mails are held then. */
  mailer: Mailer | null;
  /** Null while the operator's own texts can't be read; e-mails are held then. */
  templates: () => Templates | null;
  public_url: string;
  /** Only the process that holds it works on the outbox. */
  lease: Lease;
}
