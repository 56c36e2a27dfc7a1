import { signal } from "@preact/signals";

/** Settles the requests that wait for somebody to sign in again. null: the session has not ended. */
export const endedSession = signal<{ settle: (isSignedIn: boolean) => void } | null>(null);

let waiting: Promise<boolean> | null = null;

/** Waits until somebody has signed in again (true) or has given up. All requests meanwhile wait for the same person. */
export function signedInAgain(): Promise<boolean> {
  waiting ??= new Promise<boolean>((resolve) => {
    endedSession.value = {
      settle(isSignedIn) {
        endedSession.value = null;
        waiting = null;
        resolve(isSignedIn);
      },
    };
  });
  return waiting;
}
