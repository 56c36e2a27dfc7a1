import { api, answer } from "../../ui/api/client.ts";
import { useLoad, useRepeat } from "../../ui/api/load.ts";
import { Await } from "../../ui/feedback/state.tsx";
import { useFilters } from "../../ui/fragment.ts";
import { Page } from "../../ui/shell/page.tsx";
import { Checklist } from "./checklist.tsx";
import { Overview } from "./overview.tsx";
import { RangeChoice, USUAL_FILTERS } from "./range.tsx";

const REPEAT_MS = 5_000;

/** The start page: first steps until there is a customer, then the program's figures. */
export function Home() {
  const filters = useFilters(USUAL_FILTERS);
  const setup = useLoad(() => answer(api.GET("/api/v2/company/setup")));
  const hasCustomer = setup.data.value?.has_customer ?? false;
  const isWaiting = setup.data.value !== null && !hasCustomer;
  return (
    <Page title="Home" actions={hasCustomer && <RangeChoice filters={filters} />}>
      {isWaiting && <Repeat reload={setup.reload} />}
      <Await loaded={setup}>
        {({ has_customer, steps }) =>
          has_customer ? <Overview filters={filters} /> : <Checklist steps={steps} />
        }
      </Await>
    </Page>
  );
}

/** Reloads repeatedly while it is rendered. */
function Repeat({ reload }: { reload: () => Promise<void> }) {
  useRepeat(reload, REPEAT_MS);
  return null;
}
