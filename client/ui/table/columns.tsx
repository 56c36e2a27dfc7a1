import { useSignal, type Signal } from "@preact/signals";
import { Menu } from "./menu.tsx";

/** The ids of hidden columns, stored in this browser. */
export interface Columns {
  hidden: Signal<string[]>;
  name: string;
}

/** The user's choice of columns of the table `name`. */
export function useColumns(name: string, hiddenAtFirst: string[] = []): Columns {
  return { hidden: useSignal(remembered(name) ?? hiddenAtFirst), name };
}

/** The columns to show. The first one has the record's name and always stays. */
export function shownColumns<C extends { id: string }>(columns: C[], chosen: Columns | undefined): C[] {
  return columns.filter(({ id }, at) => at === 0 || !chosen?.hidden.value.includes(id));
}

/** A menu to choose columns. */
export function ColumnMenu({
  columns,
  chosen,
}: {
  columns: { id: string; title: string }[];
  chosen: Columns;
}) {
  const { hidden, name } = chosen;
  const toggle = (id: string) => {
    const { value } = hidden;
    hidden.value = value.includes(id) ? value.filter((each) => each !== id) : [...value, id];
    remember(name, hidden.value);
  };
  return (
    <Menu title="Columns">
      {columns.slice(1).map(({ id, title }) => (
        <label key={id} class="check">
          <input type="checkbox" checked={!hidden.value.includes(id)} onInput={() => toggle(id)} />
          {title}
        </label>
      ))}
    </Menu>
  );
}

const place = (name: string) => `tidemark.columns.${name}`;

function remembered(name: string): string[] | null {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(place(name)) ?? "null");
    return Array.isArray(kept) ? kept.map(String) : null;
  } catch {
    return null; // The browser may refuse storage, and other scripts may have written there.
  }
}

function remember(name: string, hidden: string[]): void {
  try {
    localStorage.setItem(place(name), JSON.stringify(hidden));
  } catch {
    // The choice lasts until the page is left.
  }
}
