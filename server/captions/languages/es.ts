import type { LanguageWords } from '../language.ts';

export const es: LanguageWords = {
  articles:
    'el la los las lo un una unos unas este esta estos estas ese esa esos esas aquel aquella',
  possessives: 'mi mis tu tus su sus nuestro nuestra nuestros nuestras vuestro vuestra',
  prepositions:
    'a al ante bajo con contra de del desde durante en entre hacia hasta mediante para por según sin sobre tras',
  conjunctions:
    'y e o u ni pero sino porque aunque si cuando mientras donde como que pues cuyo cual',
  auxiliaries:
    'es son era eran fue fueron ha han había he hemos está están estaba puede pueden va van',
  pronouns: 'yo tú él ella nosotros ellos ellas usted ustedes se me te le les nos',
  abbreviations: 'sr. sra. srta. dr. dra. ud. uds. p.ej. etc. ee.uu.',
};
