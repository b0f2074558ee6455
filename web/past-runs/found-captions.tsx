/** The captions of past runs that have what is searched for. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { searchCaptions } from '../api/runs.ts';
import { hrefOf } from '../tab/route.ts';
import type { session } from '../tab/session.ts';
import { clock } from '../texts/format.ts';
import { pastRuns } from '../texts/past-runs.ts';

/** How long typing has to rest before captions are searched, in milliseconds. */
const REST_MS = 250;
/** The fewest characters that are searched for. */
const FEWEST = 2;

/** The captions of all runs that have what is searched for. */
export function FoundCaptions({ words, session: { key } }: { words: string; session: Session }) {
  const found = useSignal<{ words: string; captions: Found } | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    if (words.length < FEWEST) found.value = null;
    else {
      const timer = setTimeout(() => {
        // The last word is perhaps still being typed.
        const asked = /[\p{L}\p{N}]$/u.test(words) ? `${words}*` : words;
        searchCaptions(key, asked, stop.signal).then(
          ({ captions }) => (found.value = { words, captions }),
          // The list by name stays; without the service, nothing else is there either.
          () => (found.value = null),
        );
      }, REST_MS);
      stop.signal.addEventListener('abort', () => clearTimeout(timer));
    }
    return () => stop.abort();
  }, [words, key]);
  if (!found.value || words.length < FEWEST) return null;
  const { captions } = found.value;
  if (captions.length === 0) return <p role="status">{pastRuns.notSaid(found.value.words)}</p>;
  return (
    <>
      <h2>{pastRuns.said}</h2>
      <ul class="found-captions">
        {captions.map(({ runId, name, start, text: said, speaker }) => (
          <li key={`${runId} ${start}`}>
            <a href={hrefOf({ screen: 'run', runId, at: start })} dir="auto">
              {said}
            </a>
            <p class="hint">
              {name} · {clock(start)}
              {speaker !== undefined && ` · ${speaker}`}
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}

type Found = Awaited<ReturnType<typeof searchCaptions>>['captions'];
type Session = NonNullable<typeof session.value>;
