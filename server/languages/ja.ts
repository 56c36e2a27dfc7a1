import type { Catalogue } from "./en.ts";

const texts: Catalogue["texts"] = {
  "unit.credits": "{count, plural, other {# クレジット}}",
  "unit.points": "{count, plural, other {# ポイント}}",
  "unit.free_months": "{count, plural, other {無料 # か月分}}",
  "unit.mon_discount": "{count, plural, other {割引 # か月分}}",
  "unit.discount_per": "{count, plural, other {#% 割引}}",
  "unit.name.credits": "クレジット",
  "unit.name.points": "ポイント",
  "unit.name.free_months": "無料月数",
  "unit.name.mon_discount": "割引月数",
  "unit.name.discount_per": "割引",
  earn: "{sales}{base} {given} が報酬になります{length}{condition}。",
  "earn.once": "一度だけ {given} が報酬になります{condition}。",
  "earn.and": "{one} と {other}",
  "earn.and_if": "{one}、および {other}",
  "earn.goal": "目標を達成した売上の {share}",
  "earn.unit": "{share}（{unit}）",
  "base.share": "各売上の",
  "base.flat": "各売上につき",
  "base.share.below": "{promoters}の各売上の",
  "base.flat.below": "{promoters}の各売上につき",
  "base.earned.below": "{promoters}の各売上から生じる報酬の",
  "base.left.below": "{promoters}の各売上の残りの",
  "below.next": "あなたが紹介したプロモーター",
  "below.far": "{levels, plural, other {あなたの # 階層下のプロモーター}}",
  "sales.monthly": "月額プランの",
  "sales.yearly": "年額プランの",
  "sales.one_time": "定期購入以外の",
  "sales.specific": "一部の商品の",
  "sales.products": "{products} の",
  "length.once": "（顧客の最初の売上のみ）",
  "length.always": "（顧客が購入を続ける限り）",
  "length.months": "（顧客の最初の売上から {months, plural, other {# か月間}}）",
  "rule.first": "。条件：{rule}",
  "rule.and": "{rules}、かつ{rule}",
  "rule.or": "{rules}、または{rule}",
  "rule.price": "{rule}（プラン {price}）",
  "operator.less than": "未満",
  "operator.less than or equal to": "以下",
  "operator.equal to": "と等しい",
  "operator.greater than or equal to": "以上",
  "operator.greater than": "より大きい",
  "operator.multiple of": "の倍数",
  "approval.review": "報酬は一件ずつ確認してから承認されます。",
  "approval.now": "報酬はすぐに承認されます。",
  "approval.days": "報酬は売上の {days, plural, other {# 日後}}に承認されます。",
  paying: "{period}の間に承認された報酬は、{when}に支払われます{least}。",
  "paying.monthly": "1 か月",
  "paying.biweekly": "2 週間",
  "paying.weekly": "1 週間",
  "paying.end": "その期間の終わり",
  "paying.days": "{days, plural, other {その期間の終了の # 日後}}",
  "paying.least": "（合計が {amount} 以上の場合）",
  click:
    "クリックは {days, plural, other {# 日間}}有効です。その間に登録した人はあなたの成果になります。{whose}",
  "click.last": "訪問者が複数のプロモーターのリンクを使った場合は、最後のリンクが有効です。",
  "click.first": "訪問者が複数のプロモーターのリンクを使った場合は、最初のリンクが有効です。",
  "reason.buyer": "（{lead}）",
  "reason.corrected": "修正：売上{buyer}の正確な金額が分かったため。",
  "reason.won": "返還：売上{buyer}の異議申し立てが認められたため。",
  "reason.refunded": "取り消し：売上{buyer}が返金されたため。",
  "reason.share": "{amount} の売上{buyer}の {share}{split}。",
  "reason.share.below":
    "あなたの下のプロモーター（レベル {level}）による {amount} の売上{buyer}の {share}{split}。",
  "reason.flat": "{amount} の売上{buyer}に対する「{reward}」{split}。",
  "reason.flat.below":
    "あなたの下のプロモーター（レベル {level}）による {amount} の売上{buyer}に対する「{reward}」{split}。",
  "reason.split": "（うちあなたの割合は {share}）",
  "reason.reward": "報酬",
  "reason.sale": "{amount} の売上{buyer}に対して。",
  "reason.by_hand": "手動で付与されました。",
  "reason.set_off": "2つのキャンペーンの間で相殺されました。一方の不足分を、他方の報酬で支払いました。",
  "payment.unclaimed":
    "お金の受け取りをお待ちしています。受け取り方法のアドレスで決済サービスにログインし、受け取ってください。",
  "payment.failed": "支払いに失敗しました。受け取り方法を確認するか、別の方法を選んでください。",
  "payment.returned": "お金が戻ってきました。受け取り方法を確認するか、別の方法を選んでください。",
  "paper.invoice": "仕入明細書（セルフビリング）",
  "paper.credit_note": "取消明細書（セルフビリング）",
  "paper.draft": "下書き",
  "paper.number": "番号",
  "paper.date": "日付",
  "paper.cancels": "取り消す明細書",
  "paper.supplier": "売り手",
  "paper.customer": "買い手",
  "paper.vat_id": "VAT 番号 {number}",
  "paper.tax_number": "税務番号 {number}",
  "paper.registration_number": "登録番号 {number}",
  "paper.commissions": "紹介手数料",
  "paper.payout": "支払い",
  "paper.campaign": "キャンペーン",
  "paper.period": "期間",
  "paper.period.days": "{from} ～ {to}",
  "paper.amount": "金額",
  "paper.net": "税抜金額",
  "paper.tax": "税 {rate} %",
  "paper.total": "合計",
  "paper.reverse_charge":
    "リバースチャージ（Reverse charge）：付加価値税は買い手が納めます（指令 2006/112/EC 第 44 条および第 196 条）。",
  "paper.self_billing":
    "{date} の {promoter} の同意（同意書 第 {version} 版）に基づき、{company} が {promoter} の名義で作成しました。",
  "method.bank": "銀行振込",
  "method.crypto": "暗号資産ウォレット",
  "method.custom": "その他の方法",
  "method.paypal": "PayPal",
  "method.wise": "Wise",
  "method.dots": "Dots",
  "page.portal": "プロモーターポータル",
  "page.join": "プロモーターになる",
  "page.no_script": "このページには JavaScript が必要です",
  "page.no_script.text": "このアドレスのスクリプトを許可してから、再読み込みしてください。",
  "page.no_script.api": "プログラムからは API ですべて行えます：",

  // pages that promoters reach by a link
  "page.emails": "メール",
  "page.emails.ask": "これらのメールの配信を停止しますか？",
  "page.emails.stop": "配信を停止する",
  "page.emails.stopped": "今後、これらのメールは届きません。",
  "page.method": "受け取り方法",
  "page.method.ask":
    "受け取り方法が第三者に変更されましたか？その場合はボタンを押してください。運営会社がご本人と連絡を取るまで、支払いは行われません。",
  "page.method.not_me": "変更した覚えはありません",
  "page.method.held":
    "ありがとうございます。支払いを保留し、運営会社に知らせました。ポータルで新しいパスワードを設定し、受け取り方法をご確認ください。",
  "page.link.used": "このリンクはすでに使用されています。",
  "page.link.invalid": "このリンクは無効です。",
  "page.entry.used": "このリンクは先ほど使用されました。1 分後にまた使えます。",
  "page.entry.too_many": "ログインの試行回数が多すぎます。数分後にもう一度お試しください。",
  "page.entry.current": "{name} さんとしてログインしています。",
  "page.entry.ask": "{name} さんとしてログインしますか？",
  "page.entry.change": "{name} さんとしてログイン",
  "page.entry.stay": "{name} さんのまま続ける",
};

