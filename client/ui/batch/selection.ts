/** Returns the ids of the next records, or none at the end. It can be called again after a failed request. */
export type NextIds = () => Promise<number[]>;

/** The records of an action. Their ids are loaded in parts, because there may be too many for one page. */
export interface Selection {
  count: number;
  begin: () => NextIds;
}

/** Loads a page of the records that match a filter, in the order in which they came. */
export type LoadPage = (number: number, length: number) => Promise<{ rows: { id: number | string }[] }>;

/** Records per request: few enough to show progress. */
const PART_LENGTH = 20;

/** The API's maximum page size. */
const PAGE_LENGTH = 100;

/** Records by their ids. */
export function these(ids: number[]): Selection {
  return {
    count: ids.length,
    begin() {
      const rest = [...ids];
      return async () => rest.splice(0, PART_LENGTH);
    },
  };
}

/**
 * The first `count` records that match a filter. The last page comes first, because an action may remove records from the
 * filter, which moves only the records behind them to other pages.
 */
export function firstThatMatch(count: number, load: LoadPage): Selection {
  return {
    count,
    begin() {
      let number = Math.ceil(count / PAGE_LENGTH);
      let rest: number[] = [];
      return async () => {
        for (; rest.length === 0 && number > 0; number--) {
          const { rows } = await load(number, PAGE_LENGTH);
          rest = rows.slice(0, count - (number - 1) * PAGE_LENGTH).flatMap(({ id }) => idsOf(id));
        }
        return rest.splice(0, PART_LENGTH);
      };
    },
  };
}

/** Returns the group of each record, or "" if the record is gone. */
export type FindGroups = (ids: number[]) => Promise<string[]>;

/**
 * The same records in parts that never split a group, even a large one, because an action on only some records of a group
 * would have a different result. So all ids are loaded before the first part.
 */
export function inWholeGroups({ count, begin }: Selection, findGroups: FindGroups): Selection {
  return {
    count,
    begin() {
      const next = begin();
      const groups = new Map<string, number[]>();
      let isLast = false;
      let unknown: number[] = [];
      return async () => {
        while (!isLast || unknown.length > 0) {
          if (!isLast && unknown.length < PAGE_LENGTH) {
            const part = await next();
            isLast = part.length === 0;
            unknown.push(...part);
            continue;
          }
          const some = unknown.slice(0, PAGE_LENGTH);
          for (const [at, name] of (await findGroups(some)).entries()) {
            groups.set(name, [...(groups.get(name) ?? []), some[at]!]);
          }
          unknown = unknown.slice(some.length);
        }
        return takeWhole(groups);
      };
    },
  };
}

/** Removes as many groups as fit into a part, but at least one. */
function takeWhole(groups: Map<string, number[]>): number[] {
  const part: number[] = [];
  for (const [name, ids] of groups) {
    if (part.length > 0 && part.length + ids.length > PART_LENGTH) break;
    part.push(...ids);
    groups.delete(name);
  }
  return part;
}

/** The ids of a row. A row that groups several records has an id like `3,5`. */
export function idsOf(rowId: number | string): number[] {
  return String(rowId).split(",").map(Number);
}
