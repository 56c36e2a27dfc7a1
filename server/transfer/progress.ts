/** The progress of one step of a long task. */
export interface Step {
  what:
    | "exported"
    | "checked"
    | "imported"
    | "compared"
    | "converted"
    | "cleared"
    | "rebuilt"
    | "removed"
    | "gathered"
    | "fetched";
  entries: number;
  /** Null if unknown. */
  total: number | null;
}

/** Called after each chunk. */
export type Progress = (step: Step) => void;

/** Counts the entries of a step and reports them. */
export function counting(
  what: Step["what"],
  onProgress: Progress,
  total: number | null = null,
): (count: number) => void {
  let entries = 0;
  return (count) => onProgress({ what, entries: (entries += count), total });
}
