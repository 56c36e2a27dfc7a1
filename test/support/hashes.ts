import { createHook } from "node:async_hooks";

/** How many hashes of passwords some work computes. Node itself counts them. */
export async function hashCount(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === "SCRYPTREQUEST") count += 1;
    },
  }).enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return count;
}
