import { useSignal } from "@preact/signals";
import { answer, api, made } from "../ui/api/client.ts";
import { useLoad } from "../ui/api/load.ts";
import type { components } from "../ui/api/types.ts";
import { ask, Dialog } from "../ui/feedback/dialog.tsx";
import { tell } from "../ui/feedback/tell.ts";
import { toast } from "../ui/feedback/toast.tsx";
import { TextField } from "../ui/form/field.tsx";
import { Form, useForm } from "../ui/form/form.tsx";
import type { Filters } from "../ui/fragment.ts";
import type { ListFilters } from "../ui/table/list.ts";
import { Menu } from "../ui/table/menu.tsx";
import { may } from "./session/session.ts";

type View = components["schemas"]["SavedView"];

interface SavedViewsProps<F extends ListFilters> {
  list: View["list"];
  filters: Filters<F>;
  /** The filters of the whole list. */
  usual: F;
}

/** A menu of the views of a list that the team has saved. */
export function SavedViews<F extends ListFilters>({ list, filters, usual }: SavedViewsProps<F>) {
  const loaded = useLoad(
    (signal) => {
      const params = { query: { "filters[list]": list } };
      return answer(api.GET("/api/v2/company/saved_views", { params, signal }));
    },
    [list],
  );
  const isNaming = useSignal(false);
  const views = loaded.data.value ?? [];
  const chosen = views.find((view) => isShown(view, filters.values.value, usual));
  return (
    <>
      <Menu title={chosen ? `View: ${chosen.name}` : "Views"}>
        {views.length === 0 && <p class="small soft">No views are saved yet.</p>}
        {views.map((view) => (
          <div key={view.id} class="row spread no-wrap">
            <a href={filters.link({ ...usual, ...view.filters })}>{view.name}</a>
            {may("manager") && (
              <button class="button plain little" onClick={() => void remove(view, loaded.reload)}>
                Delete<span class="unseen"> the view {view.name}</span>
              </button>
            )}
          </div>
        ))}
        {may("manager") && chosen === undefined && (
          <button class="button little" onClick={() => (isNaming.value = true)}>
            Save this view
          </button>
        )}
      </Menu>
      {isNaming.value && (
        <NewView
          list={list}
          filters={changedFilters(filters.values.value, usual)}
          reload={loaded.reload}
          onClose={() => (isNaming.value = false)}
        />
      )}
    </>
  );
}

/** Filters that a view keeps. Search texts may name people. */
function changedFilters(values: Record<string, string>, usual: Record<string, string>) {
  const kept = Object.entries(values).filter(
    ([name, value]) => name !== "q" && name !== "page" && value !== usual[name],
  );
  return Object.fromEntries(kept);
}

/** Whether the list shows a view. */
function isShown(view: View, values: Record<string, string>, usual: Record<string, string>): boolean {
  const sorted = (filters: Record<string, string>) =>
    JSON.stringify(Object.entries(filters).toSorted(([a], [b]) => a.localeCompare(b)));
  return sorted(changedFilters(values, usual)) === sorted(changedFilters(view.filters, usual));
}

function NewView({
  list,
  filters,
  reload,
  onClose,
}: Pick<View, "list" | "filters"> & { reload: () => Promise<void>; onClose: () => void }) {
  const form = useForm({ name: "" });
  return (
    <Dialog title="Save this view" onClose={onClose}>
      <Form
        form={form}
        action="Save the view"
        onSubmit={async ({ name }) => {
          await made(api.POST("/api/v2/company/saved_views", { body: { list, name, filters } }));
          toast(`${name} was saved for your team`);
          onClose();
          await reload();
        }}
      >
        <TextField
          form={form}
          name="name"
          label="Name"
          hint="Everyone in your team finds it in this menu. It keeps the filters and the order, but no search text."
          maxLength={100}
          required
        />
      </Form>
    </Dialog>
  );
}

async function remove({ id, name }: View, reload: () => Promise<void>): Promise<void> {
  const title = `Delete the view ${name}`;
  if (!(await ask({ title, text: "It goes for everyone in your team.", action: title, isDanger: true })))
    return;
  await tell(async () => {
    await answer(api.DELETE("/api/v2/company/saved_views/{id}", { params: { path: { id } } }));
    await reload();
    return `The view ${name} was deleted`;
  });
}
