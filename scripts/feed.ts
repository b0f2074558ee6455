/** `captioner feed https://show.example/feed.xml -o transcripts/`: captions the episodes of a podcast. */
import { basename, join } from 'node:path';
import {
  COMMAND,
  formatsOf,
  glossaryOf,
  namesOf,
  payloadOf,
  withNames,
} from './caption-options.ts';
import { planOutputs } from './caption-outputs.ts';
import { captionRecordings } from './caption-recordings.ts';
import { writeWhole } from './captions-file.ts';
import { CommandFailure, type Given, runCommand, UsageError } from './command-line.ts';
import { asTyped, fromHere } from './current-folder.ts';
import { captionFeed, withTranscripts } from './feed-episodes.ts';
import { keptWork } from './open-work.ts';
import { say } from './terminal.ts';

const { language, topic, glossary, names, packs, provider, model, server } = COMMAND.options;

const FEED = {
  name: 'feed',
  says: 'Captions the episodes of a podcast feed that have no transcript yet.',
  uses: [
    { line: 'https://show.example/feed.xml -o transcripts/', says: 'Writes SRT and WebVTT' },
    {
      line: 'https://show.example/feed.xml -o t/ --at https://show.example/t/',
      says: 'Also writes t/feed.xml, the feed with a podcast:transcript for each file',
    },
  ],
  options: {
    output: { short: 'o', value: 'FOLDER', says: 'The folder of the transcripts', default: '.' },
    format: { short: 'f', value: 'FORMATS', says: 'The formats', default: 'srt,vtt' },
    hosts: {
      value: 'HOSTS',
      says: 'Further hosts that recordings may come from, separated by commas (default: that of the feed)',
    },
    at: { value: 'URL', says: 'The address at which the folder will be; writes feed.xml' },
    episodes: { value: 'NUMBER', says: 'The newest so many episodes', default: '10' },
    tries: { value: 'NUMBER', says: 'How often an episode is tried, over all calls', default: '3' },
    language,
    topic,
    glossary,
    names,
    packs,
    provider,
    model,
    server,
  },
  notes: [
    'What was done is kept in .captioner-feed.json in the folder: call it again, from cron or a timer, for new episodes.',
  ],
};

/** A whole number of an option. @throws {UsageError} */
function countOf(name: string, value = ''): number {
  if (/^[1-9]\d{0,4}$/.test(value)) return Number(value);
  throw new UsageError(`--${name} takes a whole number from 1, not ${value}.`);
}

async function feed({ options, words }: Given<typeof FEED.options>): Promise<void> {
  const url = URL.parse(words[0] ?? '');
  if (!url || words.length > 1) throw new UsageError('Name the address of one feed.');
  const { output = '.', hosts = '', at, episodes, tries, ...rest } = options;
  const base = at === undefined ? null : URL.parse(at.endsWith('/') ? at : `${at}/`);
  if (at !== undefined && !base) throw new UsageError('--at takes an address.');
  const formats = formatsOf(rest);
  const terms = withNames(await glossaryOf(rest), await namesOf(rest));
  payloadOf('talk.mp3', rest, terms);
  const folder = fromHere(output);
  const { open, close } = keptWork();
  const allowed = hosts.split(',').map((host) => host.trim());
  const task = {
    url: url.href,
    folder,
    most: countOf('episodes', episodes),
    tries: countOf('tries', tries),
  };
  const fetching = { hosts: new Set([url.host, ...allowed]), fetch };
  const made = await captionFeed(task, fetching, {
    async caption(recording) {
      const recordings = [recording];
      const wanted = { recordings, formats, languages: [], overwrite: true, filesOnly: true };
      const outputs = await planOutputs({ ...wanted, output: `${folder}/` });
      await captionRecordings(
        { recordings, options: rest, glossary: terms, rules: { query: {} }, outputs },
        (first) => open(rest, first),
        () => {},
      );
      return (outputs.get(recording) ?? []).flatMap(({ path }) =>
        path === null ? [] : basename(path),
      );
    },
    say,
  });
  if (base) {
    const place = join(folder, 'feed.xml');
    const spoken = rest.language === undefined || rest.language === 'auto' ? null : rest.language;
    await writeWhole(place, withTranscripts(made.feed, made.files, base.href, spoken));
    say(`The feed with its transcripts is ${asTyped(place)}.`);
  }
  await close();
  if (made.failed > 0) throw new CommandFailure(`${made.failed} episodes were not captioned.`);
}

await runCommand(FEED, feed);
