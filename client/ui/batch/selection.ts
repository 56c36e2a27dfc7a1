/** Gives the ids of the next records to act on. None: there are no more. After a failed request it can be asked again. */
export type NextIds = () => Promise<number[]>;

/** The records that an action is for. Their ids come part by part, because there may be too many for one page. */
export interface Selection {
  count: number;
  begin: () => NextIds;
}

/** Loads a page of the records that match a filter, in the order in which they came. */
export type LoadPage = (number: number, length: number) => Promise<{ rows: { id: number | string }[] }>;

/** How many records go into one request: few enough that the reader sees progress. */
const PART_LENGTH = 20;

/** The longest page that the interface gives. */
const PAGE_LENGTH = 100;

/** Records that are known by their ids. */
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
 * The first `count` records that match a filter. The last page comes first: an action may take records out of the
 * filter, and that moves only those behind them to other pages.
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

/** Names the group of each of these records. An empty name: the record is gone. */
export type FindGroups = (ids: number[]) => Promise<string[]>;

/**
 * The same records in parts that divide no group, however long it is: what is done with some records of a group alone
 * would not be what was meant. So all are loaded before the first part.
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

/** Takes as many groups as fit into a part, and at least one. */
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
