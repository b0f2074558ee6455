import type { LanguageWords } from '../language-words.ts';

/** Korean: bound nouns and auxiliaries belong to the word before them. */
export const ko: LanguageWords = {
  enclitics:
    '것 것은 것이 것을 것입니다 거 거라고 거예요 수 줄 때 때문에 적 데 뿐 듯 있습니다 없습니다 있는 있고 있으며 있어요 않습니다 싶습니다 합니다 일은 일이',
  modifiers: '이 그 더 가장 아주 한 두 첫',
};
