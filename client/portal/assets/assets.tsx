import { answer, api, page } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Copyable, Paste } from "../../ui/feedback/copy.tsx";
import { Await, Empty } from "../../ui/feedback/state.tsx";
import { count } from "../../ui/format.ts";
import { Page } from "../../ui/shell/page.tsx";
import { t } from "../../languages/messages.ts";

type Asset = components["schemas"]["PortalAsset"];

/** How many assets are shown. */
const MOST = 100;

/** Banners, texts, pages and documents, each with the promoter's own link. */
export function Assets() {
  const loaded = useLoad(loadGroups);
  return (
    <Page title={t("page.assets")}>
      <Await loaded={loaded}>
        {(groups) =>
          groups.length === 0 ? (
            <div class="card">
              <Empty title={t("assets.none")}>
                <p>{t("assets.none.text")}</p>
              </Empty>
            </div>
          ) : (
            <div class="stack wide">
              {groups.map(({ title, assets }) => (
                <section key={title} class="stack" aria-label={title}>
                  <h2>{title}</h2>
                  {assets.map((asset) => (
                    <AssetCard key={asset.id} of={asset} />
                  ))}
                </section>
              ))}
            </div>
          )
        }
      </Await>
    </Page>
  );
}

interface Group {
  title: string;
  assets: Asset[];
}

/** The assets under the company's headings, in order. Those without a heading come last. */
async function loadGroups(): Promise<Group[]> {
  const [{ rows }, categories] = await Promise.all([
    page(api.GET("/api/v2/affiliate/assets", { params: { query: { per_page: MOST } } })),
    answer(api.GET("/api/v2/affiliate/asset_categories")),
  ]);
  const named = categories.map(({ name }) => ({
    title: name,
    assets: rows.filter(({ category }) => category === name),
  }));
  const others = { title: t("assets.others"), assets: rows.filter(({ category }) => category === null) };
  return [...named, others].filter(({ assets }) => assets.length > 0);
}

function AssetCard({ of: asset }: { of: Asset }) {
  const link = asset.links[0]?.url ?? "";
  return (
    <article class="card stack" aria-label={asset.name}>
      <h3>{asset.name}</h3>
      {asset.asset_type === "image" && <Banner of={asset} link={link} />}
      {asset.asset_type === "text" && (
        <Paste text={asset.content ?? ""} of={t("assets.text.copy", { name: asset.name })} />
      )}
      {asset.asset_type === "document" && (
        <div>
          <Download of={asset} />
        </div>
      )}
      {(asset.asset_type === "link" || asset.asset_type === "document") && (
        <Copyable text={link} of={t("assets.link.copy", { name: asset.name })} />
      )}
    </article>
  );
}

function Download({ of: { name, url } }: { of: Asset }) {
  return (
    <a class="button" href={url ?? ""} download aria-label={t("assets.download.of", { name })}>
      {t("assets.download")}
    </a>
  );
}

function Banner({ of: asset, link }: { of: Asset; link: string }) {
  const { name, url, details } = asset;
  const { width, height } = details.image_size;
  const size = width === null ? "" : ` width="${width}" height="${height}"`;
  const html = `<a href="${attribute(link)}"><img src="${attribute(url ?? "")}"${size} alt="${attribute(name)}"></a>`;
  return (
    <>
      {details.file_format !== null && (
        <img
          class="banner"
          src={url ?? ""}
          width={width ?? undefined}
          height={height ?? undefined}
          alt={name}
        />
      )}
      <p class="soft">{t("assets.paste")}</p>
      <Paste text={html} of={t("assets.html.copy", { name })} />
      <div class="row">
        <Download of={asset} />
        {width !== null && (
          <span class="soft">{t("assets.size", { width: count(width), height: count(height) })}</span>
        )}
      </div>
    </>
  );
}

/** Escapes a text for a quoted attribute. */
function attribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
