import type { Catalogue } from "./en.ts";

const texts: Catalogue["texts"] = {
  "unit.credits": "{count, plural, one {זיכוי אחד} two {שני זיכויים} other {# זיכויים}}",
  "unit.points": "{count, plural, one {נקודה אחת} two {שתי נקודות} other {# נקודות}}",
  "unit.free_months": "{count, plural, one {חודש חינם אחד} two {חודשיים חינם} other {# חודשים חינם}}",
  "unit.mon_discount": "{count, plural, one {חודש הנחה אחד} two {חודשיים הנחה} other {# חודשי הנחה}}",
  "unit.discount_per": "{count, plural, other {#% הנחה}}",
  "unit.name.credits": "זיכויים",
  "unit.name.points": "נקודות",
  "unit.name.free_months": "חודשי חינם",
  "unit.name.mon_discount": "חודשי הנחה",
  "unit.name.discount_per": "אחוזי הנחה",
  earn: "מרוויחים {given}{base}{sales}{length}{condition}.",
  "earn.once": "מרוויחים פעם אחת {given}{condition}.",
  "earn.and": "{one} וגם {other}",
  "earn.and_if": "{one}, וגם {other}",
  "earn.goal": "{share} מהמכירה שמשיגה את היעד",
  "earn.unit": "{share} ב־{unit}",
  "base.share": " מכל מכירה",
  "base.flat": " עבור כל מכירה",
  "base.share.below": " מכל מכירה של {promoters}",
  "base.flat.below": " עבור כל מכירה של {promoters}",
  "base.earned.below": " ממה שמניבה כל מכירה של {promoters}",
  "base.left.below": " ממה שנותר מכל מכירה של {promoters}",
  "below.next": "שותפים שהבאת",
  "below.far":
    "{levels, plural, one {שותפים רמה אחת מתחתיך} two {שותפים שתי רמות מתחתיך} other {שותפים # רמות מתחתיך}}",
  "sales.monthly": " של מינוי חודשי",
  "sales.yearly": " של מינוי שנתי",
  "sales.one_time": " ללא מינוי",
  "sales.specific": " של חלק מהמוצרים",
  "sales.products": " של {products}",
  "length.once": ", רק עבור המכירה הראשונה ללקוח",
  "length.always": ", כל עוד הלקוח קונה",
  "length.months":
    ", למשך {months, plural, one {חודש אחד} two {חודשיים} other {# חודשים}} מהמכירה הראשונה ללקוח",
  "rule.first": ", אם {rule}",
  "rule.and": "{rules} וגם {rule}",
  "rule.or": "{rules} או {rule}",
  "rule.price": "{rule} (תוכנית {price})",
  "operator.less than": "קטן מ־",
  "operator.less than or equal to": "קטן או שווה ל־",
  "operator.equal to": "שווה ל־",
  "operator.greater than or equal to": "גדול או שווה ל־",
  "operator.greater than": "גדול מ־",
  "operator.multiple of": "כפולה של",
  "approval.review": "כל עמלה נבדקת לפני שהיא מאושרת.",
  "approval.now": "העמלות מאושרות מיד.",
  "approval.days": "העמלות מאושרות {days, plural, one {יום אחד} two {יומיים} other {# ימים}} אחרי המכירה.",
  paying: "עמלות שאושרו במשך {period} משולמות {when}{least}.",
  "paying.monthly": "חודש",
  "paying.biweekly": "שבועיים",
  "paying.weekly": "שבוע",
  "paying.end": "בסוף התקופה",
  "paying.days":
    "{days, plural, one {יום אחד אחרי סוף התקופה} two {יומיים אחרי סוף התקופה} other {# ימים אחרי סוף התקופה}}",
  "paying.least": ", אם הן מצטברות ל־{amount} לפחות",
  click:
    "קליק נחשב למשך {days, plural, one {יום אחד} two {יומיים} other {# ימים}}: מי שנרשמים בזמן הזה נזקפים לזכותך. {whose}",
  "click.last": "אם מבקר השתמש בקישורים של כמה שותפים, האחרון נחשב.",
  "click.first": "אם מבקר השתמש בקישורים של כמה שותפים, הראשון נחשב.",
  "reason.buyer": " ל־{lead}",
  "reason.corrected": "תוקנה, כי נודע הסכום המדויק של מכירה{buyer}.",
  "reason.won": "הוחזרה, כי מחלוקת על מכירה{buyer} הוכרעה לטובה.",
  "reason.refunded": "נלקחה חזרה, כי מכירה{buyer} הוחזרה.",
  "reason.share": "{share} ממכירה של {amount}{buyer}{split}.",
  "reason.share.below": "{share} ממכירה של {amount}{buyer} של שותף מתחתיך (רמה {level}){split}.",
  "reason.flat": "„{reward}” עבור מכירה של {amount}{buyer}{split}.",
  "reason.flat.below": "„{reward}” עבור מכירה של {amount}{buyer} של שותף מתחתיך (רמה {level}){split}.",
  "reason.split": ", מתוכם חלקך {share}",
  "reason.reward": "תגמול",
  "reason.sale": "עבור מכירה של {amount}{buyer}.",
  "reason.by_hand": "ניתנה לך באופן ידני.",
  "reason.set_off": "קוזז בין שני קמפיינים: מה שהיית חייב באחד שולם ממה שהרווחת באחר.",
  "payment.unclaimed": "הכסף מחכה לך. יש להיכנס לספק התשלומים עם הכתובת של אמצעי התשלום ולקבל אותו.",
  "payment.failed": "התשלום נכשל. יש לבדוק את אמצעי התשלום או לבחור אחר.",
  "payment.returned": "הכסף חזר. יש לבדוק את אמצעי התשלום או לבחור אחר.",
  "paper.invoice": "חשבונית עצמית",
  "paper.credit_note": "זיכוי לחשבונית עצמית",
  "paper.draft": "טיוטה",
  "paper.number": "מספר",
  "paper.date": "תאריך",
  "paper.cancels": "מבטל את חשבונית",
  "paper.supplier": "ספק",
  "paper.customer": "לקוח",
  "paper.vat_id": "מספר מע״מ {number}",
  "paper.tax_number": "מספר תיק {number}",
  "paper.registration_number": "מספר רישום {number}",
  "paper.commissions": "עמלות על הפניות",
  "paper.payout": "תשלום",
  "paper.campaign": "קמפיין",
  "paper.period": "תקופה",
  "paper.period.days": "{from} עד {to}",
  "paper.amount": "סכום",
  "paper.net": "סכום לפני מס",
  "paper.tax": "מס, {rate} %",
  "paper.total": "סך הכול",
  "paper.reverse_charge":
    "חיוב הפוך (Reverse charge): הלקוח חייב במע״מ (סעיפים 44 ו־196 של הדירקטיבה 2006/112/EC).",
  "paper.self_billing": "נכתב בידי {company} בשם {promoter}, בהסכמה מיום {date} (גרסה {version} של ההסכם).",
  "method.bank": "העברה בנקאית",
  "method.crypto": "ארנק קריפטו",
  "method.custom": "דרך אחרת",
  "method.paypal": "PayPal",
  "method.wise": "Wise",
  "method.dots": "Dots",
  "page.portal": "פורטל השותפים",
  "page.join": "הצטרפות לשותפים",
  "page.no_script": "הדף הזה זקוק ל־JavaScript",
  "page.no_script.text": "יש לאפשר סקריפטים לכתובת הזאת ולטעון את הדף מחדש.",
  "page.no_script.api": "תוכנות יכולות לעשות את כל זה דרך ה־API:",

  // pages that promoters reach by a link
  "page.emails": "הודעות דואר",
  "page.emails.ask": "להפסיק לקבל את ההודעות האלה?",
  "page.emails.stop": "הסרה מרשימת התפוצה",
  "page.emails.stopped": "ההודעות האלה לא יישלחו אליך יותר.",
  "page.method": "אמצעי התשלום שלך",
  "page.method.ask":
    "מישהו אחר שינה את אמצעי התשלום שלך? אם כן, יש ללחוץ על הכפתור. לא יישלח אליך תשלום עד שהחברה תדבר איתך.",
  "page.method.not_me": "זה לא השינוי שלי",
  "page.method.held":
    "תודה. התשלומים שלך הוקפאו, והודענו לחברה. עכשיו כדאי לבחור סיסמה חדשה בפורטל ולבדוק את אמצעי התשלום.",
  "page.link.used": "הקישור הזה כבר נוצל.",
  "page.link.invalid": "הקישור הזה אינו תקף.",
  "page.entry.used": "הקישור הזה נוצל לפני רגע. הוא יפעל שוב בעוד דקה.",
  "page.entry.too_many": "היו יותר מדי ניסיונות כניסה. אפשר לנסות שוב בעוד כמה דקות.",
  "page.entry.current": "הכניסה הנוכחית היא בשם {name}.",
  "page.entry.ask": "להיכנס בשם {name}?",
  "page.entry.change": "כניסה בשם {name}",
  "page.entry.stay": "להישאר בשם {name}",
};

