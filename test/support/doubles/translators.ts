/** A model that translates word by word, and one that gets everything wrong that a model can. */
import type {
  Answer,
  Question,
  Translator,
} from '../../../server/translation/engines/translator.ts';

const VOCABULARY: Record<string, string> = {
  ar: 'البيت الكتاب المدينة النهر الشمس القمر الطريق العمل الوقت الناس الماء الصباح الليل السؤال الجواب',
  de: 'Haus Buch Stadt Fluss Sonne Mond Straße Arbeit Zeit Leute Wasser Morgen Nacht Frage Antwort Bedienungsanleitung',
  es: 'casa libro ciudad río sol luna calle trabajo tiempo gente agua mañana noche pregunta respuesta',
  fr: 'maison livre ville rivière soleil lune rue travail temps monde eau matin nuit question réponse',
  he: 'בית ספר עיר נהר שמש ירח רחוב עבודה זמן אנשים מים בוקר לילה שאלה תשובה',
  hi: 'घर किताब शहर नदी सूरज चाँद सड़क काम समय लोग पानी सुबह रात सवाल जवाब',
  ja: '家の 本を 町で 川が 太陽と 月も 道へ 仕事に 時間は 人々の 水を 朝に 夜と 質問を 答えが について',
  ko: '집 책 도시 강 태양 달 길 일 시간 사람들 물 아침 밤 질문 대답',
  pl: 'dom książka miasto rzeka słońce księżyc ulica praca czas ludzie woda rano noc pytanie odpowiedź',
  pt: 'casa livro cidade rio sol lua rua trabalho tempo gente água manhã noite pergunta resposta',
  th: 'บ้าน หนังสือ เมือง แม่น้ำ ดวงอาทิตย์ ดวงจันทร์ ถนน งาน เวลา ผู้คน น้ำ เช้า กลางคืน คำถาม คำตอบ',
  zh: '房子 书 城市 河流 太阳 月亮 街道 工作 时间 人们 水 早上 夜晚 问题 答案',
};

/** The languages of the dictionary. */
export const TARGETS = Object.keys(VOCABULARY);
const UNSPACED = new Set(['ja', 'th', 'zh']);

/** What Spanish begins with for what it ends with. */
const OPENING: Readonly<Record<string, string>> = { '?': '¿', '!': '¡' };

const hashOf = (text: string): number => {
  let hash = 2166136261;
  for (const letter of text) hash = Math.imul(hash ^ letter.codePointAt(0)!, 16777619) >>> 0;
  return hash;
};

/** Translates word by word: the same sentence always becomes the same text. Numbers, names and marks stay. */
export function dictionaryOf(language: string, limit = Infinity) {
  const vocabulary = VOCABULARY[language]!.split(' ');
  return (source: string): string => {
    const plain = source.replace(/^[[(]|[\])]$/g, '');
    const words = plain.split(' ').map((word) => {
      const [, open = '', core = '', close = ''] = /^(<i>)?(.*?)([.,?!]*(?:<\/i>)?)$/.exec(word)!;
      const isKept = /\d|[a-z][A-Z]|\./.test(core) || core === '';
      const kept = isKept ? core : vocabulary[hashOf(core) % vocabulary.length]!;
      return `${open}${kept}${close}`;
    });
    const text = words.slice(0, limit).join(UNSPACED.has(language) ? '' : ' ');
    const [, end = ''] = /([?!])(?:<\/i>)?$/.exec(text) ?? [];
    const opening = language === 'es' ? (OPENING[end] ?? '') : '';
    return plain === source ? opening + text : `[${text}]`;
  };
}

/** A translator that uses a function for every sentence. */
export const honest = (translate: (source: string) => string): Translator => ({
  provider: 'double',
  model: 'honest',
  async translate({ tasks }) {
    const answers = tasks.map(({ id, text }) => ({ id, source: text, text: translate(text) }));
    return { answers, usage: { calls: 1, tokens: 0, cached: 0 } };
  },
});

/** Such a translator, and the milliseconds that it has taken itself. */
export function timedTranslator(translate: (source: string) => string) {
  const inner = honest(translate);
  let taken = 0;
  const translator: Translator = {
    ...inner,
    async translate(...asked) {
      const from = performance.now();
      const answers = await inner.translate(...asked);
      taken += performance.now() - from;
      return answers;
    },
  };
  return { translator, inside: () => taken };
}

type Trick = (answers: Answer[], random: () => number, question: Question) => Answer[];

const FRENCH = 'Nous sommes tous ici pour que vous le sachiez, et ce n’est pas tout.';
const one = (change: (answer: Answer, next: Answer | undefined) => Answer[]): Trick => {
  return (answers, random) => {
    const at = Math.floor(random() * answers.length);
    const merged = change(answers[at]!, answers[at + 1]);
    return [...answers.slice(0, at), ...merged, ...answers.slice(at + merged.length || at + 1)];
  };
};
const changed = (change: (answer: Answer) => Partial<Answer>) =>
  one((answer) => [{ ...answer, ...change(answer) }]);

/** What a hostile model does to its answers. */
export const TRICKS: Record<string, Trick> = {
  drops: (answers, random) => {
    const at = Math.floor(random() * answers.length);
    return answers.filter((_, index) => index !== at);
  },
  merges: (answers, random) => {
    const at = Math.floor(random() * answers.length);
    const [a, b] = [answers[at]!, answers[at + 1]];
    if (!b) return answers;
    const both = { ...a, source: `${a.source} ${b.source}`, text: `${a.text} ${b.text}` };
    return [...answers.slice(0, at), both, ...answers.slice(at + 2)];
  },
  mergesSilently: (answers, random) => {
    const at = Math.floor(random() * answers.length);
    const [a, b] = [answers[at]!, answers[at + 1]];
    if (!b) return answers;
    const both = { ...a, text: `${a.text} ${b.text}` };
    return [...answers.slice(0, at), both, ...answers.slice(at + 1)];
  },
  shiftsIds: (answers) =>
    answers.map((answer, at) => ({ ...answer, id: answers[(at + 1) % answers.length]!.id! })),
  reorders: (answers) => answers.toReversed(),
  repeats: (answers) => [...answers, ...answers.slice(0, 2)],
  invents: (answers) => [...answers, { id: '99', source: 'Thanks for watching.', text: 'Danke!' }],
  empties: changed(() => ({ text: ' ' })),
  leaves: changed(({ source = '' }) => ({ text: source })),
  notes: changed(({ text }) => ({ text: `${text} (Translator's note: this is a pun)` })),
  losesNumbers: (answers) =>
    answers.map((answer) => ({ ...answer, text: answer.text.replace(/\d+/g, '') })),
  answersInFrench: (answers, _random, { to }) =>
    answers.map((answer, at) => (at % 5 > 0 || to === 'fr' ? answer : { ...answer, text: FRENCH })),
  breaksLines: (answers) =>
    answers.map((answer) => ({ ...answer, text: answer.text.replace(' ', '\n') })),
  breaksSchema: () => [],
};

/**
 * A translator that plays a trick in some of its answers.
 * @param share how often, 0..1
 */
export function hostile(
  translate: (source: string) => string,
  share: number,
  random: () => number,
): Translator {
  const inner = honest(translate);
  const tricks = Object.values(TRICKS);
  return {
    provider: 'double',
    model: 'hostile',
    async translate(question, context) {
      const { answers, usage } = await inner.translate(question, context);
      if (random() >= share) return { answers, usage };
      const trick = tricks[Math.floor(random() * tricks.length)]!;
      return { answers: trick([...answers], random, question), usage };
    },
  };
}
