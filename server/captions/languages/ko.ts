import type { LanguageWords } from '../language-words.ts';

/**
 * Korean: bound nouns, auxiliaries and the words that follow a particle (“고객을 위해”) belong to the word before them;
 * a word that ends as modifiers of nouns do (“중요한”, “만드는”) belongs to the one after it.
 */
export const ko: LanguageWords = {
  enclitics:
    '것 것은 것이 것을 것도 것으로 것처럼 것입니다 거 거라고 거예요 수 수가 수는 수도 줄 줄을 때 때문에 때문입니다 적 데 뿐 듯 만큼 대로 동안 등 있다 있는 있고 있어 있으며 있어요 있습니다 있는지 있는지에 있다고 없다 없는 없고 없습니다 않다 않는 않고 않습니다 싶다 싶습니다 합니다 주세요 보겠습니다 위해 위한 대해 대해서 대한 통해 따라 일은 일이 있게 있을 있을지 못한 보니 않으면 하면 했더니',
  modifiers:
    '이 그 더 가장 아주 매우 너무 정말 다시 한 두 세 네 다섯 여섯 일곱 여덟 아홉 열 첫 각 매 전 모든 여러 다른 어떤 이런 그런 같은 많은 좋은 새',
  modifierEndings: '하는 되는 한 된 할 될 적인 로운 만드는 쓰는',
  units: '년 월 일 시 시간 분 초 원 달러 명 개 번 퍼센트',
};
