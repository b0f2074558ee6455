/** Cues and lines from words. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { endingBy, buildCaptions, buildCues } from '../../server/captions/build/build.ts';
import { assessCaptions } from '../../server/captions/rules/quality.ts';
import { columns, graphemes, joinWords } from '../../server/captions/width.ts';
import { CaptionCue, type CaptionSettings } from '../../server/contract/captions.ts';
import { type Breaks } from '../../server/captions/divide/breaks.ts';
import { languageOf } from '../../server/captions/language.ts';
import { type Token, tokensOf } from '../../server/captions/divide/tokens.ts';
import { PAGE, SPEECH } from './page.ts';
import { linesOf, linesOfCharacters, speak } from './support.ts';
import { settingsRules, type Measures } from '../../server/captions/divide/build-rules.ts';
import { divide, cueCosts } from '../../server/captions/divide/divide.ts';
import { breakLines, lineSetter } from '../../server/captions/divide/lines.ts';
import { rounds } from '../support/fuzz.ts';
import { type Caption } from '../../server/captions/cue.ts';
import { toSrt } from '../../server/captions/files/srt.ts';
import { toPlainText } from '../../server/captions/files/plain-text.ts';
import { toVtt } from '../../server/captions/files/vtt.ts';
import { Type, validator } from '../../server/contract/schema.ts';
import { hostileWords, settingsArbitrary, soundWords } from './words.ts';
import type { CaptionWord } from '../../server/captions/divide/fix-word-times.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../server/contract/caption-defaults.ts';
import {
  italicRuns,
  readItalics,
  withoutItalics,
  writeItalics,
} from '../../server/captions/italics.ts';
import { endsSentence } from '../../server/captions/punctuation.ts';

setDefaultTimeout(300_000);

test.each([
  ['vrai|?', 'vrai ?'],
  ['25|%', '25|%'],
  ['¿|De|veras', '¿ De|veras'],
  ['Sí|¿|No', 'Sí|¿ No'],
  ['Sí|¡|No', 'Sí|¡ No'],
  ['Sí|-|No', 'Sí|-|No'],
])('a mark is never separated from its word by a silence: %s', (words, cues) => {
  const spoken = words.split('|').map((text, at) => ({ text, start: at * 3, end: at * 3 + 0.5 }));
  const built = buildCues(spoken, DEFAULT_CAPTION_SETTINGS, 'es');
  expect(built.map((cue) => cue.text).join('|')).toBe(cues);
  // No caption waits for a mark.
  for (const { start, end } of built) expect(end - start).toBeLessThan(1);
});

describe('* Sentences whose breaks depend on the costs', () => {
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
    'en: We wanted to know whether the people | who live near the river would use a bridge ‖ that nobody had asked for, ‖ and the answer that we found | surprised every engineer in the room.',
    'en: My grandmother kept a small notebook | in which she wrote down ‖ everything she had bought | since the end of the war, ‖ and last summer my sister found | it under the stairs.',
    "en: I was standing behind the stage | holding 25 pages of notes ‖ when Ada Lovelace's name | appeared on the screen ‖ and everybody began to laugh.",
    'en: Nobody believed him at first. ‖ He built it anyway. ‖ Three years later more than 400 schools ‖ were using the same simple plan | for growing food on their roofs.',
    'en: What she said next changed | the way we think about sleep: ‖ people who dream | about their work are tired, ‖ and they are happier too.',
    'en: When the lights went out we kept talking | quietly about the letters “we never sent” ‖ and the promises (most of them broken) | that we had made.',
    "fr: Nous voulions savoir si les gens ‖ qui habitent près | du fleuve utiliseraient un pont ‖ que personne n'avait demandé, ‖ et la réponse que nous avons trouvée | a surpris tous les ingénieurs.",
    "fr: Ma grand-mère gardait un petit carnet | dans lequel elle notait ‖ tout ce qu'elle achetait | depuis la fin de la guerre, ‖ et ma sœur l'a retrouvé sous l'escalier.",
    "fr: La première machine était lente, | bruyante et très chère ; ‖ la deuxième tient dans votre poche | et coûte moins qu'un café.",
    'fr: Il a donné une carte aux enfants | et leur a demandé où ils pensaient ‖ que le trésor était caché ‖ et combien de temps | il faudrait pour le trouver.',
    'de: Niemand glaubte ihm. ‖ Er baute sie trotzdem. ‖ Drei Jahre später arbeiteten mehr ‖ als 400 Schulen nach dem gleichen | einfachen Plan für ihre Gärten.',
    'de: Er gab den Kindern eine Karte | und fragte sie ‖ wo der Schatz wohl versteckt liege ‖ und wie lange jemand grabe | um ihn zu finden.',
    'de: Das Wasser aus dem Berg | ist sauber genug zum Trinken ‖ aber die Stadt die es benutzt liegt | 300 Kilometer entfernt ‖ und wächst sehr schnell.',
    'es: Nadie le creyó al principio. ‖ La construyó de todos modos. ‖ Tres años después más de 400 escuelas ‖ seguían el mismo plan sencillo | para cultivar comida.',
    "it: Se attraversate la città vecchia | di notte sentirete un rumore ‖ che la maggior parte | dei visitatori non nota mai ‖ perché l'acqua scorre sotto le strade.",
    "it: L'acqua che esce dalla montagna | è abbastanza pulita da bere ma la città ‖ che la usa è a 300 chilometri | e cresce ancora molto in fretta.",
    'pt: Queríamos saber se as pessoas | que vivem perto do rio usariam uma ponte ‖ que ninguém tinha pedido, ‖ e a resposta que encontrámos surpreendeu | todos os engenheiros.',
    'pt: A minha avó guardava um caderno pequeno ‖ onde escrevia tudo o que tinha comprado | desde o fim da guerra, ‖ e a minha irmã encontrou-o | debaixo das escadas.',
    'pt: Boa noite e obrigado | a todos por terem vindo. ‖ Há dez anos, quando comecei | a escrever legendas ‖ para as aulas da Dra. Amara Okafor, ‖ pensei que a parte difícil seria digitar.',
    'nl: We wilden weten of de mensen | die bij de rivier wonen ‖ een brug zouden gebruiken | waar niemand om had gevraagd, ‖ en het antwoord verraste alle ingenieurs.',
    'nl: Ze vertelden ons over een arts | in Utrecht die haar patiënten behandelt ‖ zonder ze te zien ‖ en die de verpleegsters | nog nooit heeft ontmoet.',
    // Without a list of its words: by punctuation, pauses and balance.
    'pl: Dziś chcę wam pokazać, ‖ jak agent może sam się | zarejestrować w tej usłudze.',
    'nl: De eerste machine was langzaam, | luid en erg duur; ‖ de tweede past in je zak | en kost minder dan een kop koffie.',
  ])('%s', (row) => {
    const [language, divided] = [row.slice(0, 2), row.slice(4)];
    const words = evenly(divided.replaceAll(/ [|‖]/g, ''));
    const cues = buildCues(words, DEFAULT_CAPTION_SETTINGS, language);
    expect(cues.map(({ lines }) => lines.join(' | ')).join(' ‖ ')).toBe(divided);
  });
});

test.each(Object.entries(PAGE))('the page in %s, without a fault', (language, page) => {
  const cues = buildCues(speak(SPEECH.get(language)!), DEFAULT_CAPTION_SETTINGS, language);
  expect(cues.map(({ lines }) => lines.join(' | ')).join(' ‖ ')).toBe(page);
  const { score, warnings } = assessCaptions(cues, DEFAULT_CAPTION_SETTINGS, language);
  expect([score, warnings]).toEqual([1, []]);
});

test.each([
  ['en', 'said.', 'Then', true],
  ['en', 'said.”', 'Then', true],
  ['en', 'really?!', undefined, true],
  ['en', 'wait…', 'what', true],
  ['en', 'Dr.', 'Smith', false],
  ['en', 'J.', 'Smith', false],
  ['en', 'e.g.', 'this', false],
  ['en', 'U.S.', 'Army', false],
  ['en', 'U.S.', 'We', true],
  ['en', 'U.S.', undefined, true],
  ['en', 'No.', '5', false],
  ['en', 'No.', 'I', true],
  ['en', '3.', '14', false],
  ['en', '3.5', 'million', false],
  ['en', 'well,', 'then', false],
  ['de', 'z.B.', 'heute', false],
  ['es', 'Sr.', 'García', false],
  ['ja', 'です。', '次', true],
  ['fr', 'est.', 'Elle', true],
] as const)('ends of sentences in %s: %s %s', (language, word, next, ends) => {
  expect(endsSentence(word, next, languageOf(language))).toBe(ends);
});

/** Texts with a low line where no line may begin: after small words, inside names, measures and phrases. */
test.each([
  'en: We spoke with Dr._Smith and with Prof._Ada_Lovelace at the start.',
  'en: It takes 25_minutes to walk the 12_kilometers with 40_kg of salt.',
  'en: He told all of us “I_do_not_know” and left.',
  'en: the_agent asks for a_list of_all of_the_tools that_are in_the_service of_the_team',
  'es: Vivimos diez años en los EE._UU. antes de_volver con_toda la_familia a Madrid.',
  'es: el_agente pide una_lista de_todas las_herramientas que_hay en_el_servicio de_la_casa',
  "fr: l'agent demande une_liste de_tous les_outils qui_sont dans_le_service de_la_maison",
  'de: der_Agent bittet um_eine_Liste von_allen Werkzeugen die_es in_dem_Dienst des_Hauses gibt',
  'pt: o_agente pede uma_lista de_todas as_ferramentas que_existem no_serviço da_casa',
  'it: il_programma chiede una_lista di_tutti gli_strumenti che_sono nel_servizio della_casa',
  'nl: de_agent vraagt om_een_lijst van_alle werktuigen die_er in_de_dienst van_het_huis zijn',
  'ko: 그래서 우리는 지난 몇 년 동안 아주_새로운_도구를 만들었고 많은_사람들이 그_도구를 쓰고 여섯_자리 코드를 입력하는 모든_분에게 중요한_도움을 줍니다',
  'he: היום אנחנו מדברים על_השרת של_OpenAI עם_25 מודלים שונים כי_הוא קורא את_הטקסט לפני_שהוא מגיע אל_הצופים בבית',
  'ar: نتحدث اليوم عن_خادم API من_OpenAI مع_25 نموذجا مختلفا في_هذا المشروع الذي_بدأ قبل_عشر سنوات على_يد فريق صغير',
  'ko: 우리는 이 프로그램으로 자막을 만들_수 있다고 생각했고 한 줄을 어디에서 끝낼지 아는_것이 가장 어렵다는_것을 배웠습니다',
  'ko: 이 모델은 100개 이상의 언어를 지원하고_있으며 우리는 지금 새로운 것을 만들고_싶습니다 그래서 기다리지_않습니다',
  'ko: 우리는 고객을_위해 더 좋은 서비스를 만드는_것이 가장 중요한 일이라고 생각합니다 어떤 문제가 생길_수_있는지에_대해 이야기해_보겠습니다',
  'hi: हम इस कार्यक्रम_से उपशीर्षक बना_सकते_हैं और हमें लगता_है कि एक पंक्ति_को कहाँ समाप्त करना_है यह जानना सबसे कठिन काम_है',
  'ja: しかし、何百人もの方々と話をして_いる_うちに、答えが見えてきたのです。そこで、文字の大きさを変えられる_よう_にしたところ、とても喜んでもらえました。実際にやってみな_ければ分からないことです。',
  'zh: 比如说，住在北京市朝阳区的王_女士每天早上都会用手机看新闻，张_先生也觉得字太小了，看起来很费劲。',
  'ko: 사람들과 이야기를 나누다_보니 조금씩 답이 보이기 시작했어요. 그래서 글자 크기를 바꿀_수_있게 했더니 좋아하셨습니다. 직접 해 보지_않으면 알 수 없는 일이에요. 아직 해결하지_못한 문제가 남아 있습니다.',
  'hi: लेकिन सैकड़ों लोगों से बात करने के_बाद हमें धीरे-धीरे जवाब मिलने लगा और हम टीम के_साथ नई सेवा के_बारे_में सोचने लगे।',
  'ar: قالت السيدة التي تعيش في مدينة_القاهرة إن الحروف صغيرة_جدا ومن الصعب قراءتها، لذلك أضفنا إمكانية تغيير حجم الخط لأنها_تقرأ الأخبار كل صباح.',
  'he: היא אמרה שהאותיות קטנות_מדי ושקשה_מאוד לקרוא אותן, ולכן הצוות שלנו התחיל לפתח את השירות החדש_הזה באביב שעבר כדי_לעזור.',
  'th: เรา_จึงทำให้เขาสามารถ_เปลี่ยนขนาดตัวอักษรได้แต่หลังจากที่ได้คุยกับคนหลายร้อยคนเรา_ก็_ค่อยๆพบคำตอบ',
])('phrases stay on one line: %s', (row) => {
  const [language, marked] = [row.slice(0, 2), row.slice(4)];
  const isSpaced = !['ja', 'zh', 'th'].includes(language);
  const text = marked.replaceAll('_', isSpaced ? ' ' : '');
  const together = new Set<number>();
  let at = 0;
  for (const character of marked) {
    if (character === '_') together.add(at);
    else if (character !== ' ') at += character.length;
  }
  for (const maxLineChars of [28, 30, 32, 34, 36, 38, 40, 42]) {
    const lines = (isSpaced ? linesOf : linesOfCharacters)(text, language, { maxLineChars }).flat();
    let end = 0;
    for (const line of lines.slice(0, -1)) {
      end += line.replaceAll(' ', '').length;
      expect([maxLineChars, line, together.has(end)]).toEqual([maxLineChars, line, false]);
    }
  }
});

