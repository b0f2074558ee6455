import type { LanguageWords } from '../language-words.ts';

/** Chinese, in words as the segmenter divides them; endings belong to the previous word. */
export const zh: LanguageWords = {
  enclitics:
    '的 了 着 过 吗 呢 吧 啊 呀 嘛 们 地 得 之 等 里 上 下 中 内 外 后 前 年 月 日 号 个 些 次 种 位 女士 先生',
  prepositions: '在 从 把 被 对 向 往 给 跟 为 由 于 以 按 比 让 使 用',
  conjunctions:
    '和 与 或 及 但 而 并 且 因为 所以 如果 虽然 但是 不过 或者 而且 因此 然后 那么 就是 以及 来自于',
  auxiliaries: '是 有 会 能 可以 应该 必须 要 想 将 正在',
  determiners: '这 那 每 某 各 这个 那个 一个 这些 那些 一些 许多 很多 每个 所有',
  modifiers: '的 地 很 最 更 太 非常 不 没 没有 也 都 还 就 只 才 又 再 已经 新的',
  pronouns: '我 你 他 她 它 我们 你们 他们 她们 它们 您',
  objectPronouns: '我 你 他 她 它 我们 你们 他们 她们 它们 您',
};
