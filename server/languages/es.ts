import type { Catalogue } from "./en.ts";

const texts: Catalogue["texts"] = {
  "unit.credits": "{count, plural, one {# crédito} other {# créditos}}",
  "unit.points": "{count, plural, one {# punto} other {# puntos}}",
  "unit.free_months": "{count, plural, one {# mes gratis} other {# meses gratis}}",
  "unit.mon_discount": "{count, plural, one {# mes de descuento} other {# meses de descuento}}",
  "unit.discount_per": "{count, plural, other {# % de descuento}}",
  "unit.name.credits": "créditos",
  "unit.name.points": "puntos",
  "unit.name.free_months": "meses gratis",
  "unit.name.mon_discount": "meses de descuento",
  "unit.name.discount_per": "por ciento de descuento",
  earn: "Ganas {given}{base}{sales}{length}{condition}.",
  "earn.once": "Ganas una vez {given}{condition}.",
  "earn.and": "{one} y {other}",
  "earn.and_if": "{one}, y {other}",
  "earn.goal": "{share} de la venta que alcanza el objetivo",
  "earn.unit": "{share} en {unit}",
  "base.share": " de cada venta",
  "base.flat": " por cada venta",
  "base.share.below": " de cada venta de {promoters}",
  "base.flat.below": " por cada venta de {promoters}",
  "base.earned.below": " de lo que gana cada venta de {promoters}",
  "base.left.below": " de lo que queda de cada venta de {promoters}",
  "below.next": "promotores que traes",
  "below.far":
    "{levels, plural, one {promotores # nivel por debajo de ti} other {promotores # niveles por debajo de ti}}",
  "sales.monthly": " de un plan mensual",
  "sales.yearly": " de un plan anual",
  "sales.one_time": " sin suscripción",
  "sales.specific": " de algunos productos",
  "sales.products": " de {products}",
  "length.once": ", solo por la primera venta a un cliente",
  "length.always": ", mientras el cliente compre",
  "length.months":
    ", durante {months, plural, one {# mes} other {# meses}} desde la primera venta al cliente",
  "rule.first": ", si {rule}",
  "rule.and": "{rules} y {rule}",
  "rule.or": "{rules} o {rule}",
  "rule.price": "{rule} (plan {price})",
  "operator.less than": "menor que",
  "operator.less than or equal to": "menor o igual que",
  "operator.equal to": "igual a",
  "operator.greater than or equal to": "mayor o igual que",
  "operator.greater than": "mayor que",
  "operator.multiple of": "múltiplo de",
  "approval.review": "Cada comisión se revisa antes de aprobarse.",
  "approval.now": "Las comisiones se aprueban de inmediato.",
  "approval.days":
    "Las comisiones se aprueban {days, plural, one {# día} other {# días}} después de la venta.",
  paying: "Las comisiones aprobadas en {period} se pagan {when}{least}.",
  "paying.monthly": "un mes",
  "paying.biweekly": "dos semanas",
  "paying.weekly": "una semana",
  "paying.end": "al final de ese período",
  "paying.days":
    "{days, plural, one {# día después del final de ese período} other {# días después del final de ese período}}",
  "paying.least": ", si suman al menos {amount}",
  click:
    "Un clic cuenta durante {days, plural, one {# día} other {# días}}: quien se registre en ese tiempo es tuyo. {whose}",
  "click.last": "Si un visitante siguió enlaces de varios promotores, cuenta el último.",
  "click.first": "Si un visitante siguió enlaces de varios promotores, cuenta el primero.",
  "reason.buyer": " a {lead}",
  "reason.corrected": "Corregida, porque se conoció el importe exacto de una venta{buyer}.",
  "reason.won": "Devuelta, porque se ganó una disputa sobre una venta{buyer}.",
  "reason.refunded": "Retirada, porque se reembolsó una venta{buyer}.",
  "reason.share": "{share} de una venta de {amount}{buyer}{split}.",
  "reason.share.below":
    "{share} de una venta de {amount}{buyer} que hizo un promotor por debajo de ti (nivel {level}){split}.",
  "reason.flat": "«{reward}» por una venta de {amount}{buyer}{split}.",
  "reason.flat.below":
    "«{reward}» por una venta de {amount}{buyer} que hizo un promotor por debajo de ti (nivel {level}){split}.",
  "reason.split": ", de lo que tu parte es {share}",
  "reason.reward": "Recompensa",
  "reason.sale": "Por una venta de {amount}{buyer}.",
  "reason.by_hand": "Se te ha dado a mano.",
  "reason.set_off": "Compensado entre dos campañas: lo que debías en una se pagó con lo que ganaste en otra.",
  "payment.unclaimed":
    "El dinero te espera. Inicia sesión en el proveedor con la dirección de tu forma de cobro y acéptalo.",
  "payment.failed": "El pago ha fallado. Revisa tu forma de cobro o elige otra.",
  "payment.returned": "El dinero ha vuelto. Revisa tu forma de cobro o elige otra.",
  "paper.invoice": "Factura (facturación por el destinatario)",
  "paper.credit_note": "Factura rectificativa (facturación por el destinatario)",
  "paper.draft": "Borrador",
  "paper.number": "Número",
  "paper.date": "Fecha",
  "paper.cancels": "Anula la factura",
  "paper.supplier": "Proveedor",
  "paper.customer": "Cliente",
  "paper.vat_id": "NIF-IVA {number}",
  "paper.tax_number": "Número fiscal {number}",
  "paper.registration_number": "Número de registro {number}",
  "paper.commissions": "Comisiones por recomendaciones",
  "paper.payout": "Pago",
  "paper.campaign": "Campaña",
  "paper.period": "Periodo",
  "paper.period.days": "{from} a {to}",
  "paper.amount": "Importe",
  "paper.net": "Importe neto",
  "paper.tax": "Impuesto, {rate} %",
  "paper.total": "Total",
  "paper.reverse_charge":
    "Inversión del sujeto pasivo: el IVA lo debe el cliente (artículos 44 y 196 de la Directiva 2006/112/CE).",
  "paper.self_billing":
    "Expedida por {company} en nombre de {promoter}, con su consentimiento del {date} (versión {version} del acuerdo).",
  "method.bank": "transferencia bancaria",
  "method.crypto": "monedero de criptomonedas",
  "method.custom": "otra forma",
  "method.paypal": "PayPal",
  "method.wise": "Wise",
  "method.dots": "Dots",
  "page.portal": "Portal de promotores",
  "page.join": "Hazte promotor",
  "page.no_script": "Esta página necesita JavaScript",
  "page.no_script.text": "Permite los scripts para esta dirección y recarga la página.",
  "page.no_script.api": "Los programas pueden hacer todo esto con la API:",

  // pages that promoters reach by a link
  "page.emails": "Correos",
  "page.emails.ask": "¿Quieres dejar de recibir estos correos?",
  "page.emails.stop": "Darme de baja",
  "page.emails.stopped": "Ya no recibirás estos correos.",
  "page.method": "Tu forma de cobro",
  "page.method.ask":
    "¿Alguien ha cambiado tu forma de cobro sin tu permiso? Si es así, pulsa el botón. No cobrarás nada hasta que la empresa haya hablado contigo.",
  "page.method.not_me": "No he sido yo",
  "page.method.held":
    "Gracias. Tus pagos están retenidos y hemos avisado a la empresa. Ahora elige una contraseña nueva en tu portal y revisa tu forma de cobro.",
  "page.link.used": "Este enlace ya se ha usado.",
  "page.link.invalid": "Este enlace no es válido.",
  "page.entry.used": "Este enlace se acaba de usar. Volverá a funcionar en un minuto.",
  "page.entry.too_many":
    "Ha habido demasiados intentos de iniciar sesión. Vuelve a intentarlo en unos minutos.",
  "page.entry.current": "Has iniciado sesión como {name}.",
  "page.entry.ask": "¿Iniciar sesión como {name}?",
  "page.entry.change": "Iniciar sesión como {name}",
  "page.entry.stay": "Seguir como {name}",
};

