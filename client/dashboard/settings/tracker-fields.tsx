import type { components } from "../../ui/api/types.ts";
import { Checkbox, TextField } from "../../ui/form/field.tsx";
import type { FormState } from "../../ui/form/form.tsx";

type Tracker = components["schemas"]["Account"]["tracker"];

/** The form's values for the names of script and cookies. */
interface Typed extends Record<string, string | boolean> {
  global: string;
  data_global: string;
  cookie: string;
  script: string;
  reads_fragment: boolean;
}

export function typedTracker(tracker: Tracker): Typed {
  return {
    global: tracker.global,
    data_global: tracker.data_global ?? "",
    cookie: tracker.cookie,
    script: tracker.script ?? "",
    reads_fragment: tracker.reads_fragment,
  };
}

export function trackerOf({ data_global: dataGlobal, script, ...typed }: Typed): Tracker {
  return {
    global: typed.global,
    cookie: typed.cookie,
    reads_fragment: typed.reads_fragment,
    data_global: dataGlobal || null,
    script: script || null,
  };
}

/** The names of script and cookies. Companies that switch from another program can keep its names. */
export function TrackerFields({ form }: { form: FormState<Typed> }) {
  return (
    <section class="card stack">
      <h2>Script and cookies</h2>
      <p class="soft">
        Only for sites that used another program's script before: with its names, pages and cookies keep
        working.
      </p>
      <div class="grid" style={{ "--column": "22rem" }}>
        <TextField form={form} name="cookie" label="Prefix of the cookies" hint="Usually _svc." required />
        <TextField form={form} name="global" label="Function in the page" hint="Usually svc." required />
        <TextField
          form={form}
          name="script"
          label="Second file name of the script"
          hint="Such as fpr.js. Leave it empty for none."
        />
        <TextField
          form={form}
          name="data_global"
          label="Second name with the visitor's id"
          hint="Such as FPROM. Leave it empty for none."
        />
      </div>
      <Checkbox
        form={form}
        name="reads_fragment"
        label="Read referral ids from fragments, too"
        hint="As in #/pricing?via=jane, for sites with routes behind the #."
      />
    </section>
  );
}
