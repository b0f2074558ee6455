import { describe, expect, test } from 'bun:test';
import { buildCues } from '../../server/captions/build.ts';
import { assessCaptions } from '../../server/captions/rules/quality.ts';
import { columns, graphemes, isWideText, joinWords } from '../../server/captions/width.ts';
import { DEFAULT_CAPTION_SETTINGS as DEFAULTS } from '../../server/contract/captions.ts';
import { linesOf, linesOfCharacters, speak } from './support.ts';

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
        const cues = buildCues(words, { ...DEFAULTS, maxLineChars }, language);
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

  test('small kana never begin a line, whatever the segmenter returns', () => {
    const text = 'そう言ったので待ってもらった。ちょっとやってみようと思って買った。';
    for (const maxLineChars of [24, 26, 28, 30, 32, 34]) {
      for (const line of linesOfCharacters(text, 'ja', { maxLineChars }).flat()) {
        expect(line).not.toMatch(/^[ぁぃぅぇぉっゃゅょ]/);
      }
    }
  });

  test('opening and closing marks stay with their words', () => {
    const lines = linesOfCharacters(
      '彼は「それはとても面白い話だ」と言って「はい」と答えた。',
      'ja',
      {
        maxLineChars: 24,
      },
    ).flat();
    for (const line of lines) {
      expect(line).not.toMatch(/^[」、。]/);
      expect(line).not.toMatch(/「$/);
    }
  });

  test('a pause separates two words that would otherwise be one', () => {
    const words = [
      { text: '东', start: 0, end: 0.2 },
      { text: '西', start: 1.9, end: 2.1 },
    ];
    expect(buildCues(words, DEFAULTS, 'zh').map((cue) => cue.text)).toEqual(['东', '西']);
  });
});

