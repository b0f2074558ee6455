/** The report: what is known of the run, and how fast the captions are read. */
import './support/page.ts';
import { expect, test } from 'bun:test';
import { h, render } from 'preact';
import type { Desk } from '../../../web/review/desk/desk.ts';
import { ReportPanel } from '../../../web/review/desk/report-panel.tsx';
import { panels } from '../../../web/texts/desk-parts.ts';
import { desk } from '../support/desk.ts';
import { all, one } from './support/app.ts';

/** Renders the report of captions of two seconds, three seconds apart, of a recording of 100 s. */
function shown(lines: readonly string[], transcript: object, metadata: object, length = 100) {
  const parts = desk(lines);
  parts.media.learn(length);
  const result = { transcript: { words: [], metadata: {}, ...transcript }, metadata };
  const page = document.createElement('div');
  render(h(ReportPanel, { desk: { ...parts, result } as unknown as Desk }), page);
  const rows = all('.report div', page).map((row) => [
    one('dt', row).textContent,
    one('dd', row).textContent,
  ]);
  return { page, rows, playback: parts.playback };
}

test('the report says what recognised the speech, and how long the run took', () => {
  const run = { metadata: { engine: 'deepgram', model: 'nova-3' } };
  const { rows } = shown(['One.'], run, { timingsMs: { total: 61_400 } });
  expect(rows).toContainEqual([panels.reportBy, 'nova-3, deepgram']);
  expect(rows).toContainEqual([panels.reportTook, '1:01 min']);
  expect(rows).toContainEqual([panels.reportLength, '1:40 min']);
  const names = shown(['One.'], {}, {}).rows.map(([name]) => name);
  expect(names).toContain(panels.reportLength);
  expect(names).not.toContain(panels.reportBy);
  expect(names).not.toContain(panels.reportTook);
});

test('the chart has a bar for the fastest caption of each part, and a click seeks', () => {
  // 10, 40 and 20 characters a second, of which 20 is the limit.
  const { page, playback } = shown(
    [20, 80, 40].map((size) => 'x'.repeat(size)),
    {},
    {},
  );
  const bars = all('.chart rect', page).map((bar) => [
    bar.getAttribute('height'),
    bar.getAttribute('y'),
    bar.getAttribute('class'),
  ]);
  expect(bars).toHaveLength(120);
  expect(bars[0]).toEqual(['20', '40', '']);
  expect(bars[3]).toEqual(['60', '0', 'over']);
  expect(bars[7]).toEqual(['40', '20', '']);
  expect(bars.filter(([height]) => height !== '0')).toHaveLength(3);
  expect(one('.chart line', page).getAttribute('y1')).toBe('20');
  const chart = one('.chart svg', page);
  Object.assign(chart, { getBoundingClientRect: () => ({ left: 50, width: 200 }) });
  chart.dispatchEvent(new MouseEvent('click', { clientX: 100, bubbles: true }));
  expect(playback.time.peek()).toBe(25);
});
