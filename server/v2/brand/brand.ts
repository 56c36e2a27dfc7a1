import { z } from "zod";
import type { Account } from "../../domain/program/account/account.ts";
import {
  brandOf,
  changeBrand,
  promoterSender,
  shownBrand,
  brandColors,
} from "../../domain/program/account/brand.ts";
import { Failure } from "../../failure.ts";
import { field } from "../../http/fields.ts";
import { readQuery } from "../../http/parameters/form.ts";
import { readJson } from "../../http/parameters/json.ts";
import { readUpload } from "../../http/parameters/upload.ts";
import { word } from "../../input/fields.ts";
import { shapeChanges, shapeInput } from "../../input/shape.ts";
import { mailAddress } from "../affiliate/own-fields.ts";
import type { V2Operation, V2Request, V2Row } from "../operation.ts";

/** Every page and every e-mail loads the logo. */
const MAX_IMAGE_BYTES = 1024 * 1024;
const NAME_LENGTH = 100;

/** A name for a header of e-mails: a line break would start another header, and `<` an address. */
const headerName = word(NAME_LENGTH).regex(/^[^\p{Cc}<>]*$/u, "must not contain line breaks, < or >");
const color = word(20)
  .transform((value) => value.toLowerCase())
  .refine((value) => /^#[\da-f]{6}$/.test(value), "must be a colour such as #0b6e69");

const brandBody = z
  .object({
    name: field(
      headerName.nullable(),
      "The company's name for promoters, or null for the name of the account.",
      "Acme",
    ),
    color: field(
      color.nullable(),
      "The colour of buttons, links and marks, or null for the usual one. Links get a near colour that can be read.",
      "#ff6600",
    ),
    sender_name: field(
      headerName.nullable(),
      "The name that e-mails to promoters come from, or null for the brand's name.",
      "Acme Partners",
    ),
    reply_to: field(
      mailAddress.nullable(),
      "The address that gets promoters' replies to e-mails, or null for the sender's.",
      "partners@acme.example",
    ),
  })
  .partial();

const shape = brandBody.shape;

const hex = (meaning: string, example: string) => field(z.string(), meaning, example);

const schemeColors = z.object({
  link: hex("Links and marks: your colour, or one near it that can be read.", "#b34700"),
  link_hover: hex("The same under the pointer.", "#863500"),
  soft: hex("The background of the chosen page in the navigation.", "#ffefe6"),
});

const colorsAnswer = z
  .object({
    button: hex("The background of buttons: your colour.", "#ff6600"),
    button_hover: hex("The same under the pointer.", "#ff8533"),
    on_button: hex("The text on buttons: black or white, which is easier to read.", "#000000"),
    light: field(schemeColors, "On light pages, and in e-mails."),
    dark: field(schemeColors, "On dark pages."),
  })
  .meta({ id: "BrandColors" });

export const shownBrandAnswer = z
  .object({
    name: field(z.string(), "The company's name for promoters.", "Acme"),
    logo_url: field(
      z.string().nullable(),
      "Where the logo is, or null if there is none.",
      "https://track.example.com/uploads/q3kPz0Yc8Vw1Rb6Xn5Tj2M.png",
    ),
    favicon_url: field(
      z.string().nullable(),
      "Where the icon of the pages is, or null if there is none.",
      "https://track.example.com/uploads/Xn5Tj2Mq3kPz0Yc8Vw1Rb6.png",
    ),
    colors: field(colorsAnswer.nullable(), "The colours of the pages, or null for the usual ones."),
  })
  .meta({ id: "ShownBrand" });
const brandAnswer = z
  .object({
    name: field(z.string().nullable(), shape.name),
    color: field(z.string().nullable(), shape.color),
    sender_name: field(z.string().nullable(), shape.sender_name),
    reply_to: field(z.string().nullable(), shape.reply_to),
    shown: field(shownBrandAnswer, "What promoters see."),
    sender: field(
      z
        .object({
          from: field(z.string(), "The From header.", "Acme Partners <mail@tidemark.example>"),
          reply_to: field(
            z.string().nullable(),
            "The Reply-To header, or null if there is none.",
            "partners@acme.example",
          ),
        })
        .nullable(),
      "The sender of e-mails to promoters, or null if mail is not set up.",
    ),
  })
  .meta({ id: "Brand" });

const showBrandOperation: V2Operation = {
  id: "getBrand",
  summary: "Show the brand",
  description: "Shows how promoters see the company: on the portal, on sign-up pages and in e-mails.",
  answer: brandAnswer,
  handle: (request) => Promise.resolve(brandJson(request, request.account)),
};

const changeBrandOperation: V2Operation = {
  id: "updateBrand",
  summary: "Change the brand",
  description:
    "Changes how promoters see the company. What you leave out stays, and null removes a field. The images have operations of their own.",
  example: { name: "Acme", color: "#ff6600" },
  body: brandBody,
  answer: brandAnswer,
  refusals: ["invalid"],
  async handle(request) {
    const { event, account, context } = request;
    const body = shapeChanges(brandBody, await readJson(event));
    const { after } = await context.store.transact((tx) => changeBrand(tx, account.id, body));
    return brandJson(request, after);
  },
};

const colorParams = z.object({ color: field(color, "The colour to try.", "#ff6600") });

const previewColorsOperation: V2Operation = {
  id: "previewBrandColors",
  summary: "Preview the colours of a brand",
  description:
    "Shows the colours that pages and e-mails would have. Texts have a contrast of at least 4.5 on their background. Saves nothing.",
  params: colorParams,
  answer: colorsAnswer,
  refusals: ["invalid"],
  handle: ({ event }) =>
    Promise.resolve(colorsJson(brandColors(shapeInput(colorParams, readQuery(event)).color))),
};

/** The images of a brand. */
type Image = "logo" | "favicon";

const IMAGES = {
  logo: {
    id: "BrandLogo",
    words: "the logo",
    file: "The image: a part of a multipart form, or its bytes in base64 in JSON. PNG, JPEG, GIF or WebP, at most 1 MiB.",
  },
  favicon: {
    id: "BrandFavicon",
    words: "the icon of the pages",
    file: "The icon: a part of a multipart form, or its bytes in base64 in JSON. PNG or ICO, at most 1 MiB.",
  },
} as const;

function changeImage(image: Image): V2Operation {
  const { id, words, file } = IMAGES[image];
  return {
    id: `upload${id}`,
    summary: `Upload ${words}`,
    description: `Replaces ${words}. Its format is found in its bytes. It gets a new address, and the former file is deleted.`,
    body: z.object({ file: field(z.string(), file, "data:image/png;base64,iVBORw0KGgo=") }),
    answer: brandAnswer,
    refusals: ["invalid", "too_large"],
    async handle(request) {
      const { event, account, context, uploads } = request;
      const { file: bytes } = await readUpload(event, MAX_IMAGE_BYTES);
      if (bytes === null)
        throw new Failure("invalid", "Validation failed: file can't be blank", { file: ["can't be blank"] });
      const kept = await uploads.keep(bytes, image);
      const changing = context.store.transact((tx) => changeBrand(tx, account.id, { [image]: kept }));
      const { before, after } = await changing.catch(async (error: unknown) => {
        await uploads.remove(kept.name);
        throw error;
      });
      await removeImage(request, before, image);
      return brandJson(request, after);
    },
  };
}

function deleteImage(image: Image): V2Operation {
  const { id, words } = IMAGES[image];
  return {
    id: `delete${id}`,
    summary: `Delete ${words}`,
    description: `Deletes ${words} with its file.`,
    answer: brandAnswer,
    async handle(request) {
      const { account, context } = request;
      const { before, after } = await context.store.transact((tx) =>
        changeBrand(tx, account.id, { [image]: null }),
      );
      await removeImage(request, before, image);
      return brandJson(request, after);
    },
  };
}

/** The paths are below `/api/v2/company`. */
export const BRAND_OPERATIONS: V2Row[] = [
  ["GET", "/brand", showBrandOperation],
  ["PUT", "/brand", changeBrandOperation],
  ["GET", "/brand/colors", previewColorsOperation],
  ["PUT", "/brand/logo", changeImage("logo")],
  ["DELETE", "/brand/logo", deleteImage("logo")],
  ["PUT", "/brand/favicon", changeImage("favicon")],
  ["DELETE", "/brand/favicon", deleteImage("favicon")],
];

/** Removes the file that an account had. */
async function removeImage({ uploads }: V2Request, before: Account, image: Image): Promise<void> {
  const file = brandOf(before)[image];
  if (file !== null) await uploads.remove(file.name);
}

function brandJson({ public_url, mail }: V2Request, account: Account): z.output<typeof brandAnswer> {
  const { name, color: given, sender_name, reply_to } = brandOf(account);
  const sender = mail?.senderOf(promoterSender(account)) ?? null;
  return {
    name,
    color: given,
    sender_name,
    reply_to,
    shown: shownBrandJson(account, public_url),
    sender: sender && { from: sender.from, reply_to: sender.reply_to },
  };
}

/** A company's brand as promoters see it. */
export function shownBrandJson(account: Account, publicUrl: string): z.output<typeof shownBrandAnswer> {
  const { name, logoUrl, faviconUrl, colors } = shownBrand(account, publicUrl);
  return {
    name,
    logo_url: logoUrl,
    favicon_url: faviconUrl,
    colors: colors && colorsJson(colors),
  };
}

/** A brand's colours. */
function colorsJson({
  button,
  buttonHover,
  onButton,
  light,
  dark,
}: NonNullable<ReturnType<typeof shownBrand>["colors"]>): z.output<typeof colorsAnswer> {
  return {
    button,
    button_hover: buttonHover,
    on_button: onButton,
    light: { link: light.link, link_hover: light.linkHover, soft: light.soft },
    dark: { link: dark.link, link_hover: dark.linkHover, soft: dark.soft },
  };
}
