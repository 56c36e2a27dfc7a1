import { signal, type Signal } from "@preact/signals";

/** Something that a person must do before refused requests can go on. Requests that wait for it share one person. */
interface Gate {
  /** Settles the requests that wait. null: none does. */
  waiting: Signal<{ settle: (isDone: boolean) => void } | null>;
  /** Waits until the person has done it (true) or has given up. */
  pass: () => Promise<boolean>;
}

/** The session has ended: somebody must sign in again. */
export const sessionEnd = newGate();

/** The account demands a second factor: the person must set one up. */
export const factorDemand = newGate();

function newGate(): Gate {
  const waiting: Gate["waiting"] = signal(null);
  let passing: Promise<boolean> | null = null;
  return {
    waiting,
    pass() {
      passing ??= new Promise<boolean>((resolve) => {
        waiting.value = {
          settle(isDone) {
            waiting.value = null;
            passing = null;
            resolve(isDone);
          },
        };
      });
      return passing;
    },
  };
}
