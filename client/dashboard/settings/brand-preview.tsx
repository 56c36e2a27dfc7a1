import type { components } from "../../ui/api/types.ts";
import { USUAL } from "../../ui/brand.ts";

export type Colors = components["schemas"]["BrandColors"];

interface PreviewProps {
  name: string;
  /** The address of the logo, or null. */
  logo: string | null;
  /** Null for the usual ones. */
  colors: Colors | null;
  sender: string;
  /** Empty: the sender. */
  replyTo: string;
}

/** The portal on light and on dark screens, and an e-mail, while the brand is edited. */
export function BrandPreview({ name, logo, colors, sender, replyTo }: PreviewProps) {
  const { button, on_button: onButton, light, dark } = colors ?? USUAL;
  const head = logo === null ? <strong>{name}</strong> : <img class="logo" src={logo} alt={name} />;
  const main = (
    <span class="preview-button" style={{ backgroundColor: button, color: onButton }}>
      Copy my link
    </span>
  );
  return (
    <section class="card stack" aria-label="Preview">
      <h2>Preview</h2>
      <div class="grid">
        <Portal scheme="light" title="Portal, light">
          {head}
          <span style={{ backgroundColor: light.soft }}>Home</span>
          <u style={{ color: light.link }}>A link</u>
          {main}
        </Portal>
        <Portal scheme="dark" title="Portal, dark">
          {head}
          <span style={{ backgroundColor: dark.soft }}>Home</span>
          <u style={{ color: dark.link }}>A link</u>
          {main}
        </Portal>
        <Portal scheme="light" title="E-mail">
          <span class="small">From: {sender}</span>
          {replyTo !== "" && <span class="small">Reply to: {replyTo}</span>}
          {head}
          <p>Hello Jane, your payout was sent.</p>
          <span class="preview-button" style={{ backgroundColor: button, color: onButton }}>
            Continue
          </span>
          <u style={{ color: light.link }}>Unsubscribe from these e-mails</u>
        </Portal>
      </div>
    </section>
  );
}

function Portal({
  scheme,
  title,
  children,
}: {
  scheme: "light" | "dark";
  title: string;
  children: preact.ComponentChildren;
}) {
  return (
    <figure class="stack tight">
      <figcaption class="small soft">{title}</figcaption>
      <div class={`brand-preview ${scheme}`}>{children}</div>
    </figure>
  );
}
