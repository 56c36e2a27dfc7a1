import { useSignal } from "@preact/signals";
import { answer, api, page } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { CopyButton } from "../../ui/feedback/copy.tsx";
import { ask, Dialog } from "../../ui/feedback/dialog.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { Page } from "../../ui/shell/page.tsx";
import { loadJoined } from "../campaigns/joined.ts";
import { NoCampaign } from "../campaigns/no-campaign.tsx";
import { QrCode } from "../../ui/feedback/qr-code.tsx";
import { QrDownloads } from "../download.tsx";
import { firstCampaignFirst } from "../session/session.ts";
import { stateWords } from "../words.ts";
import { Codes } from "./codes.tsx";
import { LinkForm } from "./link-form.tsx";
import { t } from "../../languages/messages.ts";

type Link = components["schemas"]["PortalLinkToShare"];
type State = Parameters<typeof stateWords>[0];

/** All links of a promoter fit on one page. */
const ALL = { per_page: 100 };

/** All links that a promoter can share, and the codes that customers type. */
export function Links() {
  const links = useLoad(loadLinks);
  const isMaking = useSignal(false);
  const coded = useSignal<Link | null>(null);
  const add = () => (isMaking.value = true);
  // A link needs a campaign that the promoter has joined.
  const isInNone = links.data.value?.states.size === 0;
  return (
    <Page
      title={t("page.links")}
      actions={
        !isInNone && (
          <button class="button main" onClick={add}>
            {t("links.make")}
          </button>
        )
      }
    >
      <div class="stack wide">
        <Await loaded={links}>
          {(found) => <LinkList {...found} reload={links.reload} onCode={(link) => (coded.value = link)} />}
        </Await>
        <Codes />
      </div>
      {isMaking.value && (
        <LinkForm
          onClose={() => (isMaking.value = false)}
          onMade={() => {
            isMaking.value = false;
            void links.reload();
          }}
        />
      )}
      {coded.value && (
        <Dialog title={coded.value.name} onClose={() => (coded.value = null)}>
          <div class="stack tight">
            <QrCode text={coded.value.url} label={t("links.qr.of", { name: coded.value.name })} />
            <p class="small soft">{t("links.qr.hint")}</p>
            <QrDownloads url={coded.value.url} name={coded.value.name} />
          </div>
        </Dialog>
      )}
    </Page>
  );
}

/** The links, with the promoter's state in each campaign: a link counts only after acceptance. */
async function loadLinks() {
  const [{ rows }, joined] = await Promise.all([
    page(api.GET("/api/v2/affiliate/referral_links", { params: { query: ALL } })),
    loadJoined(),
  ]);
  return { rows, states: new Map<number, State>(joined.map(({ campaign, state }) => [campaign.id, state])) };
}

interface LinkListProps {
  rows: Link[];
  states: Map<number, State>;
  reload: () => Promise<void>;
  onCode: (link: Link) => void;
}

function LinkList({ rows, states, reload, onCode }: LinkListProps) {
  const remove = async (link: Link) => {
    const title = t("links.remove.ask", { name: link.name });
    const text = t("links.remove.text");
    if (!(await ask({ title, text, action: t("links.remove.action"), isDanger: true }))) return;
    await tell(async () => {
      const params = { path: { id: link.id } };
      await answer(api.DELETE("/api/v2/affiliate/referral_links/{id}", { params }));
      await reload();
      return t("links.removed");
    });
  };
  return (
    <ul class="stack">
      {firstCampaignFirst(rows).map((link) => (
        <LinkCard
          key={`${link.source} ${link.promoter_campaign_id} ${link.id}`}
          link={link}
          state={states.get(link.campaign.id) ?? "accepted"}
          onCode={() => onCode(link)}
          onRemove={() => remove(link)}
        />
      ))}
      {rows.length === 0 && <NoCampaign />}
    </ul>
  );
}

function LinkCard({
  link,
  state,
  onCode,
  onRemove,
}: {
  link: Link;
  state: State;
  onCode: () => void;
  onRemove: () => void;
}) {
  const isOwn = link.source === "promoter" && !link.is_default;
  return (
    <li class="card stack tight">
      <div class="row">
        <h2>{link.name}</h2>
        {link.name !== link.campaign.name && <span class="soft">{link.campaign.name}</span>}
        {link.sub_id !== null && <span class="badge">{t("links.channel", { name: link.sub_id })}</span>}
        {state !== "accepted" && <Badge {...stateWords(state)} />}
      </div>
      <code>{link.url}</code>
      <div class="row">
        <CopyButton text={link.url} of={link.name} />
        <button class="button little" aria-label={t("links.qr.show", { name: link.name })} onClick={onCode}>
          {t("links.qr")}
        </button>
        {isOwn && (
          <button
            class="button plain little"
            aria-label={t("links.remove.of", { name: link.name })}
            onClick={onRemove}
          >
            {t("links.remove")}
          </button>
        )}
      </div>
    </li>
  );
}
