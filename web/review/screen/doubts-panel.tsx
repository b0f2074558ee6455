/** The panel of doubtful words, each in its caption: play, confirm or correct them. */
import { DropDown } from '../../components/fields.tsx';
import { IconButton } from '../../components/icon.tsx';
import { seconds } from '../../texts/format.ts';
import type { Desk } from '../desk/desk.ts';
import { hintOf } from '../desk/keys.ts';
import { textOf } from '../model/cue.ts';
import { settings } from '../editing/settings.ts';
import { PlayStretch } from './play-stretch.tsx';
import { UncertainSpeakers } from './uncertain-speakers.tsx';
import { panels as panelsText } from '../../texts/desk-parts.ts';

/** The most words listed; the rest are reached one by one. */
const SHOWN = 100;
const LEVELS = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];

/** The list, with the buttons that step through it. */
export function DoubtsPanel({ desk }: { desk: Desk }) {
  const { doubts, navigation, review } = desk;
  const open = doubts.open.value;
  const hasConfidence = review.words.some(({ confidence }) => confidence !== undefined);
  if (!hasConfidence) {
    return (
      <>
        <UnheardList desk={desk} />
        <UncertainSpeakers desk={desk} />
        <p>{panelsText.doubtsUnknown}</p>
      </>
    );
  }
  return (
    <>
      <UnheardList desk={desk} />
      <UncertainSpeakers desk={desk} />
      <div class="panel-head doubt-level">
        <label>
          {panelsText.doubtLevel}{' '}
          <DropDown
            value={String(settings.doubtBelow.value)}
            options={LEVELS.map((level) => [String(level), panelsText.percent(level)])}
            onChoose={(level) => (settings.doubtBelow.value = Number(level))}
          />
        </label>
        {navigation.left.value.doubt > 0 && (
          <>
            <button type="button" onClick={() => navigation.go(-1, ['doubt'])}>
              {panelsText.previous} <kbd>{hintOf('previousDoubt')}</kbd>
            </button>
            <button type="button" onClick={() => navigation.go(1, ['doubt'])}>
              {panelsText.next} <kbd>{hintOf('nextDoubt')}</kbd>
            </button>
          </>
        )}
      </div>
      {open.length === 0 && <p>{panelsText.doubtsNone}</p>}
      <ul class="terms">
        {open.slice(0, SHOWN).map((doubt) => (
          <Line key={doubt.word} desk={desk} doubt={doubt} />
        ))}
      </ul>
      {open.length > SHOWN && <p class="hint">{panelsText.doubtsMore(open.length - SHOWN)}</p>}
    </>
  );
}

/** The stretches of sound without captions; nothing if there are none. */
function UnheardList({ desk }: { desk: Desk }) {
  const { doubts, navigation, commands, clock } = desk;
  const { position } = clock.value;
  const found = doubts.unheard.value;
  if (found.length === 0) return null;
  return (
    <section class="unheard" aria-label={panelsText.unheard(found.length)}>
      <h3>{panelsText.unheard(found.length)}</h3>
      <p class="hint">{panelsText.unheardHint}</p>
      <ul class="terms">
        {found.slice(0, SHOWN).map((stretch) => {
          const { start, end } = stretch;
          const at = panelsText.stretch(position(start), position(end));
          return (
            <li class="term" key={start}>
              <button
                type="button"
                class="plain term-sentence"
                onClick={() => navigation.toUnheard(stretch)}
              >
                {at}
              </button>
              <span class="term-confidence">{seconds(end - start)}</span>
              <span class="term-actions">
                <PlayStretch desk={desk} stretch={stretch} at={at} />
                <IconButton
                  icon="insert"
                  label={panelsText.captionStretch(at)}
                  title={panelsText.captionIt}
                  onClick={() => commands.insertIn(stretch)}
                />
                <IconButton
                  icon="check"
                  label={panelsText.nothingMissing(at)}
                  title={panelsText.nothingMissingShort}
                  onClick={() => doubts.settleUnheard(stretch)}
                />
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Line({ desk, doubt }: { desk: Desk; doubt: Desk['doubts']['open']['value'][number] }) {
  const { review, doubts, playback, navigation, clock } = desk;
  const { position } = clock.peek();
  const cue = review.cues.peek()[doubt.index];
  const [heard, end] = [review.words[doubt.word], review.words[doubt.last]];
  if (!cue || !heard || !end) return null;
  const words = textOf(cue);
  const word = words.slice(doubt.from, doubt.to);
  const like = doubts.like(doubt);
  return (
    <li class="term">
      <button
        type="button"
        class="plain term-sentence"
        lang={review.language}
        dir="auto"
        title={panelsText.termPlace(position(heard.start))}
        onClick={() => navigation.select(cue, [doubt.from, doubt.to])}
      >
        {words.slice(0, doubt.from).replaceAll('\n', ' ')}
        <mark class="doubt">{word}</mark>
        {words.slice(doubt.to).replaceAll('\n', ' ')}
      </button>
      <span class="term-confidence">{panelsText.confidence(doubt.confidence)}</span>
      <span class="term-actions">
        {like.length > 1 && (
          <button type="button" class="plain" onClick={() => doubts.settle(like)}>
            {panelsText.sureAll(like.length)}
          </button>
        )}
        <IconButton
          icon="play"
          label={panelsText.playWords(word, position(heard.start))}
          title={panelsText.playWordsShort}
          onClick={() =>
            playback.playStretch({
              from: heard.start - 1,
              to: end.end + 0.5,
              loop: false,
            })
          }
        />
        <IconButton
          icon="check"
          label={panelsText.sureLabel(word)}
          title={panelsText.sure}
          onClick={() => doubts.settle([doubt])}
        />
      </span>
    </li>
  );
}
