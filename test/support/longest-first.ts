import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Begins with the files that match. At the end, one of them would leave the other workers without work: without the times of
 * an earlier run, which CI never has, the largest files come first.
 */
export const longestFirst = (longest: RegExp) =>
  class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const isLongest = ({ moduleId }: TestSpecification) => Number(longest.test(moduleId));
      const sorted = await super.sort(files);
      return sorted.toSorted((one, other) => isLongest(other) - isLongest(one));
    }
  };
