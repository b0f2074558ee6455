import { describe, expect, test } from 'bun:test';
import { cutItalics } from '../../../web/review/model/cue.ts';
import * as edits from '../../../web/review/model/edits.ts';
import { after, cuesOf, settings, texts } from './support.ts';

describe('italics', () => {
  test('that are cut are closed and reopened', () => {
    expect(cutItalics('<i>so it', 'goes</i> on')).toEqual(['<i>so it</i>', '<i>goes</i> on']);
    expect(cutItalics('<i>so</i> it', '<i>goes</i> on')).toEqual([
      '<i>so</i> it',
      '<i>goes</i> on',
    ]);
    // An unpaired tag is text.
    expect(cutItalics('<i>so it', 'goes on')).toEqual(['<i>so it', 'goes on']);
    expect(cutItalics('<i>so it', 'goes</i> <i></i>on')).toEqual([
      '<i>so it</i>',
      '<i>goes</i> <i></i>on',
    ]);
  });
  test('are the same in capitals, and leave nothing where they begin or end at the cut', () => {
    expect(cutItalics('<I>so it', 'goes</I> on')).toEqual(['<I>so it</i>', '<i>goes</I> on']);
    expect(cutItalics('so <I>', 'it</I>')).toEqual(['so', '<i>it</I>']);
    expect(cutItalics('<i>so it', '</I> on')).toEqual(['<i>so it</i>', 'on']);
    // A closing tag without an opening one does not close what comes later.
    expect(cutItalics('a</i> <i>b', 'c</i>')).toEqual(['a</i> <i>b</i>', '<i>c</i>']);
  });
  test('are kept by a split and by a word that moves', () => {
    const cues = cuesOf('She said <i>so it goes</i>', 'and left.');
    const at = 'She said <i>so'.length;
    expect(texts(after(cues, edits.split(cues, 0, at, 9, []))).slice(0, 2)).toEqual([
      'She said <i>so</i>',
      '<i>it goes</i>',
    ]);
    expect(texts(after(cues, edits.moveWord(cues, 0, 'next', settings, 'en', [])))).toEqual([
      'She said <i>so it</i>',
      '<i>goes</i> and left.',
    ]);
  });
  test('leave no tags without words', () => {
    const cues = cuesOf('<i>So.</i>');
    for (const offset of [2, 3, 6, 8]) expect(edits.split(cues, 0, offset, 9, [])).toBeNull();
  });
  test('are added to words and removed', () => {
    const cues = cuesOf('so it goes');
    const made = edits.toggleItalics(cues, 0, 3, 5);
    const italic = after(cues, made?.splice ?? null);
    expect(texts(italic)).toEqual(['so <i>it</i> goes']);
    expect([made?.from, made?.to]).toEqual([6, 8]);
    for (const [from, to] of [
      [6, 8],
      [3, 12],
    ] as const) {
      const undone = edits.toggleItalics(italic, 0, from, to);
      expect(texts(after(italic, undone?.splice ?? null))).toEqual(['so it goes']);
      expect([undone?.from, undone?.to]).toEqual([3, 5]);
    }
    expect(edits.toggleItalics(cues, 0, 2, 3)).toBeNull();
  });
  test('are removed across lines, and added around a text that is italic only at its beginning', () => {
    const toggled = (text: string) => {
      const cues = cuesOf(text);
      return texts(after(cues, edits.toggleItalics(cues, 0, 0, text.length)?.splice ?? null))[0];
    };
    expect(toggled('<i>so it\ngoes</i>')).toBe('so it\ngoes');
    expect(toggled('<i>so</i> it\ngoes')).toBe('<i>so it\ngoes</i>');
  });
});
