/** Captions the episodes of a podcast: reads the feed, fetches what is new, and writes the feed with its transcripts. */
import { createWriteStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createHash } from 'node:crypto';
import { DomUtils, parseDocument } from 'htmlparser2';
import { aloneIn } from './alone-in-folder.ts';
import { writeWhole } from './captions-file.ts';
import { CommandFailure } from './command-line.ts';

/** The name of the file that says what was done, in the folder of the transcripts. */
const STATE_FILE = '.captioner-feed.json';
/** The largest feed, and the largest episode, in bytes. */
const MAX_FEED_BYTES = 16 * 2 ** 20;
const MAX_EPISODE_BYTES = 2 * 2 ** 30;
const MAX_REDIRECTS = 5;
/** The longest wait for a feed, and for an episode, in milliseconds. */
const FEED_MS = 60_000;
const EPISODE_MS = 3_600_000;

/** The media types of transcripts, by the ending of their files. */
const TYPES: Record<string, string> = {
  srt: 'application/x-subrip',
  vtt: 'text/vtt',
  txt: 'text/plain',
  'podcast.json': 'application/json',
};

/** An episode of a feed. */
export interface Episode {
  /** Its guid, or the address of its recording. */
  id: string;
  title: string;
  url: string;
  /** Where its element ends in the text of the feed. */
  end: number;
  hasTranscript: boolean;
}

/**
 * The episodes of a feed, in its order.
 * @throws {CommandFailure} it is no feed
 */
export function episodesOf(feed: string): Episode[] {
  const document = parseDocument(feed, {
    xmlMode: true,
    withStartIndices: true,
    withEndIndices: true,
  });
  const items = DomUtils.getElementsByTagName('item', document, true);
  if (DomUtils.getElementsByTagName('rss', document, true, 1).length === 0) {
    throw new CommandFailure('This is no podcast feed (RSS).');
  }
  const tagged = (item: (typeof items)[number], name: string) =>
    DomUtils.getElementsByTagName(name, item.children, false, 1)[0];
  return items.flatMap((item) => {
    const url = tagged(item, 'enclosure')?.attribs['url']?.trim() ?? '';
    if (url === '' || item.endIndex === null) return [];
    const textOf = (name: string) => {
      const found = tagged(item, name);
      return found ? DomUtils.textContent(found).trim() : '';
    };
    return [
      {
        id: textOf('guid') || url,
        title: textOf('title') || url,
        url,
        end: feed.lastIndexOf('</', item.endIndex),
        hasTranscript: tagged(item, 'podcast:transcript') !== undefined,
      },
    ];
  });
}

/** The file name of an episode without its ending, which no title of a stranger decides alone. */
export const stemOf = ({ id, title }: Pick<Episode, 'id' | 'title'>): string => {
  const words = title
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 60)
    .replaceAll(/^-|-$/g, '');
  const mark = createHash('sha256').update(id).digest('hex').slice(0, 8);
  return words === '' ? mark : `${words}-${mark}`;
};

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/**
 * A feed with the transcripts of its episodes; those that have some keep them.
 * @param files the names of the files of each episode by its id
 * @param base where these files will be
 */
export function withTranscripts(
  feed: string,
  files: ReadonlyMap<string, readonly string[]>,
  base: string,
  language: string | null,
): string {
  let made = feed;
  for (const { id, end, hasTranscript } of episodesOf(feed).toReversed()) {
    if (hasTranscript) continue;
    const lines = (files.get(id) ?? []).flatMap((name) => {
      const type = TYPES[name.slice(name.indexOf('.') + 1)];
      if (type === undefined) return [];
      const url = escaped(new URL(encodeURIComponent(name), base).href);
      const spoken = language === null ? '' : ` language="${escaped(language)}"`;
      return [`  <podcast:transcript url="${url}" type="${type}"${spoken}/>\n`];
    });
    made = made.slice(0, end) + lines.join('') + made.slice(end);
  }
  if (made === feed || /\sxmlns:podcast=/.test(feed)) return made;
  return made.replace(/<rss\b/, '<rss xmlns:podcast="https://podcastindex.org/namespace/1.0"');
}

/** How addresses are fetched. */
export interface Fetching {
  /** The hosts that may be asked: that of the feed, and those that the user names. */
  hosts: ReadonlySet<string>;
  fetch: typeof fetch;
}

/**
 * Asks for an address, and follows redirects to hosts that are allowed.
 * @throws {CommandFailure} for any other host, and if there is no answer
 */
