import { useSignal } from "@preact/signals";
import { Form, useForm } from "../../ui/form/form.tsx";
import { may } from "../session/session.ts";
import type { CampaignViewProps } from "./campaign.tsx";
import { saveCampaign } from "./save.ts";

/** A page of the campaign. A new one has no id. */
interface FurtherPage {
  id: number | null;
  name: string;
  url: string;
}

const NEW: FurtherPage = { id: null, name: "", url: "" };

/** The pages that promoters can link to besides the landing page. */
export function FurtherPages(props: CampaignViewProps) {
  const { links } = props.campaign;
  const form = useForm({});
  const pages = useSignal<FurtherPage[]>(links);
  const change = (at: number, changes: Partial<FurtherPage>) =>
    (pages.value = pages.value.map((each, index) => (index === at ? { ...each, ...changes } : each)));
  const removed = () => links.filter(({ id }) => pages.value.every((each) => each.id !== id));
  return (
    <section class="card stack">
      <h2>Further pages</h2>
      <p class="soft">Promoters get their own link to each of them, besides the one to the landing page.</p>
      <Form
        form={form}
        action="Save the pages"
        onSubmit={async () => {
          const saved = await saveCampaign(props, {
            links: [...pages.value, ...removed().map(({ id }) => ({ id, _destroy: true }))],
          });
          // New pages have got ids.
          pages.value = saved.links;
        }}
      >
        <fieldset class="stack" disabled={!may("manager")}>
          {pages.value.map((each, at) => (
            <PageFields
              key={at}
              number={at + 1}
              page={each}
              change={(changes) => change(at, changes)}
              remove={() => (pages.value = pages.value.filter((_, index) => index !== at))}
            />
          ))}
          <div>
            <button type="button" class="button little" onClick={() => (pages.value = [...pages.value, NEW])}>
              Add a page
            </button>
          </div>
        </fieldset>
      </Form>
    </section>
  );
}

function PageFields({
  number,
  page: { name, url },
  change,
  remove,
}: {
  number: number;
  page: FurtherPage;
  change: (changes: Partial<FurtherPage>) => void;
  remove: () => void;
}) {
  return (
    <div class="row">
      <input
        class="input grow"
        aria-label={`Name of page ${number}`}
        placeholder="Pricing"
        required
        value={name}
        onInput={(event) => change({ name: event.currentTarget.value })}
      />
      <input
        class="input grow"
        type="url"
        aria-label={`Address of page ${number}`}
        placeholder="https://www.example.com/pricing"
        required
        value={url}
        onInput={(event) => change({ url: event.currentTarget.value })}
      />
      <button type="button" class="button plain little" onClick={remove}>
        Remove<span class="unseen"> page {number}</span>
      </button>
    </div>
  );
}
