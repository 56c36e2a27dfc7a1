import type { Logger } from "pino";
import type { Chance } from "../domain/context.ts";
import type { Failure } from "../failure.ts";
import type { Mailer } from "../outgoing/mailer.ts";
import type { Post } from "../outgoing/post.ts";
import type { Store } from "../storage/store.ts";
import type { Lease } from "./lease.ts";
import type { Templates } from "./template.ts";

/** What the work of the outbox needs of the process. */
export interface OutboxParts {
  store: Store;
  clock: () => Date;
  chance: Chance;
  log: Logger;
  /** Tells the operator that the store can't be used. */
  logOutage: (failure: Failure) => void;
  post: Post;
  /** null: mail is not set up, and letters are held. */
  mailer: Mailer | null;
  templates: Templates;
  publicUrl: string;
  /** Only who holds it works. */
  lease: Lease;
}
