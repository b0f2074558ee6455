/**
 * Measures the corrections that learning saves over a year: the benchmark table, and the curve in
 * docs/.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { simulateYear, type TalkFigures } from './year.ts';

const SEEDS = [1, 2, 3, 4, 5];
const PICTURE = fileURLToPath(new URL('../../docs/learning.svg', import.meta.url));

/** Simulates several years, draws their mean, and returns the rows of the table. */
export async function learningFigures(): Promise<Record<string, string>[]> {
  const years = SEEDS.map((seed) => simulateYear({ seed }));
  const mean = (at: number, of: keyof TalkFigures): number =>
    years.reduce((sum, year) => sum + (year[at]?.[of] ?? 0), 0) / years.length;
  const talks = years[0]?.length ?? 0;
  await writeFile(
    PICTURE,
    curve(Array.from({ length: talks }, (_, at) => mean(at, 'corrections'))),
  );
  const total = (of: 'wrong' | 'words') =>
    years.flat().reduce((sum, figures) => sum + figures[of], 0);
  const rows = [1, 5, 10, 20, 30, 40].map((talk) => ({
    talk: String(talk),
    'terms said': mean(talk - 1, 'terms').toFixed(0),
    corrections: mean(talk - 1, 'corrections').toFixed(1),
    'of talk 1': `${((100 * mean(talk - 1, 'corrections')) / mean(0, 'corrections')).toFixed(0)}%`,
    questions: mean(talk - 1, 'questions').toFixed(1),
  }));
  const [wrong, words] = [total('wrong'), total('words')];
  const told = wrong === 0 ? 'none' : `one in ${Math.round(words / wrong)}`;
  return [
    ...rows,
    {
      talk: 'all',
      'terms said': '',
      corrections: `wrong automatic changes: ${wrong} (${told} of ${words} ordinary words)`,
      'of talk 1': '',
      questions: '',
    },
  ];
}

const WIDTH = 720;
const HEIGHT = 300;
const LEFT = 44;
const BOTTOM = 262;
const TOP = 24;

/** A line chart over the talks, as SVG that is readable in light and dark mode. */
function curve(values: readonly number[]): string {
  const most = Math.ceil(Math.max(...values) / 10) * 10;
  const x = (at: number) => LEFT + (at * (WIDTH - LEFT - 20)) / (values.length - 1);
  const y = (value: number) => BOTTOM - (value * (BOTTOM - TOP)) / most;
  const points = values.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  const rows = [0, most / 2, most].map(
    (value) =>
      `<line x1="${LEFT}" x2="${WIDTH - 20}" y1="${y(value)}" y2="${y(value)}" stroke="#8888" stroke-width="1"/><text x="${LEFT - 8}" y="${y(value) + 4}" text-anchor="end">${value}</text>`,
  );
  const columns = [1, 10, 20, 30, 40].map(
    (talk) => `<text x="${x(talk - 1)}" y="${BOTTOM + 20}" text-anchor="middle">${talk}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" fill="#808080" role="img">
<title>Corrections in each of 40 talks of one workspace, simulated</title>
${rows.join('\n')}
${columns.join('\n')}
<text x="${LEFT}" y="14">corrections in a talk</text>
<text x="${WIDTH - 20}" y="${HEIGHT - 4}" text-anchor="end">talk</text>
<polyline points="${points}" fill="none" stroke="#2563eb" stroke-width="2.5" stroke-linejoin="round"/>
</svg>
`;
}
