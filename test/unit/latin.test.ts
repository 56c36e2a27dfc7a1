import { describe, expect, it } from "vitest";
import { hasLatinForm, latinOf } from "../../server/domain/latin.ts";

describe("a name in Latin letters", () => {
  it.each([
    ["Jürgen Müller-Weiß", "DE", "Juergen Mueller-Weiss"],
    ["Müller", "TR", "Muller"],
    ["Søren Ågård", "DK", "Soeren Aagaard"],
    ["Åsa Öberg", "SE", "Asa Oberg"],
    ["Kåre Ødegård", "NO", "Kaare Oedegaard"],
    ["Łukasz Żółć", "PL", "Lukasz Zolc"],
    ["Ağaoğlu İnşaat", "TR", "Agaoglu Insaat"],
    ["Nguyễn Đức", "VN", "Nguyen Duc"],
    ["Сергей Щукин", "RU", "Sergey Shchukin"],
    ["Юрій Гнатюк", "UA", "Yuriy Hnatyuk"],
    ["Щъркелов", "BG", "Shtarkelov"],
    ["Γιώργος Παπαδόπουλος", "GR", "Giorgos Papadopoulos"],
    ["გიორგი", "GE", "giorgi"],
    ["ヤマダ タロウ", "JP", "Yamada Tarou"],
    ["ﾔﾏﾀﾞ ｼﾝｲﾁ", "JP", "Yamada Shinichi"],
    ["O’Neill", "IE", "O'Neill"],
    ["Jane 🎉 Doe 👩🏽‍💻", "US", "Jane Doe"],
  ])("writes %s of %s as %s", (name, country, latin) => {
    expect(latinOf(name, country)).toBe(latin);
  });

  it.each(["山田太郎", "王小明", "김철수", "محمد", "דוד", "สมชาย", "राम", "Jane 王", "山田 タロウ"])(
    "is not guessed for %s, nor for a part of it",
    (name) => {
      expect([latinOf(name, "JP"), hasLatinForm(name)]).toEqual([null, false]);
    },
  );

  it("is none without a letter", () => {
    expect(["🎉", "", "\u0000\n", "-"].map((name) => hasLatinForm(name))).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});
