import { api, page } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { Copyable } from "../../ui/feedback/copy.tsx";
import { Await } from "../../ui/feedback/state.tsx";

/** The codes that customers type at the checkout. Nothing is shown if there are none. */
export function Codes() {
  const loaded = useLoad(async () => {
    const [codes, joined] = await Promise.all([
      page(api.GET("/api/v2/affiliate/promo_codes", { params: { query: { per_page: 100 } } })),
      page(api.GET("/api/v2/affiliate/promoter_campaigns", { params: { query: { per_page: 100 } } })),
    ]);
    const coupons = joined.rows.flatMap(({ id, coupon, campaign }) =>
      coupon === null ? [] : [{ key: `coupon ${id}`, code: coupon, words: campaign.name }],
    );
    const promoCodes = codes.rows.map(({ id, code, description, reward }) => ({
      key: `code ${id}`,
      code,
      words: description ?? reward?.name ?? "",
    }));
    return [...promoCodes, ...coupons];
  });
  return (
    <Await loaded={loaded}>
      {(codes) =>
        codes.length > 0 && (
          <section class="card stack" aria-label="Promo codes">
            <h2>Promo codes</h2>
            <p class="soft">A purchase with your code is yours, even without your link.</p>
            <ul class="stack">
              {codes.map(({ key, code, words }) => (
                <li key={key} class="row spread">
                  <Copyable text={code} of={`the code ${code}`} />
                  <span class="soft">{words}</span>
                </li>
              ))}
            </ul>
          </section>
        )
      }
    </Await>
  );
}
