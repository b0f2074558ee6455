/** How often each check of a translation is right: on captions that people translated, and on what is made of them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readVtt } from '../server/captions/files/vtt.ts';
import { withoutItalics } from '../server/captions/italics.ts';
import { neighbourFaults } from '../server/translation/neighbours.ts';
import { faultsOf } from '../server/translation/proof.ts';
import { withoutTags } from '../server/translation/sentences.ts';

/** Captions of people and their translations by people, in the shared test material. */
const PAIRS = [
  ['itaccess_captions_en', 'itaccess_subtitles_es', 'es'],
  ['itaccess_captions_en', 'itaccess_subtitles_zh-cn', 'zh-Hans'],
  ['wwa_captions_en', 'wwa_captions_de', 'de'],
  ['wwa_captions_en', 'wwa_captions_ja', 'ja'],
  ['blocks4all_captions_en', 'blocks4all_captions_ko', 'ko'],
] as const;

/** A caption of the original and the same one in the translation. */
interface Pair {
  to: string;
  source: string;
  text: string;
}

/** What can be wrong with a translation, made from a right one; null if it cannot be made from that one. */
const WRONGS: Record<string, (pair: Pair, all: readonly Pair[], at: number) => string | null> = {
  'left in the original language': ({ source }) =>
    /\p{L}{2}.*\s.*\p{L}{2}/u.test(source) ? source : null,
  'in a third language': ({ to }) =>
    to === 'de' || to === 'es'
      ? 'Nous sommes tous ici pour que vous le sachiez, et ce n’est pas tout.'
      : 'Мы все здесь, чтобы вы это знали.',
  'in Polish': ({ to }) =>
    to === 'de' || to === 'es'
      ? 'Wszyscy jesteśmy tu, żeby to było jasne, i to nie wszystko.'
      : null,
  'in reverse order': ({ text }) =>
    text.split(' ').length > 4 ? text.split(' ').toReversed().join(' ') : null,
  'a remark added': ({ text }) => `${text} (Note: this is informal.)`,
  'said twice': ({ text }) => (text.length >= 15 ? `${text} ${text}` : null),
  'two captions in one': ({ text }, all, at) =>
    all[at + 1]?.to === all[at]!.to ? `${text} ${all[at + 1]!.text}` : null,
  'cut to a sixth': ({ source, text }) =>
    source.length >= 40 ? text.slice(0, text.length / 6) : null,
  'a number lost': ({ source, text }) =>
    /\d/.test(source) && /\d/.test(text) ? text.replace(/\d+/g, '') : null,
  'a number added': ({ text }) => `${text.replace(/[.。!?！？]+$/u, '')} 47.`,
  'a unit lost': ({ source, text }) =>
    /\d\s?%/.test(source) && /%/.test(text) ? text.replaceAll('%', '') : null,
  '¿ or ¡ lost': ({ to, text }) =>
    to === 'es' && /[¿¡]/.test(text) ? text.replace(/[¿¡]/g, '') : null,
  'italics lost': ({ source, text }) =>
    /<i>/.test(source) && /<i>/.test(text) ? withoutTags(text) : null,
};

function pairsOf([source, target, to]: (typeof PAIRS)[number]): Pair[] {
  const read = (name: string) =>
    readVtt(
      readFileSync(
        join(import.meta.dir, '../../shared/reference/ableplayer', `${name}.vtt`),
        'utf8',
      ),
    );
  const [from, into] = [read(source), read(target)];
  return from.flatMap(({ start, end, lines }) => {
    const same = into.find(
      (cue) => Math.abs(cue.start - start) < 0.05 && Math.abs(cue.end - end) < 0.05,
    );
    if (!same) return [];
    return {
      to,
      source: withoutItalics(lines).join(' '),
      text: withoutItalics(same.lines).join(' '),
    };
  });
}

/** The figures as rows of a table. */
export function translationFigures(): object[] {
  const all = PAIRS.flatMap(pairsOf);
  const rules = (to: string) => ({ from: 'en', to, terms: [] });
  const right = all.map(({ to, source, text }) => faultsOf({ text: source }, text, rules(to)));
  const alarms = right.filter((faults) => faults.length > 0);
  const kinds = new Map<string, number>();
  for (const { kind } of right.flat()) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const rows: object[] = [
    {
      what: 'right, by people',
      captions: all.length,
      reported: alarms.length,
      'as (captions)': [...kinds].map(([kind, count]) => `${kind} ${count}`).join(', '),
    },
  ];
  for (const [what, make] of Object.entries(WRONGS)) {
    const made = all.flatMap((pair, at) => {
      const text = make(pair, all, at);
      return text === null || right[at]!.length > 0 ? [] : [{ ...pair, text, at }];
    });
    const found = made.map(({ to, source, text, at }) => {
      const next = all[at + 1];
      const beside = [
        [source, text] as const,
        ...(next?.to === to ? [[next.source, next.text] as const] : []),
      ];
      return [...faultsOf({ text: source }, text, rules(to)), ...neighbourFaults(beside, 0)];
    });
    const by = new Map<string, number>();
    for (const faults of found) {
      const kind = faults[0]?.kind;
      if (kind) by.set(kind, (by.get(kind) ?? 0) + 1);
    }
    rows.push({
      what,
      captions: made.length,
      reported: found.filter((faults) => faults.length > 0).length,
      'as (captions)': [...by].map(([kind, count]) => `${kind} ${count}`).join(', '),
    });
  }
  return rows;
}
