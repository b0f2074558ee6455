import type { LanguageWords } from '../language-words.ts';

/** Spanish. */
export const es: LanguageWords = {
  adjectivesFollow: true,
  articles: 'el la los las lo un una unos unas',
  possessives:
    'mi mis tu tus su sus nuestro nuestra nuestros nuestras vuestro vuestra vuestros vuestras',
  determiners:
    'este esta estos estas ese esa esos esas aquel aquella aquellos aquellas cada todo toda todos todas algún alguna algunos algunas ningún ninguna otro otra otros otras mucho mucha muchos muchas pocos pocas varios varias tanto tanta cuyo cuya dos tres cuatro cinco seis siete ocho nueve diez cien mil primer primera ningunos ningunas poco poca tantos tantas cuanto cuanta cuantos cuantas cualquier cualquiera tal tales ambos ambas diversos diversas cierto cierta ciertos ciertas sendos cuyos cuyas once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa ciento doscientos doscientas trescientos trescientas primeros primeras tercer tercera qué',
  prepositions:
    'a al ante bajo con contra desde durante en entre hacia hasta mediante para por según sin sobre tras excepto salvo versus',
  genitives: 'de del',
  conjunctions:
    'y e o u ni pero sino porque aunque si cuando mientras donde como que pues cual cuales quien quienes conque mas adonde cuál cuáles quién quiénes dónde cuándo cómo',
  auxiliaries:
    'es son era eran fue fueron ser ha han había habían he hemos está están estaba estaban puede pueden podemos podría va van vamos debe deben hay soy eres somos sois eras éramos fui fuiste fuimos seré será seremos serán sería seríamos serían sea seas seamos sean fueran fuese fuesen siendo sido estoy estás estamos estuve estuvo estuvimos estuvieron estará estarán estaría estarían esté estemos estén estuviera estuvieran estar has habíamos hube hubo hubieron habré habrá habremos habrán habría habríamos habrían haya hayamos hayan hubiera hubiéramos hubieran hubiese haber voy vas iba íbamos iban vaya vayamos vayan ir puedo puedes podía podíamos podían pude pudo pudimos pudieron podré podrá podremos podrán podríamos podrían pueda podamos puedan pudiera pudieran debo debes debemos debía debíamos debían deberá deberán debería deberíamos deberían suele suelen solía solían',
  pronouns:
    'yo tú él ella nosotros ellos ellas usted ustedes se me te le les nos no vosotros vosotras nosotras os esto eso aquello mí ti sí conmigo contigo consigo ello',
  objectPronouns:
    'él ella nosotros ellos ellas usted ustedes vosotros vosotras nosotras esto eso aquello mí ti sí conmigo contigo consigo ello',
  modifiers:
    'muy más menos tan bien también ya casi solo sólo aún todavía gran buen mal nuevo nueva breve mejor peor mayor último última mismo misma propio propia antiguo antigua',
  beforePrepositions:
    'antes después además dentro fuera cerca lejos junto gracias debido través pesar acerca alrededor',
  pairs: {
    que: 'ya así antes después siempre puesto dado mientras ahora',
    como: 'tal así',
    si: 'incluso',
  },
  participleEndings: 'ando iendo',
  units:
    'euros euro dólares pesos años año meses mes semanas días día horas hora minutos segundos kilómetros metros millones millón mil por ciento veces',
  titles: 'sr. sra. srta. dr. dra. d. dña. prof. ing. lic.',
  counters: 'núm. n.º pág. art. cap. vol.',
  abbreviations: 'ud. uds. p.ej. etc. ee.uu. a.c. d.c. s.a.',
};