const portal = "Lo encuentras todo en tu portal: {{portal_url}}";
const notYou = "Si no lo has pedido, ignora este correo.";
const confirmation = {
  subject: "Confirma tu dirección para {{campaign_name}}",
  paragraphs: [
    "Se ha enviado una solicitud para {{campaign_name}} de {{company_name}} con esta dirección de correo. Si has sido tú, abre este enlace para confirmar la dirección:",
    "{{sign_in_url}}",
    "Si no has sido tú, ignora este correo.",
  ],
};

const mails: Catalogue["mails"] = {
  signup_accepted: {
    subject: "Te damos la bienvenida a {{campaign_name}}",
    paragraphs: [
      "Ya eres promotor de {{company_name}}. Este es tu enlace. Por él sabemos qué visitantes has enviado:",
      "{{ref_link}}",
      "{{offer}}",
      portal,
    ],
  },
  accepted: {
    subject: "Te han aceptado en {{campaign_name}}",
    paragraphs: [
      "{{company_name}} te ha aceptado. Este es tu enlace. Por él sabemos qué visitantes has enviado:",
      "{{ref_link}}",
      "{{offer}}",
      portal,
    ],
  },
  rejected: {
    subject: "Tu solicitud para {{campaign_name}}",
    paragraphs: [
      "Gracias por tu interés. {{company_name}} no puede aceptarte en {{campaign_name}} por ahora.",
    ],
  },
  new_referral: {
    subject: "Tienes un nuevo lead",
    paragraphs: ["Una persona se ha registrado en {{company_name}} por tu enlace {{ref_link}}.", portal],
  },
  new_referrals: {
    subject: "Tienes más leads nuevos",
    paragraphs: [
      "Más personas se han registrado en {{company_name}} por tu enlace {{ref_link}}. Su número: {{count}}.",
      portal,
    ],
  },
  new_commission: {
    subject: "Has ganado una comisión",
    paragraphs: ["{{company_name}} te ha abonado {{amount}} por {{campaign_name}}.", portal],
  },
  payout_sent: {
    subject: "Tu pago está enviado",
    paragraphs: ["{{company_name}} te ha enviado un pago de {{amount}} por {{campaign_name}}.", portal],
  },
  new_links: {
    subject: "Tu nuevo enlace para {{campaign_name}}",
    paragraphs: [
      "{{company_name}} ha trasladado su programa a un sistema nuevo. Tus ganancias se han conservado. A partir de ahora, este es tu enlace:",
      "{{ref_link}}",
      "Sustituye tu enlace antiguo por este en todas partes.",
      portal,
    ],
  },
  sign_in_link: {
    subject: "Tu enlace a {{company_name}}",
    paragraphs: [
      "Este enlace inicia tu sesión. Sirve una vez, durante 15 minutos:",
      "{{sign_in_url}}",
      notYou,
    ],
  },
  join_accepted: confirmation,
  join_waiting: confirmation,
  promoter_invitation: {
    subject: "{{company_name}} te invita a {{campaign_name}}",
    paragraphs: [
      "{{company_name}} te ha hecho promotor de {{campaign_name}}.",
      "{{message}}",
      "{{offer}}",
      "Este es tu enlace. Por él sabemos qué visitantes has enviado:",
      "{{ref_link}}",
      "Abre este enlace para elegir una contraseña para tu portal, donde ves lo que has ganado. Sirve una vez, durante siete días:",
      "{{sign_in_url}}",
    ],
  },
  payout_method_changed: {
    subject: "Tu forma de cobro ha cambiado",
    paragraphs: [
      "Tu forma de cobro en {{company_name}} se cambió el {{changed_on}}. A partir de ahora cobras así: {{method}}. Si has sido tú, todo está bien.",
      "Si no has sido tú, abre este enlace. Sirve una vez, y {{company_name}} no te pagará nada hasta haber hablado contigo:",
      "{{not_me_url}}",
    ],
  },
  payment_unclaimed: {
    subject: "{{amount}} te esperan",
    paragraphs: [
      "{{company_name}} te ha pagado {{amount}} por {{provider}}. El dinero te espera allí: inicia sesión con la dirección de tu forma de cobro y acéptalo. Si no, volverá después de unas semanas.",
      portal,
    ],
  },
  payment_failed: {
    subject: "Tu pago de {{amount}} ha fallado",
    paragraphs: [
      "{{company_name}} quería pagarte {{amount}} por {{provider}}, y {{provider}} no pudo hacerlo. No has perdido nada: el importe se te sigue debiendo. Revisa tu forma de cobro o elige otra.",
      portal,
    ],
  },
  payment_returned: {
    subject: "Tu pago de {{amount}} ha vuelto",
    paragraphs: [
      "{{company_name}} te pagó {{amount}} por {{provider}}, y el dinero ha vuelto. No has perdido nada: el importe se te sigue debiendo. Revisa tu forma de cobro o elige otra.",
      portal,
    ],
  },
  stripe_incomplete: {
    subject: "Stripe necesita más datos tuyos",
    paragraphs: [
      "{{company_name}} no puede pagarte por Stripe por ahora, porque Stripe necesita más datos tuyos. Continúa el formulario de Stripe desde tu portal: {{portal_url}}",
    ],
  },
  stripe_ready: {
    subject: "Ya puedes cobrar por Stripe",
    paragraphs: [
      "Tu cuenta de Stripe está lista y {{company_name}} puede pagarte por ella. No tienes que hacer nada.",
    ],
  },
  stripe_restricted: {
    subject: "Por ahora no puedes cobrar por Stripe",
    paragraphs: [
      "Tu cuenta de Stripe está restringida y {{company_name}} no puede pagarte por ella por ahora. No has perdido nada. En tu portal ves qué puedes hacer; allí también puedes elegir otra forma de cobro: {{portal_url}}",
    ],
  },
  address_known: {
    subject: "Ya tienes una cuenta en {{company_name}}",
    paragraphs: [
      "Se ha intentado entrar en {{campaign_name}} con tu dirección de correo. Ya tienes una cuenta. Si has sido tú, este enlace inicia tu sesión. Sirve una vez, durante 15 minutos:",
      "{{sign_in_url}}",
      notYou,
    ],
  },
};

const frame = {
  greeting: "Hola, {{first_name}}:",
  hello: "Hola:",
  open: "Continuar",
  unsubscribe: "Dejar de recibir estos correos:",
};

export const es: Catalogue = { texts, mails, frame };