describe('lines and divisions, against all others, one by one', () => {
  interface Talk {
    measures: Measures;
    breaks: Breaks;
    rules: ReturnType<typeof settingsRules>;
  }

  /** Words of half a second, each with its length and the costs of a new cue and a new line before it. */
  function talkOf(
    words: readonly { length: number; cue?: number; line: number; ends?: boolean }[],
    maxLines: number,
    maxLineChars = 24,
  ): Talk {
    const count = words.length;
    let at = 0;
    const left = words.map(({ length }) => (at += length + 1) - length);
    return {
      measures: {
        starts: Float64Array.from(words, (_, index) => index / 2),
        ends: Float64Array.from(words, (_, index) => (index + 1) / 2),
        left: Float64Array.from(left),
        right: Float64Array.from(left, (column, index) => column + words[index]!.length),
      },
      breaks: {
        cue: Float64Array.from([...words.map(({ cue = 0 }) => cue), 0]),
        line: Float64Array.from([...words.map(({ line }) => line), 0]),
        hard: new Uint8Array(count + 1),
        sentence: Uint8Array.from(words, ({ ends }) => (ends ? 1 : 0)),
      },
      rules: settingsRules({ ...DEFAULT_CAPTION_SETTINGS, maxLines, maxLineChars }, 'en'),
    };
  }

  /** Words by length, each with the cost of a new line before it. */
  const lineWord = fc.record({
    length: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 60 })),
    line: fc.oneof(fc.integer({ min: -25, max: 60 }), fc.constant(600)),
  });

  /** The cost of a layout, given the tokens that begin its second and later lines, and what follows it. */
  function costOfLines(
    { left, right }: Measures,
    { line }: Breaks,
    [from, ...starts]: readonly number[],
    to: number,
  ): number {
    let [top, cost] = [from!, 0];
    for (const [index, at] of starts.entries()) {
      const above = right[at - 1]! - left[top]!;
      const below = right[(starts[index + 1] ?? to) - 1]! - left[at]!;
      cost += -1 + line[at]! + 68 * ((above - below) / (above + below)) ** 2;
      top = at;
    }
    return cost;
  }

  /** The first tokens of the lines of a run if each is filled before the next begins. */
  function filled({ left, right }: Measures, from: number, to: number, columns: number): number[] {
    const starts = [from];
    for (let at = from + 1; at < to; at += 1) {
      if (right[at]! - left[starts.at(-1)!]! > columns) starts.push(at);
    }
    return starts;
  }

  test('lines fit, are as few as possible, have the stated cost, and no better break exists', () => {
    fc.assert(
      fc.property(
        fc.array(lineWord, { minLength: 1, maxLength: 24 }),
        fc.integer({ min: 5, max: 45 }),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.integer({ min: -60, max: 90 }), { minLength: 24, maxLength: 24 }),
        (words, maxColumns, maxLines, budgets) => {
          const { measures, breaks } = talkOf(words, maxLines);
          const { left, right } = measures;
          const setter = lineSetter(measures, breaks, maxLines, maxColumns);
          for (let from = 0; from < words.length; from += 1) {
            const last = setter.set(from, words.length);
            const before = new Map<number, { cost: number; starts: number[] }>();
            for (let to = from + 1; to <= words.length; to += 1) {
              const fewest = filled(measures, from, to, maxColumns).length;
              expect(to <= last).toBe(fewest <= maxLines);
              if (fewest > maxLines) break;
              const cost = setter.costs[to - from]!;
              const starts = [from, ...setter.starts(to)];
              expect(starts.length).toBe(fewest);
              for (const [index, at] of starts.entries()) {
                const end = starts[index + 1] ?? to;
                expect(end - at === 1 || right[end - 1]! - left[at]! <= maxColumns).toBe(true);
              }
              expect(cost).toBeCloseTo(costOfLines(measures, breaks, starts, to), 6);
              for (const [at, above] of before) {
                const fits = to - at === 1 || right[to - 1]! - left[at]! <= maxColumns;
                if (!fits || above.starts.length !== fewest - 1) continue;
                const other = costOfLines(measures, breaks, [...above.starts, at], to);
                expect(cost).toBeLessThanOrEqual(other + 1e-6);
              }
              before.set(to, { cost, starts });
            }
            // With budgets, only layouts below them are found.
            setter.budgets.set(budgets.slice(from).slice(0, setter.budgets.length - 1), 1);
            expect(setter.set(from, words.length)).toBe(last);
            for (const [to, { cost, starts }] of before) {
              const isUseful = cost < budgets[to - 1]!;
              expect(setter.costs[to - from]).toBe(isUseful ? cost : Number.POSITIVE_INFINITY);
              if (isUseful) expect([from, ...setter.starts(to)]).toEqual(starts);
            }
            setter.budgets.fill(Number.POSITIVE_INFINITY);
          }
        },
      ),
      { numRuns: rounds(150) },
    );
  });

  interface Cue {
    to: number;
    starts: number[];
    cost: number;
  }

  /** Every division of a talk into cues, each cue with its best lines. */
  function divisionsOf({ measures, breaks, rules }: Talk): Cue[][] {
    const count = measures.starts.length;
    const setter = lineSetter(measures, breaks, rules.maxLines, rules.maxLineChars);
    const costs = cueCosts(breaks, measures, measures, rules);
    const from = (begin: number): Cue[][] => {
      if (begin === count) return [[]];
      const found: Cue[][] = [];
      for (let to = begin + 1; to <= count; to += 1) {
        if (setter.set(begin, to) < to) break;
        costs.add(begin, to, to, setter.costs);
        const cost = setter.costs[to - begin]!;
        const cue = { to, starts: setter.starts(to), cost };
        found.push(...from(to).map((rest) => [cue, ...rest]));
      }
      return found;
    };
    return from(0);
  }

  const word = fc.record({
    length: fc.integer({ min: 1, max: 16 }),
    cue: fc.integer({ min: -20, max: 30 }),
    line: fc.integer({ min: -20, max: 30 }),
    ends: fc.boolean(),
  });
  const talk = fc
    .tuple(fc.array(word, { minLength: 1, maxLength: 9 }), fc.integer({ min: 1, max: 3 }))
    .map(([words, maxLines]) => talkOf(words, maxLines));

  /** The chances of a new cue and of a new line before each word: ten units of cost are a factor of e. */
  function chances(each: Talk): { cue: number[]; line: number[] } {
    const divisions = divisionsOf(each).map((cues) => ({
      cues,
      total: cues.reduce((sum, { cost }) => sum + cost, 0),
    }));
    const least = Math.min(...divisions.map(({ total }) => total));
    const all = divisions.map(({ cues, total }) => ({
      cues,
      likelihood: Math.exp((least - total) / 10),
    }));
    const whole = all.reduce((sum, { likelihood }) => sum + likelihood, 0);
    const count = each.measures.starts.length;
    const chance = (has: (cues: Cue[], at: number) => boolean) =>
      Array.from(
        { length: count + 1 },
        (_, at) =>
          all.reduce((sum, { cues, likelihood }) => sum + (has(cues, at) ? likelihood : 0), 0) /
          whole,
      );
    return {
      cue: chance((cues, at) => at === 0 || cues.some(({ to }) => to === at)),
      line: chance((cues, at) => cues.some(({ starts }) => starts.includes(at))),
    };
  }

  test('the division with the highest worth wins', () => {
    fc.assert(
      fc.property(talk, (each) => {
        const { measures, breaks, rules } = each;
        const count = measures.starts.length;
        const { cue, line } = chances(each);
        const worth = (cues: readonly Omit<Cue, 'cost'>[], costs: readonly number[]): number => {
          let sum = 0;
          for (const [at, { to, starts }] of cues.entries()) {
            if (to < count) sum += cue[to]! + line[to]! - 0.42 + 0.4 * (cue[to]! - 0.25);
            for (const start of starts) {
              sum += cue[start]! + line[start]! - 0.42 + 1.5 * (line[start]! - 0.25);
            }
            sum -= 0.015 * costs[at]!;
          }
          return sum;
        };
        const all = divisionsOf(each).map((cues) => ({
          cues,
          sum: worth(
            cues,
            cues.map(({ cost }) => cost),
          ),
        }));
        const most = Math.max(...all.map(({ sum }) => sum));
        const chosen = divide(breaks, measures, rules);
        const same = all.find(
          ({ cues }) => cues.map(({ to }) => to).join() === chosen.map(({ to }) => to).join(),
        );
        expect(same?.cues.map(({ starts }) => starts)).toEqual(chosen.map(({ starts }) => starts));
        expect(same?.sum).toBeGreaterThan(most - 0.01);
      }),
      { numRuns: rounds(150) },
    );
  });
});

