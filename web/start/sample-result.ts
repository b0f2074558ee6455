/** The captions of the sample, as a service would have made them. The bundler runs this, and puts the result in its place. */
import { buildCues } from '../../server/captions/build/build.ts';
import { assessCaptions } from '../../server/captions/rules/quality.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../server/contract/caption-defaults.ts';
import { confidenceFigures } from '../../server/contract/confidence.ts';
import type { CaptionerCompletedResult } from '../../server/contract/results.ts';

/** Each word with its start and end in seconds, and its confidence where it is not 0.97. */
const WORDS =
  'Good 0.33 0.43|evening, 0.52 0.98|and 1.10 1.21|welcome 1.30 1.51|to 1.59 1.71|a 1.75 1.81|short 1.89 2.01|talk 2.10 2.35|about 2.44 2.71|agent 2.80 2.99|registration. 3.08 3.73|Tonight 4.45 4.65|I 4.71 4.81|want 4.87 4.95|to 4.98 5.03|show 5.09 5.17|you 5.22 5.29|how 5.35 5.45|an 5.50 5.57|agent 5.66 5.81|can 5.89 6.01|sign 6.10 6.23|up 6.29 6.39|for 6.46 6.57|a 6.61 6.67|service 6.76 6.95|on 7.04 7.17|its 7.24 7.35 0.48|own. 7.42 7.53|The 8.09 8.19|agent 8.28 8.53|reads 8.62 8.87|one 8.96 9.23|page, 9.32 9.77|and 9.96 10.07|then 10.12 10.19|it 10.24 10.31|asks 10.40 10.67|for 10.76 10.89|a 10.95 11.05|key. 11.11 11.21 0.41|First, 11.83 12.19|it 12.57 12.67|sends 12.76 12.89|an 12.98 13.11|email 13.20 13.37|address 13.46 13.77|to 13.86 14.05|the 14.10 14.17|service. 14.26 14.49|Then 15.19 15.31|a 15.34 15.39|person 15.48 15.71|reads 15.80 15.97|a 16.02 16.09|code 16.17 16.29|of 16.35 16.45|six 16.51 16.61|numbers 16.70 16.91 0.55|from 17.00 17.21|the 17.27 17.35|mail, 17.44 17.75|and 17.97 18.07|gives 18.12 18.19|it 18.27 18.39|to 18.44 18.51|the 18.57 18.67|agent. 18.76 19.05|Now 19.62 19.77|the 19.83 19.91|agent 20.00 20.25|has 20.34 20.49|a 20.54 20.61|key, 20.69 20.97|and 21.21 21.29|it 21.34 21.41|can 21.47 21.55|start 21.64 21.79|to 21.88 22.01|work. 22.10 22.33|We 22.86 22.94|use 23.03 23.20|off 23.29 23.45 0.62|kit 23.45 23.62 0.71|for 23.70 23.82|the 23.87 23.94|sign 24.03 24.24|in 24.24 24.38|page, 24.47 25.01|and 25.16 25.26|an 25.34 25.46|MCP 25.55 26.00|server 26.09 26.40|for 26.49 26.62|the 26.68 26.78|tools. 26.87 27.08|The 27.77 27.86|Model 27.95 28.10|Context 28.19 28.60|Protocol 28.69 29.20|tells 29.29 29.58|the 29.67 29.90|agent 29.99 30.24|which 30.32 30.44|tools 30.53 30.78|there 30.87 31.04|are. 31.13 31.26|Thank 31.84 31.94|you 32.00 32.10|for 32.16 32.26|coming, 32.35 32.70|and 32.93 33.02|please 33.11 33.24|ask 33.33 33.66|me 33.72 33.80|your 33.86 33.96|questions. 34.05 34.58';

/** A misheard term, its correction and the reason. */
const TERM = {
  before: 'off kit',
  after: 'AuthKit',
  reason: '"off kit" is a known mishearing of AuthKit.',
};

interface SampleWord {
  text: string;
  start: number;
  end: number;
  confidence: number;
  original?: string[];
}

/** The words, with the term in place of what was heard. */
function words(): SampleWord[] {
  const heard = WORDS.split('|').map((word) => {
    const [text = '', start, end, confidence = '0.97'] = word.split(' ');
    return { text, start: Number(start), end: Number(end), confidence: Number(confidence) };
  });
  const at = heard.findIndex(({ text }) => text === 'off');
  const [off, kit] = [heard[at]!, heard[at + 1]!];
  const term = { ...off, text: TERM.after, end: kit.end, original: TERM.before.split(' ') };
  return [...heard.slice(0, at), term, ...heard.slice(at + 2)];
}

/** The result that a run of the sample would have. */
export function sampleResult(): CaptionerCompletedResult {
  const said = words();
  const settings = DEFAULT_CAPTION_SETTINGS;
  const cues = buildCues(said, settings, 'en');
  const firstWord = said.findIndex(({ text }) => text === TERM.after);
  const { start = 0, end = 0 } = said[firstWord] ?? {};
  const correction = {
    id: 'sample-term',
    firstWord,
    lastWord: firstWord + 1,
    start,
    end,
    ...TERM,
    category: 'product',
    confidence: 0.93,
    decision: 'accepted',
    packHints: [],
  };
  // The cast is for the parts of a result that only a real run has.
  return {
    status: 'completed',
    input: { language: 'en' },
    metadata: {},
    transcript: {
      text: '',
      metadata: confidenceFigures(said),
      words: said,
      utterances: [],
      paragraphs: [],
    },
    audit: { corrections: [correction] },
    captions: { format: 'srt', srt: '', cues, settings },
    quality: { captions: assessCaptions(cues, settings, 'en') },
  } as unknown as CaptionerCompletedResult;
}
