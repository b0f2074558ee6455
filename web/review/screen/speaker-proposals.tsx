/** Who the speakers of a review may be, by voices that the workspace remembers: somebody confirms or refuses each. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { RunSpeakers } from '../../../server/contract/speakers.ts';
import { listSpeakers, refuseProposal } from '../../api/voices.ts';
import { withKey } from '../../tab/session.ts';
import { speakersText as texts } from '../../texts/desk-parts.ts';
import { text } from '../../texts/review.ts';
import type { Desk } from '../desk/desk.ts';
import { giveSpeaker, speakerOf } from '../model/cue-speakers.ts';

type Speaker = RunSpeakers['speakers'][number];

/** The proposals; nothing if there are none. */
export function SpeakerProposals({ desk }: { desk: Desk }) {
  const { review, speakers, navigation, transport } = desk;
  const found = useSignal<readonly Speaker[]>([]);
  const read = async (): Promise<void> => {
    // Proposals are an offer: without an answer there are none.
    found.value = (await withKey((key) => listSpeakers(key, review.runId)).catch(() => null)) ?? [];
  };
  useEffect(() => void read(), []);
  const shown = new Set(speakers.all.value.map(({ name }) => name));
  // An only speaker has no label: all captions are theirs.
  const isOnly = shown.size === 0 && found.value.length === 1;
  const proposals = found.value.flatMap(({ id, name, turns, proposal }, at) => {
    // A review that nobody has saved names speakers in the order in which they first speak.
    const called = name ?? (shown.has(id) ? id : text.review.unnamedSpeaker(at + 1));
    return proposal && (isOnly || shown.has(called))
      ? [{ id, called, turns, name: proposal.name }]
      : [];
  });
  if (proposals.length === 0) return null;
  const play = (called: string): void => {
    const first = review.cues.peek().find((cue) => isOnly || speakerOf(cue) === called);
    navigation.select(first, null);
    transport.playFromCaption();
  };
  const confirm = (called: string, name: string): void => {
    if (!isOnly) return speakers.rename(called, name);
    const cues = review.cues.peek();
    review.edit('speaker', giveSpeaker(cues, [...cues.keys()], name));
  };
  const refuse = async (id: string): Promise<void> => {
    await withKey((key) => refuseProposal(key, review.runId, id)).catch(() => null);
    await read();
  };
  return (
    <ul class="speaker-proposals" aria-label={texts.proposals}>
      {proposals.map(({ id, called, turns, name }) => (
        <li key={id}>
          <p>{texts.proposal(called, name, turns)}</p>
          <p class="rule-actions">
            <button type="button" onClick={() => play(called)}>
              {texts.play(called)}
            </button>
            <button type="button" class="primary" onClick={() => confirm(called, name)}>
              {texts.confirm(name)}
            </button>
            <button type="button" onClick={() => void refuse(id)}>
              {texts.refuse(name)}
            </button>
          </p>
        </li>
      ))}
    </ul>
  );
}
