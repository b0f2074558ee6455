/** Our files in real players: SRT and WebVTT in FFmpeg, WebVTT in Chromium. */
import { describe, expect, test } from 'bun:test';
import { toSrt } from '../../server/captions/files/srt.ts';
import { toVtt } from '../../server/captions/files/vtt.ts';
import { needs } from '../support/requirements.ts';
import { needsChromium } from '../support/browser/chromium.ts';
import { playedCaptions } from '../support/browser/played-captions.ts';
import { testBrowser } from '../support/browser/test-browser.ts';

const needsFfmpeg = needs(Bun.which('ffmpeg') !== null, 'there is no ffmpeg');
const { browser } = await testBrowser();

/** Lines and how they must be shown; `look` if SRT shows look-alike characters instead. */
const LINES: { line: string; shown?: string; look?: string }[] = [
  { line: '<script>window.hacked = 1</script>', look: '‹script›window.hacked = 1‹/script›' },
  { line: '<img src=x onerror=window.hacked=1>', look: '‹img src=x onerror=window.hacked=1›' },
  { line: 'if a < b > c then', look: 'if a ‹ b › c then' },
  { line: '1 < 2 & 3 > 2' },
  {
    line: '<b>no</b> <font color="red">one</font> <c.red>is</c> <v Ann>bold',
    look: '‹b›no‹/b› ‹font color="red"›one‹/font› ‹c.red›is‹/c› ‹v Ann›bold',
  },
  {
    line: '<00:00:00.500> no <!-- note -->',
    look: '<00:00:00.500> no ‹!-- note →',
    shown: '<00:00:00.500> no <!-- note →',
  },
  { line: '{\\an8}up {b:1}bold {id} {', look: '｛\\an8｝up ｛b:1｝bold ｛id｝ ｛' },
  { line: 'C:\\new\\host', look: 'C:∖new∖host' },
  { line: '&lt;b&gt; &amp; &copy;' },
  { line: 'a --> b', shown: 'a → b' },
  { line: 'left\u202eturned\u2066 round', shown: 'leftturned round' },
  { line: 'שלום \u200fעולם! مرحبا \u200e(OK)' },
];
const cues = LINES.map(({ line }, at) => ({ start: at, end: at + 0.9, lines: [line] }));
const shown = LINES.map(({ line, shown }) => shown ?? line);
const inSrt = LINES.map(({ line, shown, look }) => look ?? shown ?? line);

/**
 * The text events of a subtitle file as FFmpeg converts it to ASS, and as libass would draw them.
 */
function drawn(format: 'srt' | 'webvtt', document: string): string[] {
  const { stdout, success, stderr } = Bun.spawnSync(
    ['ffmpeg', '-v', 'error', '-f', format, '-i', 'pipe:0', '-f', 'ass', 'pipe:1'],
    { stdin: Buffer.from(document), stderr: 'pipe' },
  );
  if (!success) throw new Error(stderr.toString());
  return stdout
    .toString()
    .split(/\r?\n/)
    .filter((line) => line.startsWith('Dialogue:'))
    .map((line) => line.split(',').slice(9).join(','));
}

describe('FFmpeg', () => {
  needsFfmpeg('shows all text of our SRT, and takes none of it for markup', () => {
    expect(drawn('srt', toSrt(cues))).toEqual(inSrt);
  });
  needsFfmpeg('reads the italics of both formats as italics', () => {
    const italic = [{ start: 0, end: 1, lines: ['one <i>two', 'three</i> four'] }];
    const expected = ['one {\\i1}two{\\i0}\\N{\\i1}three{\\i0} four'];
    expect(drawn('srt', toSrt(italic))).toEqual(expected);
    expect(drawn('webvtt', toVtt(italic))).toEqual(expected);
  });
});

describe('Chromium', () => {
  /** The cues of a WebVTT document as the browser's own parser reads them. */
  async function played(document: string) {
    const page = await browser().newPage();
    const [cues = []] = await playedCaptions(page, [document]);
    await page.close();
    return cues;
  }
  needsChromium('shows all text of our WebVTT, and makes no element of it', async () => {
    const found = await played(toVtt(cues));
    expect(found.map(({ start, text, tags, hacked }) => ({ start, text, tags, hacked }))).toEqual(
      shown.map((text, start) => ({ start, text, tags: [], hacked: false })),
    );
  });
  needsChromium('makes elements of italics, and of nothing else', async () => {
    const [cue] = await played(
      toVtt([{ start: 0, end: 1, lines: ['one <i>two', '<b>three</b></i> <i>four'] }]),
    );
    expect(cue?.tags).toEqual([
      ['i', 'two'],
      ['i', '<b>three</b>'],
    ]);
    expect(cue?.text).toBe('one two\n<b>three</b> <i>four');
  });
});

test('replacement characters keep the length of lines', () => {
  for (const [at, { line, shown, look }] of LINES.entries()) {
    expect([line, look?.length ?? inSrt[at]?.length]).toEqual([line, (shown ?? line).length]);
  }
});