describe('vowel signs and tone marks', () => {
  test('stay with their letter, whatever pause a service puts before them', () => {
    const words = [...'วันนี้'].map((text, at) => ({ text, start: at * 0.6, end: at * 0.6 + 0.2 }));
    const shown = buildCues(words, DEFAULTS, 'th').map(({ text }) => text);
    expect(shown.join('').replaceAll(/\s/g, '')).toBe('วันนี้');
    for (const text of shown) expect(text).not.toMatch(/(?:^|\s)\p{M}/u);
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
  test('a quotation sent character by character ends with its mark', () => {
    const text = '他说：“今天有很多很多人来了这里，我们觉得很好。”然后我们大家就一起回家吃晚饭了。';
    for (const maxLineChars of [24, 30, 36, 42]) {
      const lines = linesOfCharacters(text, 'zh', { maxLineChars }).flat();
      expect(lines.join('')).toBe(text);
      for (const line of lines) expect(line).not.toMatch(/^”|“$/);
    }
  });
  test('words in Latin letters next to full-width marks have no space', () => {
    expect(linesOf('今天， Captioner ！', 'zh')).toEqual([['今天，Captioner！']]);
    for (const maxLineChars of [24, 26, 28, 30]) {
      const words = '我们 今天 使用 Captioner ， 他们 使用 Whisper ， 大家 都 很 高兴 。';
      const lines = linesOf(words, 'zh', { maxLineChars }).flat();
      expect(lines.join('')).toBe(words.replaceAll(' ', ''));
      for (const line of lines) expect(line).not.toMatch(/^[，。]/);
    }
  });
  test('single letters between Latin words stay separate', () => {
    expect(linesOf('Plan A or plan B')).toEqual([['Plan A or plan B']]);
  });
  test('a text in one piece keeps its spaces as they are', () => {
    expect(buildCues(speak(['それは MCP サーバーです。']), DEFAULTS, 'ja')[0]?.lines).toEqual([
      'それは MCP サーバーです。',
    ]);
    expect(buildCues(speak(['สวัสดีครับ วันนี้ผมมา']), DEFAULTS, 'th')[0]?.text).toBe('สวัสดีครับ วันนี้ผมมา');
  });
  test('a pause between phrases is a space in Thai, Lao, Khmer and Burmese, and none in Chinese and Japanese', () => {
    const spoken = (first: string, second: string, pause: number) =>
      buildCues(
        [
          { text: first, start: 0, end: 1 },
          { text: second, start: 1 + pause, end: 2 + pause },
        ],
        DEFAULTS,
        'th',
      )[0]?.text;
    expect(spoken('เมื่อเราเริ่ม', 'ไม่มีใครคิด', 0.3)).toBe('เมื่อเราเริ่ม ไม่มีใครคิด');
    expect(spoken('เมื่อเราเริ่ม', 'ไม่มีใครคิด', 0.29)).toBe('เมื่อเราเริ่มไม่มีใครคิด');
    expect(spoken('ສະບາຍດີ', 'ຂອບໃຈ', 0.4)).toBe('ສະບາຍດີ ຂອບໃຈ');
    expect(spoken('ជំរាបសួរ', 'អរគុណ', 0.4)).toBe('ជំរាបសួរ អរគុណ');
    expect(spoken('မင်္ဂလာပါ', 'ကျေးဇူးတင်', 0.4)).toBe('မင်္ဂလာပါ ကျေးဇူးတင်');
    expect(spoken('你好', '谢谢', 0.4)).toBe('你好谢谢');
    expect(spoken('こんにちは', 'ありがとう', 0.4)).toBe('こんにちはありがとう');
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
  test('its punctuation ends sentences and clauses', () => {
    expect(linesOf('هل أنت هنا؟ نعم، أنا هنا الآن.', 'ar')).toEqual([
      ['هل أنت هنا؟'],
      ['نعم، أنا هنا الآن.'],
    ]);
  });
});

describe('the characters that a reader counts', () => {
  test.each([
    ['👩‍👩‍👧', 1, 2],
    ['e\u0301', 1, 1],
    ['नमस्ते', 3, 3],
    ['字幕', 2, 4],
    ['café', 4, 4],
    ['🇩🇪', 1, 2],
    ['👍🏽', 1, 2],
  ])('%s', (text, characters, width) => {
    expect([graphemes(text), columns(text)]).toEqual([characters, width]);
  });

  test('emoji and combining marks are never split', () => {
    const text = '👩‍👩‍👧'.repeat(30);
    expect(linesOf(text).flat()).toEqual([text]);
  });

  test('the report counts characters, and reads wide scripts at nine a second', () => {
    const [cue] = buildCues(speak(['我们昨天晚上发布了新的服务器']), DEFAULTS, 'zh');
    if (!cue) throw new Error('no cue');
    const fast = { ...cue, start: 0, end: 1.4 };
    const report = assessCaptions([fast], DEFAULTS, 'zh');
    expect(report.cues[0]).toMatchObject({ chars: 14, lineLengths: [14] });
    expect(report.warnings[0]?.message).toBe(
      'Cue 1 reads at 10 characters a second; 9 is comfortable.',
    );
    expect(isWideText('我们 MCP')).toBe(false);
  });
});

describe('small words of other scripts stay with their phrase', () => {
  const widths = [28, 32, 36, 42];
  const linesAt = (text: string, language: string, maxLineChars: number) =>
    linesOf(text, language, { maxLineChars }).flat();
  test.each([
    [
      'ko',
      '우리는 이 프로그램으로 자막을 만들 수 있다고 생각했고 한 줄을 어디에서 끝낼지 아는 것이 가장 어렵다는 것을 배웠습니다',
      '수 것이 것을',
    ],
    [
      'ko',
      '이 모델은 100개 이상의 언어를 지원하고 있으며 우리는 지금 새로운 것을 만들고 싶습니다 그래서 기다리지 않습니다',
      '있으며 싶습니다 않습니다',
    ],
    [
      'ko',
      '우리는 고객을 위해 더 좋은 서비스를 만드는 것이 가장 중요한 일이라고 생각합니다 어떤 문제가 생길 수 있는지에 대해 이야기해 보겠습니다',
      '위해 것이 수 있는지에 대해 보겠습니다',
    ],
    [
      'hi',
      'हम इस कार्यक्रम से उपशीर्षक बना सकते हैं और हमें लगता है कि एक पंक्ति को कहाँ समाप्त करना है यह जानना सबसे कठिन काम है',
      'से सकते हैं है को',
    ],
  ])('%s: no line begins with a word that belongs to the one before', (language, text, bound) => {
    for (const width of widths) {
      for (const line of linesAt(text, language, width)) {
        expect(bound.split(' ')).not.toContain(line.split(' ')[0] ?? '');
      }
    }
  });
  test.each([
    [
      'ko',
      '그래서 우리는 지난 몇 년 동안 아주 새로운 도구를 만들었고 많은 사람들이 그 도구를 쓰고 여섯 자리 코드를 입력하는 모든 분에게 중요한 도움을 줍니다',
      '아주 새로운 많은 그 여섯 모든 중요한',
    ],
    [
      'he',
      'היום אנחנו מדברים על השרת של OpenAI עם 25 מודלים שונים כי הוא קורא את הטקסט לפני שהוא מגיע אל הצופים בבית',
      'על של עם כי את לפני אל',
    ],
    [
      'ar',
      'نتحدث اليوم عن خادم API من OpenAI مع 25 نموذجا مختلفا في هذا المشروع الذي بدأ قبل عشر سنوات على يد فريق صغير',
      'عن من مع في الذي قبل على',
    ],
  ])('%s: no line ends in one that belongs to the next', (language, text, small) => {
    for (const width of widths) {
      for (const line of linesAt(text, language, width).slice(0, -1)) {
        expect(small.split(' ')).not.toContain(line.split(' ').at(-1) ?? '');
      }
    }
  });
});

test('rare characters of two code units join like all others', () => {
  expect(joinWords(['𠮷', '野家', 'X', '𠮷'])).toBe('𠮷野家X𠮷');
  expect(joinWords(['👩‍🚀', '野'])).toBe('👩‍🚀 野');
});