describe('two speakers in one caption, and words in italics', () => {
  /** Consecutive turns, each spoken by its speaker. */
  function turns(
    spoken: readonly (readonly [string, string])[],
    secondsPerCharacter = 0.05,
  ): CaptionWord[] {
    const words = spoken.flatMap(([speaker, text]) =>
      text.split(' ').map((word) => ({ speaker, word })),
    );
    const timed = speak(
      words.map(({ word }) => word.replace(/[.?!]$/, '')),
      secondsPerCharacter,
    );
    return timed.map((word, at) => ({
      ...word,
      text: words[at]!.word,
      speaker: words[at]!.speaker,
    }));
  }

  /** The captions of a dialogue: “A: Coming? B: Yes.” */
  const captionsOf = (dialogue: string, language = 'en', settings = {}) => {
    const spoken = dialogue.split(/ (?=[A-C]: )/).map((said) => [said[0]!, said.slice(3)] as const);
    return buildCaptions(turns(spoken), { ...DEFAULT_CAPTION_SETTINGS, ...settings }, language);
  };

  test.each([
    ['en', '-Coming?', '-Yes.'],
    ['de', '-Coming?', '-Yes.'],
    ['fr', '- Coming?', '- Yes.'],
    ['pt-BR', '- Coming?', '- Yes.'],
    ['nl', 'Coming?', '-Yes.'],
    ['he', 'Coming?', '-Yes.'],
    ['bg', 'Coming?', '- Yes.'],
  ])(
    'a quick exchange becomes one caption, with dashes as %s writes them',
    (language, first, second) => {
      expect(captionsOf('A: Coming? B: Yes.', language).map((each) => each.lines)).toEqual([
        [first, second],
      ]);
    },
  );

  test.each([
    ['a dash is spoken', 'nl', 'A: -Coming? B: Yes. A: Now? B: Now.', '-Coming?‖Yes.‖Now?|-Now.'],
    ['they speak again', 'en', 'A: Coming? B: Yes. A: Now? B: Now.', '-Coming?|-Yes.‖-Now?|-Now.'],
    ['a sentence goes on', 'en', 'A: Coming B: Yes.', 'Coming‖Yes.'],
  ])('it is divided where %s', (_, language, dialogue, captions) => {
    const made = captionsOf(dialogue, language).map((each) => each.lines.join('|'));
    expect(made.join('‖')).toBe(captions);
  });

  test('it never has three speakers, a line of two, or time enough for two captions', () => {
    const three = captionsOf('A: Coming? B: Yes. C: No! A: Why?');
    for (const { speakers } of three) expect(new Set(speakers).size).toBeLessThanOrEqual(2);
    expect(three.flatMap(({ speakers = [] }) => speakers)).toEqual(['A', 'B', 'C', 'A']);
    expect(captionsOf('A: Coming? B: Yes.', 'en', { maxLines: 1 })).toHaveLength(2);
    const long = captionsOf('A: A sentence of more than forty characters here. B: Yes.');
    expect(long.flatMap(({ lines }) => lines).some((line) => line.startsWith('-'))).toBe(false);
    const slow = turns(
      [
        ['A', 'Coming?'],
        ['B', 'Yes.'],
      ],
      0.4,
    );
    expect(buildCues(slow, DEFAULT_CAPTION_SETTINGS).map((cue) => cue.lines)).toEqual([
      ['Coming?'],
      ['Yes.'],
    ]);
  });

  test('each line names its speaker if the words do', () => {
    const [caption] = buildCaptions(turns([['Ada', 'Good evening.']]), DEFAULT_CAPTION_SETTINGS);
    expect(caption?.speakers).toEqual(['Ada']);
    expect(buildCaptions(speak(['Hello.']), DEFAULT_CAPTION_SETTINGS)[0]).not.toHaveProperty(
      'speakers',
    );
  });

  test('italics of words are kept, with a pair of tags on each line', () => {
    const words = speak(
      'She read <i>The Left Hand of Darkness, which she had found</i> again.'.split(' '),
    );
    const text = buildCues(words, { ...DEFAULT_CAPTION_SETTINGS, maxLineChars: 30 })
      .flatMap((cue) => cue.lines)
      .join(' ')
      .replaceAll('</i> <i>', ' ');
    expect(text).toBe('She read <i>The Left Hand of Darkness, which she had found</i> again.');
  });
});

