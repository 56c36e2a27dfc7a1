/** How far a step of a long work is. */
export interface Step {
  what: "exported" | "checked" | "imported" | "moved" | "compared" | "converted" | "cleared" | "rebuilt";
  entries: number;
  /** null: not known. */
  total: number | null;
}

/** Is told after each chunk. */
export type Progress = (step: Step) => void;

/** Adds up the entries of a step, and tells. */
export function counting(
  what: Step["what"],
  onProgress: Progress,
  total: number | null = null,
): (count: number) => void {
  let entries = 0;
  return (count) => onProgress({ what, entries: (entries += count), total });
}
