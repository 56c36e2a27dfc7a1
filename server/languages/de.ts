import type { Catalogue } from "./en.ts";

const texts: Catalogue["texts"] = {
  "unit.credits": "{count, plural, one {# Guthabenpunkt} other {# Guthabenpunkte}}",
  "unit.points": "{count, plural, one {# Punkt} other {# Punkte}}",
  "unit.free_months": "{count, plural, one {# Gratismonat} other {# Gratismonate}}",
  "unit.mon_discount": "{count, plural, one {# Monat Rabatt} other {# Monate Rabatt}}",
  "unit.discount_per": "{count, plural, other {# % Rabatt}}",
  "unit.name.credits": "Guthabenpunkten",
  "unit.name.points": "Punkten",
  "unit.name.free_months": "Gratismonaten",
  "unit.name.mon_discount": "Monaten Rabatt",
  "unit.name.discount_per": "Prozent Rabatt",
  earn: "Sie verdienen {given}{base}{sales}{length}{condition}.",
  "earn.once": "Sie verdienen einmalig {given}{condition}.",
  "earn.and": "{one} und {other}",
  "earn.and_if": "{one}, und {other}",
  "earn.goal": "{share} des Verkaufs, der das Ziel erreicht",
  "earn.unit": "{share} in {unit}",
  "base.share": " jedes Verkaufs",
  "base.flat": " für jeden Verkauf",
  "base.share.below": " jedes Verkaufs von {promoters}",
  "base.flat.below": " für jeden Verkauf von {promoters}",
  "base.earned.below": " dessen, was jeder Verkauf von {promoters} einbringt",
  "base.left.below": " dessen, was von jedem Verkauf von {promoters} übrig bleibt",
  "below.next": "Partnern, die Sie werben",
  "below.far": "{levels, plural, one {Partnern # Ebene unter Ihnen} other {Partnern # Ebenen unter Ihnen}}",
  "sales.monthly": " eines Monatsabos",
  "sales.yearly": " eines Jahresabos",
  "sales.one_time": " ohne Abo",
  "sales.specific": " bestimmter Produkte",
  "sales.products": " ({products})",
  "length.once": ", nur für den ersten Verkauf an einen Kunden",
  "length.always": ", solange der Kunde kauft",
  "length.months":
    ", {months, plural, one {# Monat} other {# Monate}} lang ab dem ersten Verkauf an den Kunden",
  "rule.first": ", wenn {rule}",
  "rule.and": "{rules} und {rule}",
  "rule.or": "{rules} oder {rule}",
  "rule.price": "{rule} (Tarif {price})",
  "operator.less than": "kleiner als",
  "operator.less than or equal to": "höchstens",
  "operator.equal to": "gleich",
  "operator.greater than or equal to": "mindestens",
  "operator.greater than": "größer als",
  "operator.multiple of": "ein Vielfaches von",
  "approval.review": "Jede Provision wird geprüft, bevor sie freigegeben wird.",
  "approval.now": "Provisionen werden sofort freigegeben.",
  "approval.days":
    "Provisionen werden {days, plural, one {# Tag} other {# Tage}} nach dem Verkauf freigegeben.",
  paying: "Provisionen, die in {period} freigegeben wurden, werden {when} ausgezahlt{least}.",
  "paying.monthly": "einem Monat",
  "paying.biweekly": "zwei Wochen",
  "paying.weekly": "einer Woche",
  "paying.end": "am Ende dieses Zeitraums",
  "paying.days":
    "{days, plural, one {# Tag nach dem Ende dieses Zeitraums} other {# Tage nach dem Ende dieses Zeitraums}}",
  "paying.least": ", wenn sie zusammen mindestens {amount} ergeben",
  click:
    "Ein Klick zählt {days, plural, one {# Tag} other {# Tage}} lang: Wer sich in dieser Zeit registriert, wird Ihnen zugerechnet. {whose}",
  "click.last": "Ist jemand den Links mehrerer Partner gefolgt, zählt der letzte.",
  "click.first": "Ist jemand den Links mehrerer Partner gefolgt, zählt der erste.",
  "reason.buyer": " an {lead}",
  "reason.corrected": "Berichtigt, weil der genaue Betrag eines Verkaufs{buyer} bekannt wurde.",
  "reason.won": "Zurückgegeben, weil ein Streitfall über einen Verkauf{buyer} gewonnen wurde.",
  "reason.refunded": "Zurückgenommen, weil ein Verkauf{buyer} erstattet wurde.",
  "reason.share": "{share} eines Verkaufs über {amount}{buyer}{split}.",
  "reason.share.below":
    "{share} eines Verkaufs über {amount}{buyer} durch einen Partner unter Ihnen (Ebene {level}){split}.",
  "reason.flat": "„{reward}“ für einen Verkauf über {amount}{buyer}{split}.",
  "reason.flat.below":
    "„{reward}“ für einen Verkauf über {amount}{buyer} durch einen Partner unter Ihnen (Ebene {level}){split}.",
  "reason.split": ", davon ist Ihr Anteil {share}",
  "reason.reward": "Vergütung",
  "reason.sale": "Für einen Verkauf über {amount}{buyer}.",
  "reason.by_hand": "Ihnen von Hand gutgeschrieben.",
  "reason.set_off":
    "Zwischen zwei Kampagnen verrechnet: Was Sie in einer schuldeten, wurde mit dem beglichen, was Sie in einer anderen verdient haben.",
  "payment.unclaimed":
    "Das Geld wartet auf Sie. Melden Sie sich beim Zahlungsdienst mit der Adresse Ihres Auszahlungswegs an und nehmen Sie es an.",
  "payment.failed":
    "Die Zahlung ist fehlgeschlagen. Prüfen Sie Ihren Auszahlungsweg, oder wählen Sie einen anderen.",
  "payment.returned":
    "Das Geld ist zurückgekommen. Prüfen Sie Ihren Auszahlungsweg, oder wählen Sie einen anderen.",
  "paper.invoice": "Gutschrift",
  "paper.credit_note": "Stornierung einer Gutschrift",
  "paper.draft": "Entwurf",
  "paper.number": "Nummer",
  "paper.date": "Datum",
  "paper.cancels": "Storniert Gutschrift",
  "paper.supplier": "Leistender",
  "paper.customer": "Leistungsempfänger",
  "paper.vat_id": "USt-IdNr. {number}",
  "paper.tax_number": "Steuernummer {number}",
  "paper.registration_number": "Registernummer {number}",
  "paper.commissions": "Provisionen für Vermittlungen",
  "paper.payout": "Auszahlung",
  "paper.campaign": "Kampagne",
  "paper.period": "Zeitraum",
  "paper.period.days": "{from} bis {to}",
  "paper.amount": "Betrag",
  "paper.net": "Nettobetrag",
  "paper.tax": "Steuer, {rate} %",
  "paper.total": "Gesamtbetrag",
  "paper.reverse_charge":
    "Steuerschuldnerschaft des Leistungsempfängers (Artikel 44 und 196 der Richtlinie 2006/112/EG).",
  "paper.self_billing":
    "Ausgestellt von {company} im Namen von {promoter} mit Zustimmung vom {date} (Fassung {version} der Vereinbarung).",
  "method.bank": "Überweisung",
  "method.crypto": "Krypto-Wallet",
  "method.custom": "auf anderem Weg",
  "method.paypal": "PayPal",
  "method.wise": "Wise",
  "method.dots": "Dots",
  "page.portal": "Partnerportal",
  "page.join": "Partner werden",
  "page.no_script": "Diese Seite braucht JavaScript",
  "page.no_script.text": "Erlauben Sie Skripte für diese Adresse, und laden Sie die Seite neu.",
  "page.no_script.api": "Programme können all das über die API tun:",

  // pages that promoters reach by a link
  "page.emails": "E-Mails",
  "page.emails.ask": "Möchten Sie diese E-Mails abbestellen?",
  "page.emails.stop": "Abbestellen",
  "page.emails.stopped": "Sie erhalten diese E-Mails nicht mehr.",
  "page.method": "Ihr Auszahlungsweg",
  "page.method.ask":
    "Hat jemand anderes Ihren Auszahlungsweg geändert? Dann drücken Sie den Knopf. Sie werden nicht bezahlt, bis das Unternehmen mit Ihnen gesprochen hat.",
  "page.method.not_me": "Das war ich nicht",
  "page.method.held":
    "Danke. Ihre Auszahlungen sind angehalten, und das Unternehmen weiß Bescheid. Wählen Sie jetzt in Ihrem Portal ein neues Passwort, und prüfen Sie Ihren Auszahlungsweg.",
  "page.link.used": "Dieser Link wurde schon benutzt.",
  "page.link.invalid": "Dieser Link ist ungültig.",
  "page.entry.used": "Dieser Link wurde gerade eben benutzt. In einer Minute funktioniert er wieder.",
  "page.entry.too_many": "Es gab zu viele Anmeldeversuche. Versuchen Sie es in ein paar Minuten noch einmal.",
  "page.entry.current": "Sie sind als {name} angemeldet.",
  "page.entry.ask": "Als {name} anmelden?",
  "page.entry.change": "Als {name} anmelden",
  "page.entry.stay": "Als {name} angemeldet bleiben",
};

