import { answer, api, page } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Copyable, Paste } from "../../ui/feedback/copy.tsx";
import { Await, Empty } from "../../ui/feedback/state.tsx";
import { Page } from "../../ui/shell/page.tsx";

type Asset = components["schemas"]["PortalAsset"];

/** How many assets are shown. */
const MOST = 100;

/** Banners, texts, pages and documents, each with the promoter's own link. */
export function Assets() {
  const loaded = useLoad(loadGroups);
  return (
    <Page title="Banners and texts">
      <Await loaded={loaded}>
        {(groups) =>
          groups.length === 0 ? (
            <Empty title="Nothing here yet">
              <p>When the company adds banners or texts for you, they appear here with your link in them.</p>
            </Empty>
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
  const others = { title: "For you", assets: rows.filter(({ category }) => category === null) };
  return [...named, others].filter(({ assets }) => assets.length > 0);
}

function AssetCard({ of: asset }: { of: Asset }) {
  const link = asset.links[0]?.url ?? "";
  return (
    <article class="card stack" aria-label={asset.name}>
      <h3>{asset.name}</h3>
      {asset.asset_type === "image" && <Banner of={asset} link={link} />}
      {asset.asset_type === "text" && <Paste text={asset.content ?? ""} of={`the text ${asset.name}`} />}
      {asset.asset_type === "document" && (
        <div>
          <a class="button" href={asset.url ?? ""} download>
            Download<span class="unseen"> {asset.name}</span>
          </a>
        </div>
      )}
      {(asset.asset_type === "link" || asset.asset_type === "document") && (
        <Copyable text={link} of={`your link for ${asset.name}`} />
      )}
    </article>
  );
}

function Banner({ of: { name, url, details }, link }: { of: Asset; link: string }) {
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
      <p class="soft">Paste these lines into your page. They contain your link.</p>
      <Paste text={html} of={`the HTML of ${name}`} />
      <div class="row">
        <a class="button" href={url ?? ""} download>
          Download<span class="unseen"> {name}</span>
        </a>
        {width !== null && (
          <span class="soft">
            {width} × {height} pixels
          </span>
        )}
      </div>
    </>
  );
}

/** Escapes a text for a quoted attribute. */
function attribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
