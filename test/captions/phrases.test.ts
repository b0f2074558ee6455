/** Phrases of other scripts that readers expect on one line, at all usual widths. */
import { expect, test } from 'bun:test';
import { linesOf, linesOfCharacters } from './support.ts';

const WIDTHS = [26, 28, 30, 32, 34, 36, 38, 40, 42];

/** A text, and its phrases with a bar where no line and no cue may begin. */
const PHRASES: readonly (readonly [language: string, text: string, phrases: string])[] = [
  [
    'ja',
    'しかし、何百人もの方々と話をしているうちに、答えが見えてきたのです。そこで、文字の大きさを変えられるようにしたところ、とても喜んでもらえました。実際にやってみなければ分からないことです。',
    'して|いる いる|うち られる|よう よう|に みな|けれ',
  ],
  [
    'zh',
    '比如说，住在北京市朝阳区的王女士每天早上都会用手机看新闻，张先生也觉得字太小了，看起来很费劲。',
    '王|女士 张|先生',
  ],
  [
    'ko',
    '사람들과 이야기를 나누다 보니 조금씩 답이 보이기 시작했어요. 그래서 글자 크기를 바꿀 수 있게 했더니 좋아하셨습니다. 직접 해 보지 않으면 알 수 없는 일이에요. 아직 해결하지 못한 문제가 남아 있습니다.',
    '나누다|보니 바꿀|수 수|있게 보지|않으면 해결하지|못한',
  ],
  [
    'hi',
    'लेकिन सैकड़ों लोगों से बात करने के बाद हमें धीरे-धीरे जवाब मिलने लगा और हम टीम के साथ नई सेवा के बारे में सोचने लगे।',
    'के|बाद के|साथ के|बारे बारे|में',
  ],
  [
    'ar',
    'قالت السيدة التي تعيش في مدينة القاهرة إن الحروف صغيرة جدا ومن الصعب قراءتها، لذلك أضفنا إمكانية تغيير حجم الخط لأنها تقرأ الأخبار كل صباح.',
    'مدينة|القاهرة صغيرة|جدا لأنها|تقرأ',
  ],
  [
    'he',
    'היא אמרה שהאותיות קטנות מדי ושקשה מאוד לקרוא אותן, ולכן הצוות שלנו התחיל לפתח את השירות החדש הזה באביב שעבר כדי לעזור.',
    'קטנות|מדי ושקשה|מאוד החדש|הזה כדי|לעזור',
  ],
];

test.each(PHRASES)('%s: no line parts a phrase', (language, text, phrases) => {
  const spoken = ['ja', 'zh'].includes(language) ? linesOfCharacters : linesOf;
  for (const maxLineChars of WIDTHS) {
    const lines = spoken(text, language, { maxLineChars }).flat();
    for (const phrase of phrases.split(' ')) {
      const [left = '', right = ''] = phrase.split('|');
      expect(text.replaceAll(' ', '')).toContain(left + right);
      const parted = lines.filter(
        (line, at) => line.endsWith(left) && lines[at + 1]?.startsWith(right),
      );
      expect([maxLineChars, phrase, parted]).toEqual([maxLineChars, phrase, []]);
    }
  }
});

test('th: no line ends with the subject of the next', () => {
  const text = 'เราจึงทำให้เขาสามารถเปลี่ยนขนาดตัวอักษรได้แต่หลังจากที่ได้คุยกับคนหลายร้อยคนเราก็ค่อยๆพบคำตอบ';
  for (const maxLineChars of WIDTHS) {
    for (const line of linesOfCharacters(text, 'th', { maxLineChars }).flat().slice(0, -1)) {
      expect(line).not.toMatch(/(?:ก็|สามารถ|เรา)$/);
    }
  }
});