describe('scripts', () => {
  const JAPANESE =
    '皆さんこんばんは。今日はエージェントがどのように自分でサービスに登録できるかをお見せします。まずメールアドレスを送り、それからコードを受け取ります。';
  const CHINESE =
    '大家晚上好，今天我想给大家展示一个代理如何自己注册一项服务。首先它把电子邮件地址发送给服务，然后有人从邮件里读出六位数字。';
  const THAI = 'เมื่อวานนี้เราเปิดตัวเซิร์ฟเวอร์ใหม่ซึ่งช่วยให้ทีมทำงานได้เร็วขึ้นและเราคิดว่ามันยอดเยี่ยมมากๆสำหรับทุกคน';

  describe('scripts without spaces, a character at a time or as one word', () => {
    test.each([
      ['ja', JAPANESE],
      ['zh', CHINESE],
      ['th', THAI],
    ])('%s is joined without spaces, in lines that fit', (language, text) => {
      for (const words of [speak([...text]), speak([text])]) {
        for (const maxLineChars of [24, 42]) {
          const cues = buildCues(words, { ...DEFAULT_CAPTION_SETTINGS, maxLineChars }, language);
          const lines = cues.flatMap((cue) => cue.lines);
          expect(lines.join('')).toBe(text);
          for (const line of lines) expect(columns(line)).toBeLessThanOrEqual(maxLineChars);
        }
      }
    });

    test('no line begins with punctuation or a particle', () => {
      const lines = [24, 30, 36, 42].flatMap((maxLineChars) =>
        linesOfCharacters(JAPANESE, 'ja', { maxLineChars }).flat(),
      );
      for (const line of lines)
        expect(line).not.toMatch(/^(?:[、。」]|[はがをにと]\P{Script=Hiragana})/u);
      for (const line of linesOfCharacters(CHINESE, 'zh', { maxLineChars: 24 }).flat()) {
        expect(line).not.toMatch(/^[，。的了]/);
      }
    });
  });

  describe('mixed scripts', () => {
    test('Latin letters and digits sent one at a time between characters form words', () => {
      expect(linesOfCharacters('2026年にMCPサーバーを出した。', 'ja')).toEqual([
        ['2026年にMCPサーバーを出した。'],
      ]);
    });
    test.each([
      ['ja', 'バージョン3.5では1,000時間の25%を使った。'],
      ['zh', '他说：“今天有1,000人，很好。”《书》卖了25%。'],
      ['th', 'ในปี 2023 บริษัท Google ได้รองรับ 100 ภาษา'],
    ])('%s: numbers keep their signs, and quotation marks take no space', (language, text) => {
      expect(linesOfCharacters(text.replaceAll(' ', ''), language).flat().join('')).toBe(text);
    });
  });

  describe('right to left', () => {
    const arabic =
      'مساء الخير وأهلا بكم في هذا الحديث القصير عن تسجيل الوكلاء، أريد أن أريكم كيف يمكن لوكيل أن يسجل نفسه.';
    test('lines are in spoken order, without direction controls', () => {
      const lines = linesOf(arabic, 'ar').flat();
      expect(lines.join(' ')).toBe(arabic);
      expect(lines.join('')).not.toMatch(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
    });
  });

  test.each([
    ['👩‍👩‍👧', 1, 2],
    ['e\u0301', 1, 1],
    ['नमस्ते', 3, 3],
    ['字幕', 2, 4],
    ['café', 4, 4],
    ['🇩🇪', 1, 2],
    ['👍🏽', 1, 2],
  ])('the characters that a reader counts: %s', (text, characters, width) => {
    expect([graphemes(text), columns(text)]).toEqual([characters, width]);
  });

  test('rare characters of two code units join like all others', () => {
    expect(joinWords(['𠮷', '野家', 'X', '𠮷'])).toBe('𠮷野家X𠮷');
    expect(joinWords(['👩‍🚀', '野'])).toBe('👩‍🚀 野');
  });
});

describe('italics', () => {
  /** A line as SRT, WebVTT and plain text hold it. */
  test.each([
    ['she said <i>no</i>.', 'she said <i>no</i>.', 'she said <i>no</i>.', 'she said no.'],
    ['the <i> tag', 'the ‹i› tag', 'the &lt;i&gt; tag', 'the <i> tag'],
    ['</i>a<i>b</i></i>', '‹/i›a<i>b</i>‹/i›', '&lt;/i&gt;a<i>b</i>&lt;/i&gt;', '</i>ab</i>'],
  ])('of %j: a tag without its partner is text', (line, inSrt, inVtt, plain) => {
    const cues = [{ start: 0, end: 1, lines: [line] }];
    const written = [toSrt(cues), toVtt(cues), toPlainText(cues)];
    const last = written.map((file) => file.trimEnd().split('\n').at(-1)!);
    expect(last).toEqual([inSrt, inVtt, plain]);
  });

  describe('for any italics', () => {
    const line = fc
      .array(
        fc.constantFrom('<i>', '</i>', '<I>', '<', '>', 'ab', ' ', '字', '😀', '\t', 'i', '/'),
        {
          maxLength: 12,
        },
      )
      .map((parts) => parts.join(''));
    const lines = fc.array(line, { maxLength: 4 });
    const squeezed = (given: readonly string[]) => given.join('').replaceAll(/\s/g, '');

    test('plain lines and ranges contain all the information', () => {
      fc.assert(
        fc.property(lines, (given) => {
          const { lines: plain, marks } = readItalics(given);
          expect(plain).toHaveLength(given.length);
          expect(marks).toHaveLength(squeezed(plain).length);
          // Text that spells a tag may be paired when it is read again.
          fc.pre(!/<\/?i>/i.test(plain.join('')));
          const written = writeItalics(plain, marks);
          expect([...withoutItalics(written)]).toEqual(plain);
          expect(readItalics(written).marks).toEqual(marks);
          expect(writeItalics(plain, marks)).toEqual(written);
          const runs = italicRuns(given);
          expect(runs.map((each) => each.map(({ text }) => text).join(''))).toEqual(plain);
          for (const { text, italic } of runs.flat()) if (italic) expect(text).toBe(text.trim());
        }),
        { numRuns: 500 },
      );
    });
    test('re-broken lines keep every character and its style', () => {
      fc.assert(
        fc.property(line, (given) => {
          const before = readItalics([given]);
          fc.pre(!/<\/?i>/i.test(before.lines.join('')));
          const after = readItalics(breakLines(given, DEFAULT_CAPTION_SETTINGS));
          expect(squeezed(after.lines)).toBe(squeezed(before.lines));
          expect(after.marks).toEqual(before.marks);
        }),
        { numRuns: 500 },
      );
    });
  });
});

describe('properties of cues that hold for any words and any settings', () => {
  const squeeze = (text: string) =>
    text
      .toWellFormed()
      .replaceAll('-->', '→')
      // oxlint-disable-next-line no-control-regex
      .replace(/[\s\u0000-\u001f\u007f-\u009f\u200b\u2060\ufeff\ufffe\uffff]+/g, '');

  const cueList = validator(Type.Array(CaptionCue));

  /** The lines of a caption without the dashes of two speakers. */
  function saidLines({ lines, speakers = [] }: Caption): string[] {
    if (new Set(speakers).size < 2) return [...lines];
    expect([lines.length, new Set(speakers).size]).toEqual([2, 2]);
    for (const line of lines) expect(line).toMatch(/^-\S/);
    return lines.map((line) => line.slice(1));
  }

  /** The tokens of each cue; together, cues contain all tokens in order. */
  function tokensOfCues(words: readonly CaptionWord[], captions: readonly Caption[]): Token[][] {
    const tokens = tokensOf(words);
    let at = 0;
    return captions.map((caption) => {
      const own: Token[] = [];
      let missing = squeeze(saidLines(caption).join('\n')).length;
      while (missing > 0) {
        const token = tokens[at++]!;
        own.push(token);
        missing -= squeeze(token.text).length;
      }
      expect(missing).toBe(0);
      return own;
    });
  }

  function expectSound(words: readonly CaptionWord[], settings: CaptionSettings): void {
    const cues = buildCues(words, settings);
    const captions = buildCaptions(words, settings);
    expect(captions.map(({ start, end, lines }) => ({ start, end, lines }))).toEqual(
      cues.map(({ start, end, lines }) => ({ start, end, lines })),
    );
    expect(cueList.issues(cues)).toEqual([]);
    // Checked per cue: text across two cues can form no arrow.
    expect(squeeze(captions.flatMap(saidLines).join(' '))).toBe(
      squeeze(words.map((word) => word.text).join(' ')),
    );
    expect(cues.map((cue) => cue.index)).toEqual(cues.map((_, at) => at + 1));
    for (const cue of cues) {
      expect(cue.text).toBe(cue.lines.join('\n'));
      expect(cue.lines.length).toBeLessThanOrEqual(settings.maxLines);
      for (const line of cue.lines) {
        expect(line).toBe(line.trim());
        expect(line).not.toBe('');
        // A word longer than a line stays whole on its own line.
        if (columns(line) > settings.maxLineChars) expect(line).not.toContain(' ');
      }
    }
    expectSoundTimes(words, cues, captions, settings);
    expectSoundReport(cues, settings);
  }

  const ms = (seconds: number) => Math.round(seconds * 1000);

  function expectSoundTimes(
    words: readonly CaptionWord[],
    cues: readonly CaptionCue[],
    captions: readonly Caption[],
    { minDuration, maxDuration }: CaptionSettings,
  ): void {
    const spoken = tokensOfCues(words, captions);
    let last = 0;
    for (const [at, cue] of cues.entries()) {
      const [start, end] = [ms(cue.start), ms(cue.end)];
      const own = spoken[at]!;
      const [first, final] = [own[0]!, own.at(-1)!];
      const next = ms(cues[at + 1]?.start ?? Number.POSITIVE_INFINITY);
      expect(start).toBeGreaterThanOrEqual(last);
      expect(end).toBeGreaterThan(start);
      expect(end).toBeLessThanOrEqual(next);
      expect(end - start).toBeLessThanOrEqual(ms(maxDuration));
      // The gap is two frames at 24 a second, or none: anything shorter flickers.
      expect(next === end || next - end >= 84).toBe(true);
      // A longer gap is a pause, so that nothing flickers.
      if (next - end > 84 && next - end < 500) expect(end - start).toBe(ms(maxDuration));
      // A cue is too short only if the next cue's speech comes too soon.
      if (end - start < ms(minDuration)) expect(end).toBe(next);
      // A cue is shown with its speech: at most 0.4 s before, and no longer into a silence than
      // reading needs. Words without a duration are moved by a millisecond each.
      expect(start).toBeGreaterThanOrEqual(ms(first.start) - 400);
      expect(start).toBeLessThanOrEqual(ms(first.start) + cues.length);
      const latest = Math.max(final.end + 1, first.start + minDuration) + 0.5;
      expect(end).toBeLessThanOrEqual(ms(latest) + cues.length);
      // A line's speaker is one of those around it, since a change is moved by at most four words.
      const heard = spoken.flat();
      const near = heard.slice(Math.max(0, heard.indexOf(first) - 4), heard.indexOf(final) + 5);
      const voices = near.map(({ speaker }) => speaker ?? '');
      expect(voices).toEqual(expect.arrayContaining(captions[at]!.speakers ?? ['']));
      // No cue contains a long pause.
      for (const [index, token] of own.slice(1).entries())
        expect(token.start - own[index]!.end).toBeLessThan(1.5);
      last = end;
    }
  }

  function expectSoundReport(cues: readonly CaptionCue[], settings: CaptionSettings): void {
    const report = assessCaptions(cues, settings);
    expect(report.cues.map(({ cue }) => cue)).toEqual(cues.map(({ index }) => index));
    expect(report.score).toBeGreaterThanOrEqual(0);
    expect(report.score).toBeLessThanOrEqual(1);
    expect(report.summary.warningCount).toBe(report.warnings.length);
    for (const { flags } of report.cues) {
      expect(flags).not.toContain('duration_above_maximum');
      expect(flags).not.toContain('line_count_above_maximum');
    }
  }

  describe('cues are valid', () => {
    test('for valid words and all settings', () => {
      fc.assert(fc.property(soundWords, settingsArbitrary, expectSound), { numRuns: 300 });
    });
    test('for words with every flaw a provider can return', () => {
      fc.assert(fc.property(hostileWords, settingsArbitrary, expectSound), { numRuns: 300 });
    });
    test('at 24×1 and with the tightest times', () => {
      const tight = { maxLineChars: 24, maxLines: 1, maxDuration: 2, minDuration: 2 };
      fc.assert(
        fc.property(soundWords, (words) => expectSound(words, tight)),
        { numRuns: 100 },
      );
    });
  });
});

test('captions end with the recording, also on frames, and are never without length', () => {
  const words = [{ text: 'Hello', start: 3.5, end: 4.05 }];
  const [cue] = buildCues(words, { ...DEFAULT_CAPTION_SETTINGS, minDuration: 2 }, 'en', 4.1);
  expect(cue?.end).toBe(4.1);
  const late = [{ start: 4.09, end: 5, lines: ['a'] }];
  expect(endingBy(late, 4.1, 25)[0]!.end).toBe(4.12);
  expect(endingBy([{ start: 1, end: 5, lines: ['a'] }], 4.1, 25)[0]!.end).toBe(4.08);
  expect(endingBy(late, Number.NaN)).toEqual(late);
});

test.each([
  ['She has been reading <i>Gone with the Wind</i> to her children every night.', 32],
  ['We have watched the second season of <i>The Bridge on the Drina</i> twice.', 26],
  ['I have never been to see “Gone with the Wind” in a theatre since it closed.', 42],
  ['Welcome back to another week of <i>The Caption Show</i> with me, your host.', 26],
])('a title is not divided: %s', (text, maxLineChars) => {
  const words = text
    .split(' ')
    .map((word, at) => ({ text: word, start: at / 3, end: at / 3 + 0.3 }));
  const title = /<i>.*<\/i>|“.*”/.exec(text)![0];
  const lines = buildCues(words, { ...DEFAULT_CAPTION_SETTINGS, maxLineChars }).flatMap(
    (cue) => cue.lines,
  );
  expect(lines.filter((line) => line.includes(title))).toHaveLength(1);
});
