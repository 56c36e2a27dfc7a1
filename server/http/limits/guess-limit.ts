import { newCounter, type CountPlace } from "./limit-counter.ts";

/** The outcome of a guess: what it did, or how long no more guesses are allowed. */
export type Guess<T> = { done: T } | { retryAfterSeconds: number };

/** Limits wrong guesses by key. */
export interface GuessLimiter {
  /** Tries a guess, unless there were too many wrong ones. Errors of the guess are passed on. */
  guess<T>(key: string, attempt: () => Promise<T>, isWrong: (error: unknown) => boolean): Promise<Guess<T>>;
}

/**
 * Allows each key a number of wrong guesses within a time. Each guess is counted first and taken back unless it was tried
 * and wrong, so that no more are tried, however many come at the same time. One that is refused must not count: it may be
 * a stranger's, who could keep the owner out with guesses that are never looked at.
 */
export function guessLimiter({
  wrongGuesses,
  seconds,
  ...place
}: CountPlace & { wrongGuesses: number; seconds: number }): GuessLimiter {
  const counter = newCounter({ ...place, limit: wrongGuesses, seconds, isTakenBack: true });
  return {
    async guess(key, attempt, isWrong) {
      const { isOver, msLeft } = await counter.add(key);
      if (isOver) {
        await counter.takeBack(key);
        return { retryAfterSeconds: Math.min(seconds, Math.ceil(msLeft / 1_000)) };
      }
      let wasWrong = false;
      try {
        return { done: await attempt() };
      } catch (error) {
        wasWrong = isWrong(error);
        throw error;
      } finally {
        if (!wasWrong) await counter.takeBack(key);
      }
    },
  };
}