const portal = "詳しくはポータルをご覧ください：{{portal_url}}";
const notYou = "お心当たりがない場合は、このメールを無視してください。";
const confirmation = {
  subject: "{{campaign_name}}：メールアドレスの確認",
  paragraphs: [
    "このメールアドレスで、{{company_name}} の {{campaign_name}} に申し込みがありました。ご本人の場合は、次のリンクを開いてアドレスを確認してください：",
    "{{sign_in_url}}",
    "お心当たりがない場合は、このメールを無視してください。",
  ],
};

const mails: Catalogue["mails"] = {
  signup_accepted: {
    subject: "{{campaign_name}} へようこそ",
    paragraphs: [
      "{{company_name}} のプロモーターになりました。こちらがあなたのリンクです。このリンクで、どの訪問者があなたの紹介かが分かります：",
      "{{ref_link}}",
      "{{offer}}",
      portal,
    ],
  },
  accepted: {
    subject: "{{campaign_name}} に承認されました",
    paragraphs: [
      "{{company_name}} があなたを承認しました。こちらがあなたのリンクです。このリンクで、どの訪問者があなたの紹介かが分かります：",
      "{{ref_link}}",
      "{{offer}}",
      portal,
    ],
  },
  rejected: {
    subject: "{{campaign_name}} へのお申し込みについて",
    paragraphs: [
      "お申し込みありがとうございます。申し訳ありませんが、現在 {{company_name}} は {{campaign_name}} へのご参加を承認できません。",
    ],
  },
  new_referral: {
    subject: "新しいリードがあります",
    paragraphs: ["あなたのリンク {{ref_link}} から {{company_name}} に登録がありました。", portal],
  },
  new_referrals: {
    subject: "さらに新しいリードがあります",
    paragraphs: [
      "あなたのリンク {{ref_link}} から {{company_name}} にさらに登録がありました。件数：{{count}}",
      portal,
    ],
  },
  new_commission: {
    subject: "報酬が発生しました",
    paragraphs: ["{{company_name}} から {{campaign_name}} の報酬 {{amount}} が付与されました。", portal],
  },
  payout_sent: {
    subject: "お支払いを送りました",
    paragraphs: ["{{company_name}} が {{campaign_name}} の報酬 {{amount}} を送金しました。", portal],
  },
  new_links: {
    subject: "{{campaign_name}} の新しいリンク",
    paragraphs: [
      "{{company_name}} のプログラムは新しいシステムに移行しました。これまでの報酬はそのまま引き継がれています。今後はこちらがあなたのリンクです：",
      "{{ref_link}}",
      "以前のリンクは、すべてこちらに置き換えてください。",
      portal,
    ],
  },
  sign_in_link: {
    subject: "{{company_name}} へのログインリンク",
    paragraphs: ["次のリンクでログインできます。15 分間、一度だけ有効です：", "{{sign_in_url}}", notYou],
  },
  join_accepted: confirmation,
  join_waiting: confirmation,
  promoter_invitation: {
    subject: "{{company_name}} から {{campaign_name}} へのご招待",
    paragraphs: [
      "{{company_name}} があなたを {{campaign_name}} のプロモーターに登録しました。",
      "{{message}}",
      "{{offer}}",
      "こちらがあなたのリンクです。このリンクで、どの訪問者があなたの紹介かが分かります：",
      "{{ref_link}}",
      "次のリンクを開いて、ポータルのパスワードを設定してください。ポータルでは報酬を確認できます。7 日間、一度だけ有効です：",
      "{{sign_in_url}}",
    ],
  },
  payout_method_changed: {
    subject: "受け取り方法が変更されました",
    paragraphs: [
      "{{company_name}} での受け取り方法が {{changed_on}} に変更されました。今後の受け取り方法：{{method}}。ご本人による変更であれば、問題ありません。",
      "お心当たりがない場合は、次のリンクを開いてください。一度だけ有効です。{{company_name}} がご本人と連絡を取るまで、支払いは行われません：",
      "{{not_me_url}}",
    ],
  },
  payment_unclaimed: {
    subject: "{{amount}} の受け取りをお待ちしています",
    paragraphs: [
      "{{company_name}} が {{provider}} で {{amount}} を支払いました。受け取り方法のアドレスでログインし、受け取ってください。受け取らない場合は、数週間後に返金されます。",
      portal,
    ],
  },
  payment_failed: {
    subject: "{{amount}} の支払いに失敗しました",
    paragraphs: [
      "{{company_name}} が {{provider}} で {{amount}} を支払おうとしましたが、{{provider}} で処理できませんでした。報酬は失われていません。受け取り方法を確認するか、別の方法を選んでください。",
      portal,
    ],
  },
  payment_returned: {
    subject: "{{amount}} の支払いが戻ってきました",
    paragraphs: [
      "{{company_name}} が {{provider}} で {{amount}} を支払いましたが、お金が戻ってきました。報酬は失われていません。受け取り方法を確認するか、別の方法を選んでください。",
      portal,
    ],
  },
  stripe_incomplete: {
    subject: "Stripe で追加の情報が必要です",
    paragraphs: [
      "Stripe が追加の情報を必要としているため、{{company_name}} は現在 Stripe で支払いができません。ポータルから Stripe の手続きを続けてください：{{portal_url}}",
    ],
  },
  stripe_ready: {
    subject: "Stripe で受け取れるようになりました",
    paragraphs: [
      "Stripe のアカウントの準備ができました。{{company_name}} はこのアカウントに支払うことができます。必要な手続きはありません。",
    ],
  },
  stripe_restricted: {
    subject: "現在 Stripe で受け取ることができません",
    paragraphs: [
      "Stripe のアカウントが制限されているため、{{company_name}} は現在このアカウントに支払うことができません。報酬は失われていません。必要な対応はポータルで確認できます。別の受け取り方法を選ぶこともできます：{{portal_url}}",
    ],
  },
  address_known: {
    subject: "{{company_name}} のアカウントをすでにお持ちです",
    paragraphs: [
      "あなたのメールアドレスで {{campaign_name}} への参加申し込みがありました。すでにアカウントをお持ちです。ご本人の場合は、次のリンクでログインできます。15 分間、一度だけ有効です：",
      "{{sign_in_url}}",
      notYou,
    ],
  },
};

const frame = {
  greeting: "{{first_name}} 様",
  hello: "こんにちは。",
  open: "続ける",
  unsubscribe: "メールの配信を停止する：",
};

export const ja: Catalogue = { texts, mails, frame };
