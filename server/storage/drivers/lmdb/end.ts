/** Write transactions of this process that are under way, in whatever store. */
let writing = 0;
let isWatched = false;

/**
 * Lets the process end amid a write transaction. lmdb's thread waits for the main one, in which the
 * transaction runs, while a process that exits waits for its threads: neither would ever go on, and the
 * store's lock would keep all other processes from writing. So the process kills itself then, as whatever ends
 * it (a primary that was killed, a fault that nobody caught) may; the lock of who is killed is freed.
 */
export async function endable<T>(transaction: () => Promise<T>): Promise<T> {
  if (!isWatched) process.once("exit", killIfWriting);
  isWatched = true;
  writing += 1;
  try {
    return await transaction();
  } finally {
    writing -= 1;
  }
}

function killIfWriting(): void {
  if (writing > 0) process.kill(process.pid, "SIGKILL");
}
