import type { Catalogue } from "./en.ts";

const texts: Catalogue["texts"] = {
  "unit.credits": "{count, plural, one {# crédit} other {# crédits}}",
  "unit.points": "{count, plural, one {# point} other {# points}}",
  "unit.free_months": "{count, plural, one {# mois gratuit} other {# mois gratuits}}",
  "unit.mon_discount": "{count, plural, other {# mois de remise}}",
  "unit.discount_per": "{count, plural, other {# % de remise}}",
  "unit.name.credits": "crédits",
  "unit.name.points": "points",
  "unit.name.free_months": "mois gratuits",
  "unit.name.mon_discount": "mois de remise",
  "unit.name.discount_per": "pour cent de remise",
  earn: "Vous gagnez {given}{base}{sales}{length}{condition}.",
  "earn.once": "Vous gagnez une fois {given}{condition}.",
  "earn.and": "{one} et {other}",
  "earn.and_if": "{one}, et {other}",
  "earn.goal": "{share} de la vente qui atteint l’objectif",
  "earn.unit": "{share} en {unit}",
  "base.share": " de chaque vente",
  "base.flat": " pour chaque vente",
  "base.share.below": " de chaque vente {promoters}",
  "base.flat.below": " pour chaque vente {promoters}",
  "base.earned.below": " de ce que rapporte chaque vente {promoters}",
  "base.left.below": " de ce qui reste de chaque vente {promoters}",
  "below.next": "des partenaires que vous recrutez",
  "below.far":
    "{levels, plural, one {des partenaires # niveau au-dessous de vous} other {des partenaires # niveaux au-dessous de vous}}",
  "sales.monthly": " d’un abonnement mensuel",
  "sales.yearly": " d’un abonnement annuel",
  "sales.one_time": " sans abonnement",
  "sales.specific": " de certains produits",
  "sales.products": " de {products}",
  "length.once": ", pour la première vente à un client seulement",
  "length.always": ", tant que le client achète",
  "length.months": ", pendant {months, plural, other {# mois}} après la première vente au client",
  "rule.first": ", si {rule}",
  "rule.and": "{rules} et {rule}",
  "rule.or": "{rules} ou {rule}",
  "rule.price": "{rule} (formule {price})",
  "operator.less than": "inférieur à",
  "operator.less than or equal to": "inférieur ou égal à",
  "operator.equal to": "égal à",
  "operator.greater than or equal to": "supérieur ou égal à",
  "operator.greater than": "supérieur à",
  "operator.multiple of": "un multiple de",
  "approval.review": "Chaque commission est examinée avant d’être approuvée.",
  "approval.now": "Les commissions sont approuvées immédiatement.",
  "approval.days":
    "Les commissions sont approuvées {days, plural, one {# jour} other {# jours}} après la vente.",
  paying: "Les commissions approuvées pendant {period} sont versées {when}{least}.",
  "paying.monthly": "un mois",
  "paying.biweekly": "deux semaines",
  "paying.weekly": "une semaine",
  "paying.end": "à la fin de cette période",
  "paying.days":
    "{days, plural, one {# jour après la fin de cette période} other {# jours après la fin de cette période}}",
  "paying.least": ", si elles atteignent ensemble au moins {amount}",
  click:
    "Un clic compte pendant {days, plural, one {# jour} other {# jours}} : toute personne qui s’inscrit dans ce délai vous revient. {whose}",
  "click.last": "Si un visiteur a suivi les liens de plusieurs partenaires, le dernier compte.",
  "click.first": "Si un visiteur a suivi les liens de plusieurs partenaires, le premier compte.",
  "reason.buyer": " à {lead}",
  "reason.corrected": "Corrigée, car le montant exact d’une vente{buyer} est désormais connu.",
  "reason.won": "Rendue, car un litige sur une vente{buyer} a été gagné.",
  "reason.refunded": "Reprise, car une vente{buyer} a été remboursée.",
  "reason.share": "{share} d’une vente de {amount}{buyer}{split}.",
  "reason.share.below":
    "{share} d’une vente de {amount}{buyer} faite par un partenaire au-dessous de vous (niveau {level}){split}.",
  "reason.flat": "« {reward} » pour une vente de {amount}{buyer}{split}.",
  "reason.flat.below":
    "« {reward} » pour une vente de {amount}{buyer} faite par un partenaire au-dessous de vous (niveau {level}){split}.",
  "reason.split": ", dont votre part est de {share}",
  "reason.reward": "Récompense",
  "reason.sale": "Pour une vente de {amount}{buyer}.",
  "reason.by_hand": "Accordée à la main.",
  "reason.set_off":
    "Compensée entre deux campagnes : ce que vous deviez dans l'une a été payé par ce que vous avez gagné dans une autre.",
  "payment.unclaimed":
    "L’argent vous attend. Connectez-vous au prestataire avec l’adresse de votre mode de paiement, et acceptez-le.",
  "payment.failed": "Le paiement a échoué. Vérifiez votre mode de paiement, ou choisissez-en un autre.",
  "payment.returned": "L’argent est revenu. Vérifiez votre mode de paiement, ou choisissez-en un autre.",
  "paper.invoice": "Facture (autofacturation)",
  "paper.credit_note": "Avoir (autofacturation)",
  "paper.draft": "Brouillon",
  "paper.number": "Numéro",
  "paper.date": "Date",
  "paper.cancels": "Annule la facture",
  "paper.supplier": "Fournisseur",
  "paper.customer": "Client",
  "paper.vat_id": "N° de TVA {number}",
  "paper.tax_number": "N° fiscal {number}",
  "paper.registration_number": "N° d’immatriculation {number}",
  "paper.commissions": "Commissions d’apport d’affaires",
  "paper.payout": "Paiement",
  "paper.campaign": "Campagne",
  "paper.period": "Période",
  "paper.period.days": "du {from} au {to}",
  "paper.amount": "Montant",
  "paper.net": "Montant HT",
  "paper.tax": "TVA, {rate} %",
  "paper.total": "Total TTC",
  "paper.reverse_charge":
    "Autoliquidation : la TVA est due par le client (articles 44 et 196 de la directive 2006/112/CE).",
  "paper.self_billing":
    "Établi par {company} au nom et pour le compte de {promoter}, qui l’a accepté le {date} (version {version} de l’accord).",
  "method.bank": "virement bancaire",
  "method.crypto": "portefeuille crypto",
  "method.custom": "un autre moyen",
  "method.paypal": "PayPal",
  "method.wise": "Wise",
  "method.dots": "Dots",
  "page.portal": "Portail des partenaires",
  "page.join": "Devenir partenaire",
  "page.no_script": "Cette page a besoin de JavaScript",
  "page.no_script.text": "Autorisez les scripts pour cette adresse, puis rechargez la page.",
  "page.no_script.api": "Les programmes peuvent faire tout cela par l’API :",

  // pages that promoters reach by a link
  "page.emails": "E-mails",
  "page.emails.ask": "Voulez-vous ne plus recevoir ces e-mails ?",
  "page.emails.stop": "Se désabonner",
  "page.emails.stopped": "Vous ne recevrez plus ces e-mails.",
  "page.method": "Votre mode de paiement",
  "page.method.ask":
    "Quelqu’un d’autre a-t-il changé votre mode de paiement ? Si oui, appuyez sur le bouton. Vous ne serez pas payé avant que l’entreprise vous ait parlé.",
  "page.method.not_me": "Ce n’était pas moi",
  "page.method.held":
    "Merci. Vos versements sont suspendus, et l’entreprise est prévenue. Choisissez maintenant un nouveau mot de passe dans votre portail, et vérifiez votre mode de paiement.",
  "page.link.used": "Ce lien a déjà été utilisé.",
  "page.link.invalid": "Ce lien n’est pas valable.",
  "page.entry.used": "Ce lien vient d’être utilisé. Il fonctionnera de nouveau dans une minute.",
  "page.entry.too_many": "Il y a eu trop de tentatives de connexion. Réessayez dans quelques minutes.",
  "page.entry.current": "Vous êtes connecté en tant que {name}.",
  "page.entry.ask": "Se connecter en tant que {name} ?",
  "page.entry.change": "Se connecter en tant que {name}",
  "page.entry.stay": "Rester connecté en tant que {name}",
};

