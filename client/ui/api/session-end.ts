import { signal, type Signal } from "@preact/signals";

/** Something that the user must do before refused requests can continue. All waiting requests share it. */
interface Gate {
  /** Settles the waiting requests, or null if there are none. */
  waiting: Signal<{ settle: (isDone: boolean) => void } | null>;
  /** Waits until the user has done it (true) or has given up. */
  pass: () => Promise<boolean>;
}

/** The session has ended: the user must sign in again. */
export const sessionEnd = newGate();

/** The account requires a second factor: the user must set one up. */
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
