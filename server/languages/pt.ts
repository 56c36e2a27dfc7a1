import type { Catalogue } from "./en.ts";

const texts: Catalogue["texts"] = {
  "unit.credits": "{count, plural, one {# crédito} other {# créditos}}",
  "unit.points": "{count, plural, one {# ponto} other {# pontos}}",
  "unit.free_months": "{count, plural, one {# mês grátis} other {# meses grátis}}",
  "unit.mon_discount": "{count, plural, one {# mês de desconto} other {# meses de desconto}}",
  "unit.discount_per": "{count, plural, other {#% de desconto}}",
  "unit.name.credits": "créditos",
  "unit.name.points": "pontos",
  "unit.name.free_months": "meses grátis",
  "unit.name.mon_discount": "meses de desconto",
  "unit.name.discount_per": "por cento de desconto",
  earn: "Você ganha {given}{base}{sales}{length}{condition}.",
  "earn.once": "Você ganha uma vez {given}{condition}.",
  "earn.and": "{one} e {other}",
  "earn.and_if": "{one}, e {other}",
  "earn.goal": "{share} da venda que alcança a meta",
  "earn.unit": "{share} em {unit}",
  "base.share": " de cada venda",
  "base.flat": " por cada venda",
  "base.share.below": " de cada venda de {promoters}",
  "base.flat.below": " por cada venda de {promoters}",
  "base.earned.below": " do que cada venda de {promoters} rende",
  "base.left.below": " do que sobra de cada venda de {promoters}",
  "below.next": "promotores que você traz",
  "below.far":
    "{levels, plural, one {promotores # nível abaixo de você} other {promotores # níveis abaixo de você}}",
  "sales.monthly": " de um plano mensal",
  "sales.yearly": " de um plano anual",
  "sales.one_time": " sem assinatura",
  "sales.specific": " de alguns produtos",
  "sales.products": " de {products}",
  "length.once": ", só pela primeira venda a um cliente",
  "length.always": ", enquanto o cliente comprar",
  "length.months":
    ", durante {months, plural, one {# mês} other {# meses}} desde a primeira venda ao cliente",
  "rule.first": ", se {rule}",
  "rule.and": "{rules} e {rule}",
  "rule.or": "{rules} ou {rule}",
  "rule.price": "{rule} (plano {price})",
  "operator.less than": "menor que",
  "operator.less than or equal to": "menor ou igual a",
  "operator.equal to": "igual a",
  "operator.greater than or equal to": "maior ou igual a",
  "operator.greater than": "maior que",
  "operator.multiple of": "múltiplo de",
  "approval.review": "Cada comissão é analisada antes de ser aprovada.",
  "approval.now": "As comissões são aprovadas imediatamente.",
  "approval.days": "As comissões são aprovadas {days, plural, one {# dia} other {# dias}} depois da venda.",
  paying: "As comissões aprovadas em {period} são pagas {when}{least}.",
  "paying.monthly": "um mês",
  "paying.biweekly": "duas semanas",
  "paying.weekly": "uma semana",
  "paying.end": "no fim desse período",
  "paying.days":
    "{days, plural, one {# dia depois do fim desse período} other {# dias depois do fim desse período}}",
  "paying.least": ", se somarem pelo menos {amount}",
  click:
    "Um clique conta por {days, plural, one {# dia} other {# dias}}: quem se cadastrar nesse tempo é seu. {whose}",
  "click.last": "Se um visitante seguiu links de vários promotores, conta o último.",
  "click.first": "Se um visitante seguiu links de vários promotores, conta o primeiro.",
  "reason.buyer": " para {lead}",
  "reason.corrected": "Corrigida, porque o valor exato de uma venda{buyer} ficou conhecido.",
  "reason.won": "Devolvida, porque uma contestação sobre uma venda{buyer} foi ganha.",
  "reason.refunded": "Retirada, porque uma venda{buyer} foi reembolsada.",
  "reason.share": "{share} de uma venda de {amount}{buyer}{split}.",
  "reason.share.below":
    "{share} de uma venda de {amount}{buyer} feita por um promotor abaixo de você (nível {level}){split}.",
  "reason.flat": "“{reward}” por uma venda de {amount}{buyer}{split}.",
  "reason.flat.below":
    "“{reward}” por uma venda de {amount}{buyer} feita por um promotor abaixo de você (nível {level}){split}.",
  "reason.split": ", dos quais a sua parte é {share}",
  "reason.reward": "Recompensa",
  "reason.sale": "Por uma venda de {amount}{buyer}.",
  "reason.by_hand": "Concedida a você manualmente.",
  "reason.set_off":
    "Compensada entre duas campanhas: o que você devia em uma foi pago com o que ganhou em outra.",
  "payment.unclaimed":
    "O dinheiro espera por você. Entre no provedor com o endereço da sua forma de recebimento e aceite-o.",
  "payment.failed": "O pagamento falhou. Confira sua forma de recebimento ou escolha outra.",
  "payment.returned": "O dinheiro voltou. Confira sua forma de recebimento ou escolha outra.",
  "paper.invoice": "Fatura (autofaturação)",
  "paper.credit_note": "Nota de crédito (autofaturação)",
  "paper.draft": "Rascunho",
  "paper.number": "Número",
  "paper.date": "Data",
  "paper.cancels": "Anula a fatura",
  "paper.supplier": "Fornecedor",
  "paper.customer": "Cliente",
  "paper.vat_id": "N.º de IVA {number}",
  "paper.tax_number": "N.º fiscal {number}",
  "paper.registration_number": "N.º de registo {number}",
  "paper.commissions": "Comissões por indicações",
  "paper.payout": "Pagamento",
  "paper.campaign": "Campanha",
  "paper.period": "Período",
  "paper.period.days": "{from} a {to}",
  "paper.amount": "Valor",
  "paper.net": "Valor líquido",
  "paper.tax": "Imposto, {rate} %",
  "paper.total": "Total",
  "paper.reverse_charge":
    "Autoliquidação: o IVA é devido pelo cliente (artigos 44.º e 196.º da Diretiva 2006/112/CE).",
  "paper.self_billing":
    "Emitida por {company} em nome de {promoter}, com o seu acordo de {date} (versão {version} do acordo).",
  "method.bank": "transferência bancária",
  "method.crypto": "carteira de criptomoedas",
  "method.custom": "outra forma",
  "method.paypal": "PayPal",
  "method.wise": "Wise",
  "method.dots": "Dots",
  "page.portal": "Portal de promotores",
  "page.join": "Seja um promotor",
  "page.no_script": "Esta página precisa de JavaScript",
  "page.no_script.text": "Permita scripts neste endereço e recarregue a página.",
  "page.no_script.api": "Programas podem fazer tudo isso pela API:",

  // pages that promoters reach by a link
  "page.emails": "E-mails",
  "page.emails.ask": "Quer parar de receber estes e-mails?",
  "page.emails.stop": "Cancelar inscrição",
  "page.emails.stopped": "Você não receberá mais estes e-mails.",
  "page.method": "Sua forma de recebimento",
  "page.method.ask":
    "Outra pessoa alterou sua forma de recebimento? Se sim, aperte o botão. Você não receberá pagamentos até a empresa falar com você.",
  "page.method.not_me": "Não fui eu",
  "page.method.held":
    "Obrigado. Seus pagamentos estão suspensos, e avisamos a empresa. Agora escolha uma nova senha no seu portal e confira sua forma de recebimento.",
  "page.link.used": "Este link já foi usado.",
  "page.link.invalid": "Este link não é válido.",
  "page.entry.used": "Este link acabou de ser usado. Ele volta a funcionar em um minuto.",
  "page.entry.too_many": "Houve tentativas demais de entrar. Tente de novo em alguns minutos.",
  "page.entry.current": "Você entrou como {name}.",
  "page.entry.ask": "Entrar como {name}?",
  "page.entry.change": "Entrar como {name}",
  "page.entry.stay": "Continuar como {name}",
};

