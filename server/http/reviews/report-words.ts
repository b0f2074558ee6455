/** The words of reports and statements, from the texts of a language. */
import type { ReportWords } from '../../evidence/wording.ts';
import { fill } from '../../texts/fill.ts';
import { textsIn } from '../../texts/languages.ts';

/** Those of a language. @example reportWords('de').percent(0.985); // => '98,5\u00a0%' */
export function reportWords(language: string): ReportWords {
  const { report } = textsIn(language);
  return {
    language,
    say: (name, values = {}) =>
      fill(
        `report.${name}`,
        report[name] ?? name,
        Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)])),
      ),
    percent(share, isShort = false) {
      const figure = (100 * share).toFixed(1);
      const shown = isShort ? figure.replace(/\.0$/, '') : figure;
      if (language === 'en') return `${shown} %`;
      const minimumFractionDigits = shown.includes('.') ? 1 : 0;
      const style = { style: 'percent', minimumFractionDigits, maximumFractionDigits: 1 } as const;
      return (Number(figure) / 100).toLocaleString(language, style);
    },
  };
}

/** Languages whose letters the fonts of the PDF lack, or that are read from right to left. */
const WITHOUT_PDF = new Set(['ja', 'zh-Hans', 'ko', 'ar']);

/** The language of a PDF for readers of a language. */
export const pdfLanguage = (language: string): string =>
  WITHOUT_PDF.has(language) ? 'en' : language;
