import { brand } from "../brand.ts";

/** The company's logo, or otherwise its name. The dashboard has our mark, which would pass for the company's elsewhere. */
export function Logo({ name }: { name: string }) {
  const shown = brand.value;
  const address = shown?.logo_url ?? null;
  if (address !== null) return <img class="logo" src={address} alt={name} />;
  return (
    <>
      {shown === null && <Mark />}
      <span class="one-line">{name}</span>
    </>
  );
}

/** Our mark: a tide and its mark. */
function Mark() {
  return (
    <svg
      width="22"
      height="22"
      viewBox="0 0 22 22"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      aria-hidden="true"
    >
      <path
        d="M2 7h18M2 12.5c3 0 3-2 6-2s3 2 6 2 3-2 6-2M2 17.5c3 0 3-2 6-2s3 2 6 2 3-2 6-2"
        stroke-linecap="round"
      />
    </svg>
  );
}
