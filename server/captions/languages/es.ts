import type { LanguageWords } from '../language-words.ts';

/** Spanish. */
export const es: LanguageWords = {
  adjectivesFollow: true,
  articles: 'el la los las lo un una unos unas',
  possessives: 'mi mis tu tus su sus nuestro nuestra nuestros nuestras vuestro vuestra',
  determiners:
    'este esta estos estas ese esa esos esas aquel aquella aquellos aquellas cada todo toda todos todas algún alguna algunos algunas ningún ninguna otro otra otros otras mucho mucha muchos muchas pocos pocas varios varias tanto tanta cuyo cuya dos tres cuatro cinco seis siete ocho nueve diez cien mil primer primera',
  prepositions:
    'a al ante bajo con contra de del desde durante en entre hacia hasta mediante para por según sin sobre tras',
  conjunctions:
    'y e o u ni pero sino porque aunque si cuando mientras donde como que pues cual cuales quien quienes',
  auxiliaries:
    'es son era eran fue fueron ser ha han había habían he hemos está están estaba estaban puede pueden podemos podría va van vamos debe deben hay',
  pronouns: 'yo tú él ella nosotros ellos ellas usted ustedes se me te le les nos no',
  objectPronouns: 'él ella nosotros ellos ellas usted ustedes',
  modifiers:
    'muy más menos tan bien también ya casi solo sólo aún todavía gran buen mal nuevo nueva breve mejor peor mayor último última mismo misma propio propia antiguo antigua',
  participleEndings: 'ando iendo',
  units:
    'euros euro dólares pesos años año meses mes semanas días día horas hora minutos segundos kilómetros metros millones millón mil por ciento veces',
  titles: 'sr. sra. srta. dr. dra. d. dña. prof. ing. lic.',
  counters: 'núm. n.º pág. art. cap. vol.',
  abbreviations: 'ud. uds. p.ej. etc. ee.uu. a.c. d.c. s.a.',
};
