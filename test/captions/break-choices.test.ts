/**
 * Sentences whose breaks depend on the costs: a bar begins a line, two bars begin a caption. The words follow each
 * other without a pause. Each sentence is divided differently if some of the costs of its breaks are doubled, left out
 * or negated; together the sentences do so for nearly all costs of word classes. The costs themselves are in
 * class-costs.test.ts and cue-costs.test.ts.
 */
import { expect, test } from 'bun:test';
import { buildCues, type CaptionWord } from '../../server/captions/build.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../server/contract/captions.ts';

const SECONDS_PER_CHARACTER = 0.06;

function evenly(text: string): CaptionWord[] {
  let at = 0;
  return text.split(' ').map((word) => {
    const start = at;
    at += (word.length + 1) * SECONDS_PER_CHARACTER;
    return { text: word, start, end: at };
  });
}

test.each([
  [
    'en',
    'We wanted to know whether the people | who live near the river would use a bridge ‖ that nobody had asked for, ‖ and the answer that we found | surprised every engineer in the room.',
  ],
  [
    'en',
    'My grandmother kept a small notebook | in which she wrote down ‖ everything she had bought | since the end of the war, ‖ and last summer my sister found | it under the stairs.',
  ],
  [
    'en',
    "I was standing behind the stage | holding 25 pages of notes ‖ when Ada Lovelace's name | appeared on the screen ‖ and everybody began to laugh.",
  ],
  [
    'en',
    'Nobody believed him at first. ‖ He built it anyway. ‖ Three years later more than 400 schools ‖ were using the same simple plan | for growing food on their roofs.',
  ],
  [
    'en',
    'What she said next changed | the way we think about sleep: ‖ people who dream | about their work are tired, ‖ and they are happier too.',
  ],
  [
    'en',
    'When the lights went out we kept talking | quietly about the letters “we never sent” ‖ and the promises (most of them broken) | that we had made.',
  ],
  [
    'fr',
    "Nous voulions savoir si les gens ‖ qui habitent près | du fleuve utiliseraient un pont ‖ que personne n'avait demandé, ‖ et la réponse que nous avons trouvée | a surpris tous les ingénieurs.",
  ],
  [
    'fr',
    "Ma grand-mère gardait un petit carnet | dans lequel elle notait ‖ tout ce qu'elle achetait | depuis la fin de la guerre, ‖ et ma sœur l'a retrouvé sous l'escalier.",
  ],
  [
    'fr',
    "La première machine était lente, | bruyante et très chère ; ‖ la deuxième tient dans votre poche | et coûte moins qu'un café.",
  ],
  [
    'fr',
    'Il a donné une carte aux enfants | et leur a demandé où ils pensaient ‖ que le trésor était caché ‖ et combien de temps | il faudrait pour le trouver.',
  ],
  [
    'de',
    'Niemand glaubte ihm. ‖ Er baute sie trotzdem. ‖ Drei Jahre später arbeiteten mehr ‖ als 400 Schulen nach dem gleichen | einfachen Plan für ihre Gärten.',
  ],
  [
    'de',
    'Er gab den Kindern eine Karte | und fragte sie ‖ wo der Schatz wohl versteckt liege ‖ und wie lange jemand grabe | um ihn zu finden.',
  ],
  [
    'de',
    'Das Wasser aus dem Berg | ist sauber genug zum Trinken ‖ aber die Stadt die es benutzt liegt | 300 Kilometer entfernt ‖ und wächst sehr schnell.',
  ],
  [
    'es',
    'Nadie le creyó al principio. ‖ La construyó de todos modos. ‖ Tres años después más de 400 escuelas ‖ seguían el mismo plan sencillo | para cultivar comida.',
  ],
  [
    'it',
    "Se attraversate la città vecchia | di notte sentirete un rumore ‖ che la maggior parte | dei visitatori non nota mai ‖ perché l'acqua scorre sotto le strade.",
  ],
  [
    'it',
    "L'acqua che esce dalla montagna | è abbastanza pulita da bere ma la città ‖ che la usa è a 300 chilometri | e cresce ancora molto in fretta.",
  ],
  [
    'pt',
    'Queríamos saber se as pessoas | que vivem perto do rio usariam uma ponte ‖ que ninguém tinha pedido, ‖ e a resposta que encontrámos surpreendeu | todos os engenheiros.',
  ],
  [
    'pt',
    'A minha avó guardava um caderno pequeno ‖ onde escrevia tudo o que tinha comprado | desde o fim da guerra, ‖ e a minha irmã encontrou-o | debaixo das escadas.',
  ],
  [
    'nl',
    'We wilden weten of de mensen | die bij de rivier wonen ‖ een brug zouden gebruiken | waar niemand om had gevraagd, ‖ en het antwoord verraste alle ingenieurs.',
  ],
  [
    'nl',
    'Ze vertelden ons over een arts | in Utrecht die haar patiënten behandelt ‖ zonder ze te zien ‖ en die de verpleegsters | nog nooit heeft ontmoet.',
  ],
  [
    'nl',
    'De eerste machine was langzaam, | luid en erg duur; ‖ de tweede past in je zak | en kost minder dan een kop koffie.',
  ],
])('%s: %s', (language, divided) => {
  const words = evenly(divided.replaceAll(/ [|‖]/g, ''));
  const cues = buildCues(words, DEFAULT_CAPTION_SETTINGS, language);
  expect(cues.map(({ lines }) => lines.join(' | ')).join(' ‖ ')).toBe(divided);
});
