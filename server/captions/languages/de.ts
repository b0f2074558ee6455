import type { LanguageWords } from '../language.ts';

export const de: LanguageWords = {
  articles:
    'der die das den dem des ein eine einen einem einer eines dieser diese dieses diesen diesem kein keine keinen',
  possessives:
    'mein meine meinen meinem dein deine sein seine seinen seinem ihr ihre ihren ihrem unser unsere euer eure',
  prepositions:
    'an am auf aus außer bei beim bis durch für gegen gegenüber hinter im in ins mit nach neben ohne seit trotz über um unter von vom vor während wegen zu zum zur zwischen',
  conjunctions:
    'und oder aber denn sondern dass weil obwohl wenn als ob während damit sodass bevor nachdem wo wie',
  auxiliaries:
    'ist sind war waren bin bist seid habe hat haben hatte hatten wird werden wurde wurden kann können soll sollen muss müssen will wollen darf',
  pronouns: 'ich du er sie es wir ihr man',
  abbreviations: 'z.b. d.h. u.a. usw. bzw. ca. dr. prof. hr. fr. nr. str.',
};