const portal = "Vous trouverez tout dans votre portail : {{portal_url}}";
const notYou = "Si vous n’avez rien demandé, ignorez cet e-mail.";
const confirmation = {
  subject: "Confirmez votre adresse pour {{campaign_name}}",
  paragraphs: [
    "Une candidature à {{campaign_name}} de {{company_name}} a été envoyée avec cette adresse e-mail. Si c’était vous, ouvrez ce lien pour confirmer l’adresse :",
    "{{sign_in_url}}",
    "Si ce n’était pas vous, ignorez cet e-mail.",
  ],
};

const mails: Catalogue["mails"] = {
  signup_accepted: {
    subject: "Bienvenue à {{campaign_name}}",
    paragraphs: [
      "Vous êtes maintenant partenaire de {{company_name}}. Voici votre lien. Il nous dit quels visiteurs viennent de vous :",
      "{{ref_link}}",
      "{{offer}}",
      portal,
    ],
  },
  accepted: {
    subject: "Votre candidature à {{campaign_name}} est acceptée",
    paragraphs: [
      "{{company_name}} a accepté votre candidature. Voici votre lien. Il nous dit quels visiteurs viennent de vous :",
      "{{ref_link}}",
      "{{offer}}",
      portal,
    ],
  },
  rejected: {
    subject: "Votre candidature à {{campaign_name}}",
    paragraphs: [
      "Merci de votre intérêt. {{company_name}} ne peut pas vous accueillir dans {{campaign_name}} pour le moment.",
    ],
  },
  new_referral: {
    subject: "Vous avez un nouveau lead",
    paragraphs: ["Une personne s’est inscrite chez {{company_name}} par votre lien {{ref_link}}.", portal],
  },
  new_referrals: {
    subject: "Vous avez d’autres nouveaux leads",
    paragraphs: [
      "D’autres personnes se sont inscrites chez {{company_name}} par votre lien {{ref_link}}. Leur nombre : {{count}}.",
      portal,
    ],
  },
  new_commission: {
    subject: "Vous avez gagné une commission",
    paragraphs: ["{{company_name}} vous a crédité {{amount}} pour {{campaign_name}}.", portal],
  },
  payout_sent: {
    subject: "Votre versement est parti",
    paragraphs: ["{{company_name}} vous a versé {{amount}} pour {{campaign_name}}.", portal],
  },
  new_links: {
    subject: "Votre nouveau lien pour {{campaign_name}}",
    paragraphs: [
      "{{company_name}} a déplacé son programme vers un nouveau système. Vos gains ont été conservés. Voici désormais votre lien :",
      "{{ref_link}}",
      "Remplacez partout votre ancien lien par celui-ci.",
      portal,
    ],
  },
  sign_in_link: {
    subject: "Votre lien vers {{company_name}}",
    paragraphs: ["Ce lien vous connecte. Il sert une fois, pendant 15 minutes :", "{{sign_in_url}}", notYou],
  },
  join_accepted: confirmation,
  join_waiting: confirmation,
  promoter_invitation: {
    subject: "{{company_name}} vous invite à {{campaign_name}}",
    paragraphs: [
      "{{company_name}} a fait de vous un partenaire de {{campaign_name}}.",
      "{{message}}",
      "{{offer}}",
      "Voici votre lien. Il nous dit quels visiteurs viennent de vous :",
      "{{ref_link}}",
      "Ouvrez ce lien pour choisir un mot de passe pour votre portail, où vous voyez ce que vous avez gagné. Il sert une fois, pendant sept jours :",
      "{{sign_in_url}}",
    ],
  },
  payout_method_changed: {
    subject: "Votre mode de paiement a été changé",
    paragraphs: [
      "Votre mode de paiement chez {{company_name}} a été changé le {{changed_on}}. Vous serez désormais payé ainsi : {{method}}. Si c’était vous, tout va bien.",
      "Si ce n’était pas vous, ouvrez ce lien. Il sert une fois, et {{company_name}} ne vous versera rien avant de vous avoir parlé :",
      "{{not_me_url}}",
    ],
  },
  payment_unclaimed: {
    subject: "{{amount}} vous attendent",
    paragraphs: [
      "{{company_name}} vous a payé {{amount}} par {{provider}}. L’argent vous y attend : connectez-vous avec l’adresse de votre mode de paiement, et acceptez-le. Sinon, il repartira après quelques semaines.",
      portal,
    ],
  },
  payment_failed: {
    subject: "Votre paiement de {{amount}} a échoué",
    paragraphs: [
      "{{company_name}} voulait vous payer {{amount}} par {{provider}}, mais {{provider}} n’a pas pu le faire. Vous n’avez rien perdu : le montant vous est toujours dû. Vérifiez votre mode de paiement, ou choisissez-en un autre.",
      portal,
    ],
  },
  payment_returned: {
    subject: "Votre paiement de {{amount}} est revenu",
    paragraphs: [
      "{{company_name}} vous a payé {{amount}} par {{provider}}, et l’argent est revenu. Vous n’avez rien perdu : le montant vous est toujours dû. Vérifiez votre mode de paiement, ou choisissez-en un autre.",
      portal,
    ],
  },
  stripe_incomplete: {
    subject: "Stripe a besoin d’autres informations",
    paragraphs: [
      "{{company_name}} ne peut pas vous payer par Stripe pour le moment, car Stripe a besoin d’autres informations de votre part. Continuez le formulaire de Stripe depuis votre portail : {{portal_url}}",
    ],
  },
  stripe_ready: {
    subject: "Vous pouvez être payé par Stripe",
    paragraphs: [
      "Votre compte Stripe est prêt, et {{company_name}} peut vous payer par ce compte. Vous n’avez rien à faire.",
    ],
  },
  stripe_restricted: {
    subject: "Vous ne pouvez pas être payé par Stripe pour le moment",
    paragraphs: [
      "Votre compte Stripe est limité, et {{company_name}} ne peut pas vous payer par ce compte pour le moment. Vous n’avez rien perdu. Votre portail indique ce que vous pouvez faire ; vous pouvez aussi y choisir un autre mode de paiement : {{portal_url}}",
    ],
  },
  address_known: {
    subject: "Vous avez déjà un compte chez {{company_name}}",
    paragraphs: [
      "Une inscription à {{campaign_name}} a été tentée avec votre adresse e-mail. Vous avez déjà un compte. Si c’était vous, ce lien vous connecte. Il sert une fois, pendant 15 minutes :",
      "{{sign_in_url}}",
      notYou,
    ],
  },
};

const frame = {
  greeting: "Bonjour {{first_name}},",
  hello: "Bonjour,",
  open: "Continuer",
  unsubscribe: "Ne plus recevoir ces e-mails :",
};

export const fr: Catalogue = { texts, mails, frame };
