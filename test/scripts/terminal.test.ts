/** Progress and recognised words, on a terminal and in a log. */
import { expect, test } from 'bun:test';
import { progressLine } from '../../scripts/terminal.ts';

function printed(isTTY: boolean) {
  const written: string[] = [];
  const out = { isTTY, write: (text: string | Uint8Array) => written.push(String(text)) > 0 };
  return { line: progressLine(out), taken: () => written.splice(0).join('') };
}
const CLEARED = '\r\u001b[K';

test('a log has one line for each stage, and no words', () => {
  const { line, taken } = printed(false);
  line.show('Preparing', 0);
  line.show('Transcribing', 0.1);
  line.show('Transcribing', 0.9, 'more');
  line.words('hello');
  line.end();
  expect(taken()).toBe('Preparing\nTranscribing\n');
});

test('a terminal redraws the line with the share that is done', () => {
  const { line, taken } = printed(true);
  line.show('Transcribing', 0.5, 'a.mp3');
  const half = `Transcribing     ${'█'.repeat(14)}${'░'.repeat(14)}  50% a.mp3`;
  expect(taken()).toBe(`${CLEARED}${half}`);
  line.show('Transcribing', 0.999);
  expect(taken()).toContain(' 99% ');
  line.show('Transcribing', 1.5);
  expect(taken()).toContain(` ${'█'.repeat(28)} `);
  line.show('Transcribing', -1);
  expect(taken()).toContain(` ${'░'.repeat(28)} `);
});

test('words are above the line, which stays, and cannot control the terminal', () => {
  const { line, taken } = printed(true);
  const words = (text: string) => `${CLEARED}\u001b[2m${text}\u001b[22m\n`;
  line.words('hello');
  expect(taken()).toBe(words('hello'));
  line.show('Transcribing', 0.5);
  const bar = taken().slice(CLEARED.length);
  line.words('a\u001b[2Jb\r\nc\u009bd');
  expect(taken()).toBe(`${words('a [2Jb c d')}${bar}`);
  line.end();
  line.words('bye');
  expect(taken()).toBe(`\n${words('bye')}`);
});

test('the line is left once, if it was shown', () => {
  const { line, taken } = printed(true);
  line.end();
  expect(taken()).toBe('');
  line.show('Transcribing', 1);
  taken();
  line.end();
  line.end();
  expect(taken()).toBe('\n');
});
