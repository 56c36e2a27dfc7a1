/** Runs a read. Concurrent reads share a query, and those of the same name share their answer as well. */
export type BatchedRead<Q, A> = (name: string, question: Q) => Promise<A>;

interface Waiting<Q, A> {
  question: Q;
  askers: { resolve: (answer: A) => void; reject: (error: unknown) => void }[];
}

const MAX_QUESTIONS = 1_000;

/**
 * Batches reads that are requested in the same turn of the event loop, or while the maximum number of queries
 * is running. A read never joins a query that began before it, because that query may miss a later commit.
 * `isOfOne`: whether an error may come from a single read, so that the others must be retried without it.
 */
export function batchedRead<Q, A>(
  load: (questions: Q[]) => Promise<A[]>,
  { maxQueries, isOfOne }: { maxQueries: number; isOfOne: (error: unknown) => boolean },
): BatchedRead<Q, A> {
  let waiting = new Map<string, Waiting<Q, A>>();
  let queryCount = 0;
  let isScheduled = false;

  return (name, question) =>
    new Promise((resolve, reject) => {
      const known = waiting.get(name);
      if (known !== undefined) known.askers.push({ resolve, reject });
      else waiting.set(name, { question, askers: [{ resolve, reject }] });
      schedule();
    });

  function schedule(): void {
    if (isScheduled || queryCount >= maxQueries || waiting.size === 0) return;
    isScheduled = true;
    // By then all requests that arrived together have queued their next read.
    setImmediate(() => {
      isScheduled = false;
      const entries = [...waiting];
      waiting = new Map(entries.slice(MAX_QUESTIONS));
      queryCount++;
      void query(entries.slice(0, MAX_QUESTIONS).map(([, each]) => each)).finally(() => {
        queryCount--;
        schedule();
      });
      schedule();
    });
  }

  async function query(batch: Waiting<Q, A>[]): Promise<void> {
    try {
      const answers = await load(batch.map(({ question }) => question));
      batch.forEach(({ askers }, at) => askers.forEach(({ resolve }) => resolve(answers[at]!)));
    } catch (error) {
      // A text that the database can't hold must not fail the other reads.
      if (batch.length > 1 && isOfOne(error)) for (const each of batch) await query([each]);
      else for (const { reject } of batch.flatMap(({ askers }) => askers)) reject(error);
    }
  }
}