const portal = "Alles Weitere finden Sie in Ihrem Portal: {{portal_url}}";
const notYou = "Wenn Sie das nicht angefordert haben, ignorieren Sie diese E-Mail.";
const confirmation = {
  subject: "Bestätigen Sie Ihre Adresse für {{campaign_name}}",
  paragraphs: [
    "Mit dieser E-Mail-Adresse wurde eine Bewerbung für {{campaign_name}} von {{company_name}} abgeschickt. Wenn Sie das waren, öffnen Sie diesen Link, um die Adresse zu bestätigen:",
    "{{sign_in_url}}",
    "Wenn Sie es nicht waren, ignorieren Sie diese E-Mail.",
  ],
};

const mails: Catalogue["mails"] = {
  signup_accepted: {
    subject: "Willkommen bei {{campaign_name}}",
    paragraphs: [
      "Sie sind jetzt Partner von {{company_name}}. Das ist Ihr Link. An ihm erkennen wir, wen Sie zu uns geschickt haben:",
      "{{ref_link}}",
      "{{offer}}",
      portal,
    ],
  },
  accepted: {
    subject: "Sie wurden bei {{campaign_name}} angenommen",
    paragraphs: [
      "{{company_name}} hat Sie angenommen. Das ist Ihr Link. An ihm erkennen wir, wen Sie zu uns geschickt haben:",
      "{{ref_link}}",
      "{{offer}}",
      portal,
    ],
  },
  rejected: {
    subject: "Ihre Bewerbung für {{campaign_name}}",
    paragraphs: [
      "Vielen Dank für Ihr Interesse. {{company_name}} kann Sie zurzeit nicht bei {{campaign_name}} aufnehmen.",
    ],
  },
  new_referral: {
    subject: "Sie haben einen neuen Lead",
    paragraphs: ["Über Ihren Link {{ref_link}} hat sich jemand bei {{company_name}} registriert.", portal],
  },
  new_referrals: {
    subject: "Sie haben weitere neue Leads",
    paragraphs: [
      "Über Ihren Link {{ref_link}} haben sich weitere Personen bei {{company_name}} registriert. Ihre Zahl: {{count}}.",
      portal,
    ],
  },
  new_commission: {
    subject: "Sie haben eine Provision verdient",
    paragraphs: ["{{company_name}} hat Ihnen {{amount}} für {{campaign_name}} gutgeschrieben.", portal],
  },
  payout_sent: {
    subject: "Ihre Auszahlung ist unterwegs",
    paragraphs: ["{{company_name}} hat Ihnen {{amount}} für {{campaign_name}} ausgezahlt.", portal],
  },
  new_links: {
    subject: "Ihr neuer Link für {{campaign_name}}",
    paragraphs: [
      "{{company_name}} ist mit dem Programm auf ein neues System umgezogen. Ihre Einnahmen sind erhalten geblieben. Ab jetzt ist das Ihr Link:",
      "{{ref_link}}",
      "Bitte ersetzen Sie überall Ihren alten Link durch diesen.",
      portal,
    ],
  },
  sign_in_link: {
    subject: "Ihr Link zu {{company_name}}",
    paragraphs: ["Dieser Link meldet Sie an. Er gilt einmal, 15 Minuten lang:", "{{sign_in_url}}", notYou],
  },
  join_accepted: confirmation,
  join_waiting: confirmation,
  promoter_invitation: {
    subject: "{{company_name}} lädt Sie zu {{campaign_name}} ein",
    paragraphs: [
      "{{company_name}} hat Sie zum Partner von {{campaign_name}} gemacht.",
      "{{message}}",
      "{{offer}}",
      "Das ist Ihr Link. An ihm erkennen wir, wen Sie zu uns geschickt haben:",
      "{{ref_link}}",
      "Öffnen Sie diesen Link, um ein Passwort für Ihr Portal zu wählen. Dort sehen Sie, was Sie verdient haben. Er gilt einmal, sieben Tage lang:",
      "{{sign_in_url}}",
    ],
  },
  payout_method_changed: {
    subject: "Ihr Auszahlungsweg wurde geändert",
    paragraphs: [
      "Ihr Auszahlungsweg bei {{company_name}} wurde am {{changed_on}} geändert. Ab jetzt werden Sie so bezahlt: {{method}}. Wenn Sie das waren, ist alles in Ordnung.",
      "Wenn Sie es nicht waren, öffnen Sie diesen Link. Er gilt einmal, und {{company_name}} zahlt Ihnen nichts aus, bis mit Ihnen gesprochen wurde:",
      "{{not_me_url}}",
    ],
  },
  payment_unclaimed: {
    subject: "{{amount}} warten auf Sie",
    paragraphs: [
      "{{company_name}} hat Ihnen {{amount}} über {{provider}} gezahlt. Dort wartet das Geld auf Sie: Melden Sie sich mit der Adresse Ihres Auszahlungswegs an und nehmen Sie es an. Sonst geht es nach einigen Wochen zurück.",
      portal,
    ],
  },
  payment_failed: {
    subject: "Ihre Zahlung von {{amount}} ist fehlgeschlagen",
    paragraphs: [
      "{{company_name}} wollte Ihnen {{amount}} über {{provider}} zahlen, doch das ist bei {{provider}} fehlgeschlagen. Sie haben nichts verloren: Der Betrag steht Ihnen weiterhin zu. Prüfen Sie Ihren Auszahlungsweg, oder wählen Sie einen anderen.",
      portal,
    ],
  },
  payment_returned: {
    subject: "Ihre Zahlung von {{amount}} ist zurückgekommen",
    paragraphs: [
      "{{company_name}} hat Ihnen {{amount}} über {{provider}} gezahlt, und das Geld ist zurückgekommen. Sie haben nichts verloren: Der Betrag steht Ihnen weiterhin zu. Prüfen Sie Ihren Auszahlungsweg, oder wählen Sie einen anderen.",
      portal,
    ],
  },
  stripe_incomplete: {
    subject: "Stripe braucht noch Angaben von Ihnen",
    paragraphs: [
      "{{company_name}} kann Sie zurzeit nicht über Stripe bezahlen, weil Stripe noch Angaben von Ihnen braucht. Machen Sie in Ihrem Portal mit dem Formular von Stripe weiter: {{portal_url}}",
    ],
  },
  stripe_ready: {
    subject: "Sie können über Stripe bezahlt werden",
    paragraphs: [
      "Ihr Konto bei Stripe ist bereit, und {{company_name}} kann Sie darüber bezahlen. Sie müssen nichts weiter tun.",
    ],
  },
  stripe_restricted: {
    subject: "Sie können zurzeit nicht über Stripe bezahlt werden",
    paragraphs: [
      "Ihr Konto bei Stripe ist eingeschränkt, und {{company_name}} kann Sie zurzeit nicht darüber bezahlen. Sie haben nichts verloren. In Ihrem Portal sehen Sie, was Sie tun können; dort können Sie auch einen anderen Auszahlungsweg wählen: {{portal_url}}",
    ],
  },
  address_known: {
    subject: "Sie haben schon ein Konto bei {{company_name}}",
    paragraphs: [
      "Mit Ihrer E-Mail-Adresse sollte ein Zugang zu {{campaign_name}} angelegt werden. Sie haben schon ein Konto. Wenn Sie das waren, meldet dieser Link Sie an. Er gilt einmal, 15 Minuten lang:",
      "{{sign_in_url}}",
      notYou,
    ],
  },
};

const frame = {
  greeting: "Guten Tag {{first_name}},",
  hello: "Guten Tag,",
  open: "Weiter",
  unsubscribe: "Diese E-Mails abbestellen:",
};

export const de: Catalogue = { texts, mails, frame };
