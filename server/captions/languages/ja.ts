import type { LanguageWords } from '../language-words.ts';

/** Japanese, in words as the segmenter divides them; particles and endings belong to the previous word. */
export const ja: LanguageWords = {
  enclitics:
    'は が を に へ で と も の から まで より や ね よ か な さ わ ぞ ので のに けど けれど だけ しか ほど くらい ぐらい など って て た だ だった です でし でした ます まし ました ません しま した し する れる られ られる せる させ ない なかっ なく たい う ん ば たら なら ながら たり たち さん 的 化 性 者 年 月 日 時 分 秒 人 円 つ 個 回 いる い よう うち こと ところ みな け れ できる',
  modifiers: 'この その あの どの ある とても もっと 最も 約 第',
};