const portal = "הכול נמצא בפורטל שלך: {{portal_url}}";
const notYou = "אם לא ביקשת זאת, אפשר להתעלם מההודעה.";
const confirmation = {
  subject: "אישור הכתובת שלך ל־{{campaign_name}}",
  paragraphs: [
    "הוגשה בקשה ל־{{campaign_name}} של {{company_name}} עם כתובת הדואר הזאת. אם הבקשה שלך, יש לפתוח את הקישור כדי לאשר את הכתובת:",
    "{{sign_in_url}}",
    "אם לא, אפשר להתעלם מההודעה.",
  ],
};

const mails: Catalogue["mails"] = {
  signup_accepted: {
    subject: "ברוכים הבאים ל־{{campaign_name}}",
    paragraphs: [
      "הצטרפת לשותפים של {{company_name}}. זה הקישור שלך. לפיו אנחנו יודעים אילו מבקרים שלחת:",
      "{{ref_link}}",
      "{{offer}}",
      portal,
    ],
  },
  accepted: {
    subject: "התקבלת ל־{{campaign_name}}",
    paragraphs: [
      "{{company_name}} אישרה אותך. זה הקישור שלך. לפיו אנחנו יודעים אילו מבקרים שלחת:",
      "{{ref_link}}",
      "{{offer}}",
      portal,
    ],
  },
  rejected: {
    subject: "הבקשה שלך ל־{{campaign_name}}",
    paragraphs: ["תודה על ההתעניינות. {{company_name}} אינה יכולה לקבל אותך ל־{{campaign_name}} כעת."],
  },
  new_referral: {
    subject: "יש לך ליד חדש",
    paragraphs: ["נרשמו ל־{{company_name}} דרך הקישור שלך {{ref_link}}.", portal],
  },
  new_referrals: {
    subject: "יש לך לידים חדשים נוספים",
    paragraphs: [
      "אנשים נוספים נרשמו ל־{{company_name}} דרך הקישור שלך {{ref_link}}. מספרם: {{count}}.",
      portal,
    ],
  },
  new_commission: {
    subject: "הרווחת עמלה",
    paragraphs: ["{{company_name}} זיכתה אותך ב־{{amount}} עבור {{campaign_name}}.", portal],
  },
  payout_sent: {
    subject: "התשלום שלך נשלח",
    paragraphs: ["{{company_name}} שלחה לך תשלום של {{amount}} עבור {{campaign_name}}.", portal],
  },
  new_links: {
    subject: "הקישור החדש שלך ל־{{campaign_name}}",
    paragraphs: [
      "{{company_name}} העבירה את התוכנית למערכת חדשה. הרווחים שלך נשמרו. מעכשיו זה הקישור שלך:",
      "{{ref_link}}",
      "נא להחליף בו את הקישור הישן בכל מקום.",
      portal,
    ],
  },
  sign_in_link: {
    subject: "קישור הכניסה שלך ל־{{company_name}}",
    paragraphs: ["הקישור הזה מכניס אותך. הוא תקף פעם אחת, למשך 15 דקות:", "{{sign_in_url}}", notYou],
  },
  join_accepted: confirmation,
  join_waiting: confirmation,
  promoter_invitation: {
    subject: "{{company_name}} מזמינה אותך ל־{{campaign_name}}",
    paragraphs: [
      "{{company_name}} צירפה אותך לשותפים של {{campaign_name}}.",
      "{{message}}",
      "{{offer}}",
      "זה הקישור שלך. לפיו אנחנו יודעים אילו מבקרים שלחת:",
      "{{ref_link}}",
      "יש לפתוח את הקישור הזה כדי לבחור סיסמה לפורטל, שבו רואים מה הרווחת. הוא תקף פעם אחת, למשך שבעה ימים:",
      "{{sign_in_url}}",
    ],
  },
  payout_method_changed: {
    subject: "אמצעי התשלום שלך השתנה",
    paragraphs: [
      "אמצעי התשלום שלך ב־{{company_name}} השתנה ב־{{changed_on}}. מעכשיו התשלום יגיע כך: {{method}}. אם השינוי שלך, הכול בסדר.",
      "אם לא, יש לפתוח את הקישור הזה. הוא תקף פעם אחת, ו־{{company_name}} לא תשלם לך דבר לפני שתדבר איתך:",
      "{{not_me_url}}",
    ],
  },
  payment_unclaimed: {
    subject: "{{amount}} מחכים לך",
    paragraphs: [
      "{{company_name}} שילמה לך {{amount}} דרך {{provider}}. הכסף מחכה לך שם: יש להיכנס עם הכתובת של אמצעי התשלום ולקבל אותו. אחרת הוא יחזור אחרי כמה שבועות.",
      portal,
    ],
  },
  payment_failed: {
    subject: "התשלום שלך בסך {{amount}} נכשל",
    paragraphs: [
      "{{company_name}} רצתה לשלם לך {{amount}} דרך {{provider}}, אך התשלום ב־{{provider}} נכשל. לא הפסדת דבר: הסכום עדיין מגיע לך. יש לבדוק את אמצעי התשלום או לבחור אחר.",
      portal,
    ],
  },
  payment_returned: {
    subject: "התשלום שלך בסך {{amount}} חזר",
    paragraphs: [
      "{{company_name}} שילמה לך {{amount}} דרך {{provider}}, והכסף חזר. לא הפסדת דבר: הסכום עדיין מגיע לך. יש לבדוק את אמצעי התשלום או לבחור אחר.",
      portal,
    ],
  },
  stripe_incomplete: {
    subject: "Stripe צריכה ממך פרטים נוספים",
    paragraphs: [
      "{{company_name}} לא יכולה לשלם לך כרגע דרך Stripe, כי Stripe צריכה ממך פרטים נוספים. אפשר להמשיך בטופס של Stripe מהפורטל: {{portal_url}}",
    ],
  },
  stripe_ready: {
    subject: "אפשר לשלם לך דרך Stripe",
    paragraphs: ["החשבון שלך ב־Stripe מוכן, ו־{{company_name}} יכולה לשלם לך דרכו. אין צורך לעשות דבר."],
  },
  stripe_restricted: {
    subject: "כרגע אי אפשר לשלם לך דרך Stripe",
    paragraphs: [
      "החשבון שלך ב־Stripe מוגבל, ו־{{company_name}} לא יכולה לשלם לך דרכו כרגע. לא הפסדת דבר. בפורטל אפשר לראות מה ניתן לעשות, וגם לבחור אמצעי תשלום אחר: {{portal_url}}",
    ],
  },
  address_known: {
    subject: "כבר יש לך חשבון ב־{{company_name}}",
    paragraphs: [
      "הייתה בקשה להצטרף ל־{{campaign_name}} עם כתובת הדואר שלך. כבר יש לך חשבון. אם הבקשה שלך, הקישור הזה מכניס אותך. הוא תקף פעם אחת, למשך 15 דקות:",
      "{{sign_in_url}}",
      notYou,
    ],
  },
};

const frame = {
  greeting: "שלום {{first_name}},",
  hello: "שלום,",
  open: "המשך",
  unsubscribe: "הסרה מרשימת התפוצה:",
};

export const he: Catalogue = { texts, mails, frame };
