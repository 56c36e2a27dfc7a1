import { useLoad } from "../../ui/api/load.ts";
import { CopyButton } from "../../ui/feedback/copy.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { Page } from "../../ui/shell/page.tsx";
import { Badge } from "../../ui/feedback/badge.tsx";
import { loadJoined } from "../campaigns/joined.ts";
import { AgreementsNotice } from "../session/agreements.tsx";
import { NoCampaign } from "../campaigns/no-campaign.tsx";
import { QrDownloads } from "../download.tsx";
import { stateWords } from "../words.ts";
import { Course } from "./course.tsx";
import { Terms } from "./terms.tsx";
import { Earned } from "./earned.tsx";
import { News } from "./news.tsx";
import { QrCode } from "../../ui/feedback/qr-code.tsx";
import { t } from "../../languages/messages.ts";

/** How many campaigns' links are shown here. The page of links has all. */
const SHOWN = 3;

/** The start page: the link first, then what it has earned. */
export function Home() {
  return (
    <Page title={t("page.home")}>
      <div class="stack wide">
        <AgreementsNotice />
        <News />
        <YourLinks />
        <Earned />
        <Terms />
        <Course />
      </div>
    </Page>
  );
}

function YourLinks() {
  const loaded = useLoad(loadJoined);
  return (
    <Await loaded={loaded}>
      {(rows) => (
        <div class="stack">
          {rows.length === 0 && <NoCampaign />}
          {rows.slice(0, SHOWN).map((joined) => (
            <section
              key={joined.id}
              class="card link-card"
              aria-label={t("home.link.of", { campaign: joined.campaign.name })}
            >
              <div class="stack">
                <div class="row">
                  <h2>{t("home.link")}</h2>
                  <span class="soft">{joined.campaign.name}</span>
                  {joined.state !== "accepted" && <Badge {...stateWords(joined.state)} />}
                </div>
                <p class="row big-link">
                  <code>{joined.ref_link}</code>
                  <CopyButton text={joined.ref_link} of={t("home.link.copy")} />
                </p>
                <p class="small soft">
                  {t(joined.state === "accepted" ? "home.link.text" : "home.link.waiting")}
                </p>
                <div>
                  <a class="button" href="/portal/links">
                    {t("home.link.more")}
                  </a>
                </div>
              </div>
              <div class="stack tight">
                <QrCode
                  text={joined.ref_link}
                  label={t("home.link.qr", { campaign: joined.campaign.name })}
                />
                <QrDownloads url={joined.ref_link} name={joined.campaign.name} />
              </div>
            </section>
          ))}
        </div>
      )}
    </Await>
  );
}
