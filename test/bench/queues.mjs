// A model of servers and their store, for `simulate.mjs`. Time is in milliseconds.
//
// A server works on one request at a time. When the work is done, the request's commit joins the server's next batch; a
// server commits one batch at a time. On SQLite a server does nothing else while a batch is synced, and no other server of the
// machine may write then. On Postgres batches of several servers run side by side, one on each processor of the database.

/** Runs work at given times, in their order. */
function newClock() {
  const heap = [];
  let now = 0;
  const isBefore = (one, other) => heap[one].at < heap[other].at;
  const swap = (one, other) => ([heap[one], heap[other]] = [heap[other], heap[one]]);
  return {
    now: () => now,
    after(ms, run) {
      let place = heap.push({ at: now + ms, run }) - 1;
      for (let parent; place > 0 && isBefore(place, (parent = (place - 1) >> 1)); place = parent)
        swap(place, parent);
    },
    /** Runs the next work. */
    step() {
      swap(0, heap.length - 1);
      const { at, run } = heap.pop();
      for (let place = 0; ;) {
        const children = [2 * place + 1, 2 * place + 2].filter((child) => child < heap.length);
        const least = children.reduce((first, child) => (isBefore(child, first) ? child : first), place);
        if (least === place) break;
        swap(place, least);
        place = least;
      }
      now = at;
      run();
    },
  };
}

/** Places for work. Work that finds none free waits in a line. */
function newPool(clock, places) {
  const line = [];
  let free = places;
  const next = () => {
    while (free > 0 && line.length > 0) {
      free -= 1;
      line.shift()(() => {
        free += 1;
        next();
      });
    }
  };
  return {
    /** `work` gets a function that gives the place back. */
    take(work) {
      line.push(work);
      next();
    },
    /** Holds a place for a time. */
    use(ms, done) {
      this.take((release) =>
        clock.after(ms, () => {
          release();
          done();
        }),
      );
    },
  };
}

/**
 * Simulates requests of one kind. Either `clients` each send the next one when they have their answer, or requests come
 * by chance, `rate` a second. Returns the throughput, and the time within which 99 of 100 are answered.
 */
export function simulate({ plan, costs, disk, clients = 0, rate = 0, requests = 20_000 }) {
  const clock = newClock();
  const machine = plan.cores === undefined ? null : newPool(clock, plan.cores);
  const stores = Array.from({ length: plan.stores ?? 1 }, () => newStore(plan));
  const servers = Array.from({ length: plan.servers }, (_, at) => newServer(at));
  const latencies = [];
  let begunAt = 0;

  function newServer(at) {
    const own = machine ?? newPool(clock, 1);
    const thread = newPool(clock, 1);
    const store = stores[at % stores.length];
    let waiting = [];
    let isCommitting = false;

    function commit() {
      if (isCommitting || waiting.length === 0) return;
      isCommitting = true;
      const batch = waiting;
      waiting = [];
      const finish = () => {
        isCommitting = false;
        for (const done of batch) done();
        commit();
      };
      if (plan.kind === "postgres") store.commit(batch.length, finish);
      else
        thread.take((release) =>
          store.commit(batch.length, () => {
            release();
            finish();
          }),
        );
    }

    return (done) =>
      thread.take((release) =>
        own.use(costs.serverMs, () => {
          release();
          clock.after((costs.reads ?? 0) * disk.networkMs, () => {
            waiting.push(done);
            commit();
          });
        }),
      );
  }

  function newStore({ kind, storeCores = 1 }) {
    const processors = machine ?? newPool(clock, storeCores);
    const file = newPool(clock, 1);
    if (kind === "postgres") {
      return {
        commit: (size, done) =>
          processors.use(size * costs.databaseMs, () => clock.after(disk.syncMs + disk.networkMs, done)),
      };
    }
    return {
      commit: (_, done) => file.use(disk.syncMs, done),
    };
  }

  function send(server, again) {
    const sentAt = clock.now();
    servers[server](() => {
      latencies.push(clock.now() - sentAt);
      // The empty system answers faster than the busy one.
      if (latencies.length === requests / 10) begunAt = clock.now();
      again?.();
    });
  }

  for (let client = 0; client < clients; client++) {
    const server = client % servers.length;
    const again = () => send(server, again);
    send(server, again);
  }
  if (rate > 0) {
    const arrive = () => {
      send(Math.floor(Math.random() * servers.length));
      clock.after((-Math.log(1 - Math.random()) * 1_000) / rate, arrive);
    };
    arrive();
  }
  while (latencies.length < requests) clock.step();
  const counted = latencies.slice(requests / 10).sort((one, other) => one - other);
  return {
    perSecond: (1_000 * counted.length) / (clock.now() - begunAt),
    p99Ms: counted[Math.floor(counted.length * 0.99)],
  };
}

/** The highest rate at which 99 of 100 are answered in time, exact to two per cent. */
export function capacity({ p99Ms, ...given }) {
  let [low, high] = [0, processorLimit(given)];
  while (high - low > 0.02 * high) {
    const rate = (low + high) / 2;
    if (simulate({ ...given, rate }).p99Ms <= p99Ms) low = rate;
    else high = rate;
  }
  return low;
}

/** The rate at which the first processor is busy all the time. A short simulation does not show that queues grow then. */
function processorLimit({ plan: { kind, servers, cores = Infinity, stores = 1, storeCores }, costs }) {
  const { serverMs, databaseMs } = costs;
  const store = kind === "postgres" ? (stores * storeCores) / databaseMs : Infinity;
  return (
    1_000 * Math.min(servers / serverMs, store, cores / (serverMs + (kind === "postgres" ? databaseMs : 0)))
  );
}
