/** Reads one item; concurrent reads share a query. */
export type BatchedRead = (key: string) => Promise<string | null>;

interface Waiting {
  key: string;
  resolve: (text: string | null) => void;
  reject: (error: unknown) => void;
}

const MAX_KEYS = 1_000;

/**
 * Batches reads that come in the same turn of the event loop, or while the maximum number of queries is
 * running. A read never joins a query that began before it, because that query may miss a later commit.
 */
export function batchedRead(
  load: (keys: string[]) => Promise<Map<string, string>>,
  { maxQueries }: { maxQueries: number },
): BatchedRead {
  let waiting: Waiting[] = [];
  let queryCount = 0;
  let isScheduled = false;

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      schedule();
    });

  function schedule(): void {
    if (isScheduled || queryCount >= maxQueries || waiting.length === 0) return;
    isScheduled = true;
    // By then all requests that arrived together have asked for what they read next.
    setImmediate(() => {
      isScheduled = false;
      void query(waiting.splice(0, MAX_KEYS));
      schedule();
    });
  }

  async function query(batch: Waiting[]): Promise<void> {
    queryCount++;
    try {
      const texts = await load([...new Set(batch.map(({ key }) => key))]);
      for (const { key, resolve } of batch) resolve(texts.get(key) ?? null);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    queryCount--;
    schedule();
  }
}