async function ask({ hosts, fetch }: Fetching, address: string, ms: number): Promise<Response> {
  let url = address;
  const signal = AbortSignal.timeout(ms);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const to = URL.parse(url);
    if (!to || !/^https?:$/.test(to.protocol))
      throw new CommandFailure(`${url} is no web address.`);
    if (!hosts.has(to.host)) {
      throw new CommandFailure(`${to.host} is not an allowed host: --hosts ${to.host} allows it.`);
    }
    const answer = await fetch(to.href, { redirect: 'manual', signal }).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new CommandFailure(`${to.host} does not answer: ${reason}`);
    });
    const next = answer.headers.get('location');
    if (answer.status < 300 || answer.status >= 400 || next === null) {
      if (answer.ok) return answer;
      throw new CommandFailure(`${to.host} answers ${answer.status}.`);
    }
    await answer.body?.cancel();
    url = new URL(next, to).href;
  }
  throw new CommandFailure('There are too many redirects.');
}

/** The bytes of an answer, no more than a bound. */
async function* bounded(answer: Response, most: number): AsyncIterable<Uint8Array> {
  let size = 0;
  for await (const bytes of answer.body ?? []) {
    size += bytes.byteLength;
    if (size > most) throw new CommandFailure(`It is larger than ${most} bytes.`);
    yield bytes;
  }
}

/** Fetches a feed. */
async function fetchFeed(fetching: Fetching, url: string): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of bounded(await ask(fetching, url, FEED_MS), MAX_FEED_BYTES)) {
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** What is known of an episode. */
interface Known {
  files: string[];
  tries: number;
  error?: string;
}

interface FeedTask {
  url: string;
  /** The folder of the transcripts. */
  folder: string;
  /** The most episodes that are captioned, the first of the feed first. */
  most: number;
  /** How often an episode is tried, over all calls. */
  tries: number;
}

interface FeedWork {
  /** Captions a recording; returns the names of its files in the folder. */
  caption(recording: string): Promise<string[]>;
  say(text: string): void;
}

interface CaptionedFeed {
  feed: string;
  files: Map<string, string[]>;
  failed: number;
}

/**
 * Captions the new episodes of a feed, each with its own fate.
 * @returns the feed, and the files of all its episodes by their ids
 * @throws {CommandFailure} the feed cannot be read, or another process captions it
 */
export async function captionFeed(
  task: FeedTask,
  fetching: Fetching,
  work: FeedWork,
): Promise<CaptionedFeed> {
  const feed = await fetchFeed(fetching, task.url);
  return aloneIn(join(task.folder, STATE_FILE), (place) =>
    captionEpisodes(feed, place, task, fetching, work),
  );
}

async function captionEpisodes(
  feed: string,
  place: string,
  { folder, most, tries }: FeedTask,
  fetching: Fetching,
  { caption, say }: FeedWork,
): Promise<CaptionedFeed> {
  const state = new Map<string, Known>(
    Object.entries(
      await readFile(place, 'utf8').then(
        (text) => JSON.parse(text) as Record<string, Known>,
        () => ({}),
      ),
    ),
  );
  const keep = () => writeWhole(place, `${JSON.stringify(Object.fromEntries(state), null, 1)}\n`);
  const wanted = episodesOf(feed).slice(0, most);
  let failed = 0;
  for (const episode of wanted) {
    const known = state.get(episode.id) ?? { files: [], tries: 0 };
    if (known.files.length > 0 || episode.hasTranscript) continue;
    if (known.tries >= tries) {
      failed += 1;
      continue;
    }
    // Noted before the work, so that an episode that ends the process is not tried for ever.
    state.set(episode.id, { files: [], tries: known.tries + 1 });
    await keep();
    const ending = extname(URL.parse(episode.url)?.pathname ?? '').slice(0, 6);
    const recording = join(folder, `${stemOf(episode)}${/^\.\w+$/.test(ending) ? ending : '.mp3'}`);
    try {
      const answer = await ask(fetching, episode.url, EPISODE_MS);
      await pipeline(
        Readable.from(bounded(answer, MAX_EPISODE_BYTES)),
        createWriteStream(recording),
      );
      state.set(episode.id, { files: await caption(recording), tries: known.tries + 1 });
      say(`${episode.title} is captioned.`);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      state.set(episode.id, { files: [], tries: known.tries + 1, error: reason });
      failed += 1;
      say(`${episode.title}: ${reason}`);
    } finally {
      await rm(recording, { force: true });
    }
    await keep();
  }
  const files = new Map([...state].map(([id, each]) => [id, each.files]));
  return { feed, files, failed };
}
