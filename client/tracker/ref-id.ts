/** Invisible characters, which are copied with links. */
const INVISIBLE = /\p{Cf}/gu;
/** Punctuation that surrounds links in sentences. */
const SURROUNDINGS = /^[\s/.)@,]+|[\s/.)@,]+$/g;

/** A ref id in the form that is stored and compared, also by the server. Empty if nothing is left of it. */
export const cleanRefId = (text: string): string =>
  text.toLowerCase().replace(INVISIBLE, "").replace(SURROUNDINGS, "");