const portal = "Você encontra tudo no seu portal: {{portal_url}}";
const notYou = "Se você não pediu isso, ignore este e-mail.";
const confirmation = {
  subject: "Confirme seu endereço para {{campaign_name}}",
  paragraphs: [
    "Uma candidatura a {{campaign_name}} de {{company_name}} foi enviada com este endereço de e-mail. Se foi você, abra este link para confirmar o endereço:",
    "{{sign_in_url}}",
    "Se não foi você, ignore este e-mail.",
  ],
};

const mails: Catalogue["mails"] = {
  signup_accepted: {
    subject: "Boas-vindas a {{campaign_name}}",
    paragraphs: [
      "Agora você é promotor de {{company_name}}. Este é o seu link. Por ele sabemos quais visitantes você enviou:",
      "{{ref_link}}",
      "{{offer}}",
      portal,
    ],
  },
  accepted: {
    subject: "Você foi aceito em {{campaign_name}}",
    paragraphs: [
      "{{company_name}} aceitou você. Este é o seu link. Por ele sabemos quais visitantes você enviou:",
      "{{ref_link}}",
      "{{offer}}",
      portal,
    ],
  },
  rejected: {
    subject: "Sua candidatura a {{campaign_name}}",
    paragraphs: [
      "Obrigado pelo interesse. {{company_name}} não pode aceitar você em {{campaign_name}} no momento.",
    ],
  },
  new_referral: {
    subject: "Você tem um novo lead",
    paragraphs: ["Uma pessoa se cadastrou em {{company_name}} pelo seu link {{ref_link}}.", portal],
  },
  new_referrals: {
    subject: "Você tem mais leads novos",
    paragraphs: [
      "Mais pessoas se cadastraram em {{company_name}} pelo seu link {{ref_link}}. O número delas: {{count}}.",
      portal,
    ],
  },
  new_commission: {
    subject: "Você ganhou uma comissão",
    paragraphs: ["{{company_name}} creditou {{amount}} a você por {{campaign_name}}.", portal],
  },
  payout_sent: {
    subject: "Seu pagamento foi enviado",
    paragraphs: ["{{company_name}} enviou a você um pagamento de {{amount}} por {{campaign_name}}.", portal],
  },
  new_links: {
    subject: "Seu novo link para {{campaign_name}}",
    paragraphs: [
      "{{company_name}} mudou seu programa para um novo sistema. Seus ganhos foram mantidos. De agora em diante, este é o seu link:",
      "{{ref_link}}",
      "Substitua seu link antigo por este em todos os lugares.",
      portal,
    ],
  },
  sign_in_link: {
    subject: "Seu link para {{company_name}}",
    paragraphs: ["Este link faz você entrar. Ele vale uma vez, por 15 minutos:", "{{sign_in_url}}", notYou],
  },
  join_accepted: confirmation,
  join_waiting: confirmation,
  promoter_invitation: {
    subject: "{{company_name}} convida você para {{campaign_name}}",
    paragraphs: [
      "{{company_name}} fez de você um promotor de {{campaign_name}}.",
      "{{message}}",
      "{{offer}}",
      "Este é o seu link. Por ele sabemos quais visitantes você enviou:",
      "{{ref_link}}",
      "Abra este link para escolher uma senha para o seu portal, onde você vê o que ganhou. Ele vale uma vez, por sete dias:",
      "{{sign_in_url}}",
    ],
  },
  payout_method_changed: {
    subject: "Sua forma de recebimento foi alterada",
    paragraphs: [
      "Sua forma de recebimento em {{company_name}} foi alterada em {{changed_on}}. De agora em diante você recebe assim: {{method}}. Se foi você, está tudo certo.",
      "Se não foi você, abra este link. Ele vale uma vez, e {{company_name}} não pagará nada até falar com você:",
      "{{not_me_url}}",
    ],
  },
  payment_unclaimed: {
    subject: "{{amount}} esperam por você",
    paragraphs: [
      "{{company_name}} pagou {{amount}} a você por {{provider}}. O dinheiro espera por você lá: entre com o endereço da sua forma de recebimento e aceite-o. Caso contrário, ele volta depois de algumas semanas.",
      portal,
    ],
  },
  payment_failed: {
    subject: "Seu pagamento de {{amount}} falhou",
    paragraphs: [
      "{{company_name}} quis pagar {{amount}} a você por {{provider}}, e {{provider}} não conseguiu. Você não perdeu nada: o valor continua devido a você. Confira sua forma de recebimento ou escolha outra.",
      portal,
    ],
  },
  payment_returned: {
    subject: "Seu pagamento de {{amount}} voltou",
    paragraphs: [
      "{{company_name}} pagou {{amount}} a você por {{provider}}, e o dinheiro voltou. Você não perdeu nada: o valor continua devido a você. Confira sua forma de recebimento ou escolha outra.",
      portal,
    ],
  },
  stripe_incomplete: {
    subject: "O Stripe precisa de mais dados seus",
    paragraphs: [
      "No momento, {{company_name}} não pode pagar você pelo Stripe, porque o Stripe precisa de mais dados seus. Continue o formulário do Stripe no seu portal: {{portal_url}}",
    ],
  },
  stripe_ready: {
    subject: "Você já pode receber pelo Stripe",
    paragraphs: [
      "Sua conta no Stripe está pronta, e {{company_name}} pode pagar você por ela. Você não precisa fazer nada.",
    ],
  },
  stripe_restricted: {
    subject: "No momento você não pode receber pelo Stripe",
    paragraphs: [
      "Sua conta no Stripe está restrita, e no momento {{company_name}} não pode pagar você por ela. Você não perdeu nada. Seu portal mostra o que você pode fazer; lá você também pode escolher outra forma de recebimento: {{portal_url}}",
    ],
  },
  address_known: {
    subject: "Você já tem uma conta em {{company_name}}",
    paragraphs: [
      "Houve uma tentativa de participar de {{campaign_name}} com o seu endereço de e-mail. Você já tem uma conta. Se foi você, este link faz você entrar. Ele vale uma vez, por 15 minutos:",
      "{{sign_in_url}}",
      notYou,
    ],
  },
};

const frame = {
  greeting: "Olá, {{first_name}},",
  hello: "Olá,",
  open: "Continuar",
  unsubscribe: "Deixar de receber estes e-mails:",
};

export const pt: Catalogue = { texts, mails, frame };
