import { useSignal } from "@preact/signals";
import { answer, api, page } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { Copyable } from "../../ui/feedback/copy.tsx";
import { ask } from "../../ui/feedback/dialog.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { loadJoined } from "../campaigns/joined.ts";
import { CodeForm } from "./code-form.tsx";
import { t } from "../../languages/messages.ts";

interface Code {
  key: string;
  code: string;
  words: string;
  /** The id of the promoter's own code, or null if the company made it. */
  ownId: number | null;
}

/** The codes that customers type at the checkout. Hidden if there are none and none can be made. */
export function Codes() {
  const loaded = useLoad(loadCodes);
  const isMaking = useSignal(false);
  return (
    <Await loaded={loaded}>
      {({ codes, open }) =>
        (codes.length > 0 || open.length > 0) && (
          <section class="card stack" aria-label={t("codes")}>
            <div class="row spread">
              <h2>{t("codes")}</h2>
              {open.length > 0 && (
                <button class="button" onClick={() => (isMaking.value = true)}>
                  {t("codes.make")}
                </button>
              )}
            </div>
            <p class="soft">
              {codes.length === 0 && `${t("codes.none")} `}
              {t("codes.text")}
            </p>
            <ul class="stack">
              {codes.map((code) => (
                <CodeRow key={code.key} of={code} reload={loaded.reload} />
              ))}
            </ul>
            {isMaking.value && (
              <CodeForm
                campaigns={open}
                onClose={() => (isMaking.value = false)}
                onMade={() => {
                  isMaking.value = false;
                  void loaded.reload();
                }}
              />
            )}
          </section>
        )
      }
    </Await>
  );
}

/** The promoter's codes, and the campaigns in which they may make more. */
async function loadCodes() {
  const [promoCodes, joined] = await Promise.all([
    page(api.GET("/api/v2/affiliate/promo_codes", { params: { query: { per_page: 100 } } })),
    loadJoined(),
  ]);
  const made = promoCodes.rows.map(({ id, code, description, reward, is_own: isOwn }): Code => ({
    key: `code ${id}`,
    code,
    words: description ?? reward?.name ?? "",
    ownId: isOwn ? id : null,
  }));
  const coupons = joined.flatMap(({ id, coupon, display_coupon: displayed, campaign }): Code[] => {
    const code = displayed ?? coupon;
    return code === null ? [] : [{ key: `coupon ${id}`, code, words: campaign.name, ownId: null }];
  });
  return {
    codes: [...made, ...coupons],
    open: joined.filter(({ promo_code_rewards: rewards }) => rewards.length > 0),
  };
}

function CodeRow({ of: { code, words, ownId }, reload }: { of: Code; reload: () => Promise<void> }) {
  const archive = async (id: number) => {
    const [title, text] = [t("codes.archive.ask", { code }), t("codes.archive.text")];
    if (!(await ask({ title, text, action: t("codes.archive.action"), isDanger: true }))) return;
    await tell(async () => {
      await answer(api.DELETE("/api/v2/affiliate/promo_codes/{id}", { params: { path: { id } } }));
      await reload();
      return t("codes.archived");
    });
  };
  return (
    <li class="row spread">
      <Copyable text={code} of={t("codes.copy", { code })} />
      <span class="row tight">
        <span class="soft">{words}</span>
        {ownId !== null && (
          <button
            class="button plain little"
            aria-label={t("codes.archive.of", { code })}
            onClick={() => void archive(ownId)}
          >
            {t("codes.archive")}
          </button>
        )}
      </span>
    </li>
  );
}
