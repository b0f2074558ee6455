/** The dialog with whom a review is assigned to, its approval, and its versions. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ReviewVersion } from '../../../server/contract/review-versions.ts';
import { listVersions, nameVersion, readVersion } from '../../api/review-versions.ts';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/fields.tsx';
import { PersonAndDay } from '../../components/person-and-day.tsx';
import { COMMENTER } from '../../storage/own-comments.ts';
import { storeText, storedText } from '../../storage/web-storage.ts';
import { orFailure } from '../../tab/failure-text.ts';
import { session, withKey } from '../../tab/session.ts';
import { dateTime } from '../../texts/format.ts';
import { reviewWork as texts } from '../../texts/review-work.ts';
import type { Desk } from '../desk/desk.ts';
import { earlierVersion, type EarlierVersion } from '../save/earlier-version.ts';
import type { ReviewWork } from '../save/review-work.ts';
import { Differences } from './compare-dialog.tsx';

interface WorkDialogProps {
  desk: Desk;
  onClose(): void;
}

/** A version that is compared with the captions as they are now. */
interface Compared {
  readonly version: ReviewVersion;
  readonly was: EarlierVersion;
}

/** The dialog. */
export function WorkDialog({ desk, onClose }: WorkDialogProps) {
  const { review, work } = desk;
  const versions = useSignal<readonly ReviewVersion[] | null>(null);
  const compared = useSignal<Compared | null>(null);
  const problem = useSignal('');
  const attempt = async (job: () => Promise<unknown>): Promise<void> => {
    problem.value = await orFailure(async () => {
      await job();
      return '';
    });
  };
  const { runId } = review;
  // Those who have worked on it are the likeliest.
  const people = new Set([
    ...(session.value ? [session.value.email] : []),
    ...(versions.value ?? []).flatMap(({ person, guest }) => (guest ? [] : (person ?? []))),
  ]);
  useEffect(() => {
    void attempt(async () => {
      versions.value = await withKey((key) => listVersions(key, runId));
    });
  }, []);
  const find = async (version: ReviewVersion): Promise<Compared> => {
    const found = await withKey((key) => readVersion(key, runId, version.id));
    return { version, was: earlierVersion(review, found) };
  };
  const bringBack = ({ version, was: { splices, decisions } }: Compared): void => {
    if (review.role.peek() !== 'writing') review.message.value = texts.sameAsNow;
    // As it was: its times do not move to frames.
    else if (review.edit('version', splices, { decisions, arrived: true, quiet: true })) {
      review.message.value = texts.broughtBack(whenOf(version));
    } else review.message.value = texts.sameAsNow;
  };
  if (compared.value) {
    const shown = compared.value;
    return (
      <Dialog
        key="compared"
        title={texts.comparedTitle(whenOf(shown.version))}
        actions={[{ label: texts.bringBack, run: () => bringBack(shown) }]}
        onClose={onClose}
      >
        <Differences original={shown.was.cues} now={review.cues.value} />
      </Dialog>
    );
  }
  return (
    <Dialog key="work" title={texts.title} onClose={onClose}>
      {problem.value !== '' && <p role="alert">{problem}</p>}
      {work.value?.state.value && <Assignment work={work.value} people={[...people]} />}
      {work.value && <Approval work={work.value} desk={desk} />}
      <h3>{texts.versionsTitle}</h3>
      <p class="hint">{texts.versionsHint}</p>
      {versions.value?.length === 0 && <p>{texts.none}</p>}
      <ol class="links versions">
        {versions.value?.map((version) => (
          <Version
            key={version.id}
            version={version}
            onCompare={() => void attempt(async () => (compared.value = await find(version)))}
            onBringBack={() =>
              void attempt(async () => {
                bringBack(await find(version));
                onClose();
              })
            }
            onName={(name) =>
              attempt(async () => {
                const named = await withKey((key) => nameVersion(key, runId, version.id, name));
                versions.value =
                  versions.peek()?.map((each) => (each.id === named.id ? named : each)) ?? null;
              })
            }
          />
        ))}
      </ol>
    </Dialog>
  );
}

const whenOf = ({ savedAt }: ReviewVersion): string => dateTime(savedAt);

interface VersionProps {
  version: ReviewVersion;
  onCompare(): void;
  onBringBack(): void;
  onName(name: string | null): Promise<void>;
}

function Version({ version, onCompare, onBringBack, onName }: VersionProps) {
  const typed = useSignal<string | null>(null);
  const when = whenOf(version);
  const { person, guest, name, isCurrent } = version;
  const who =
    person === null
      ? guest
        ? texts.guest
        : texts.unknown
      : guest
        ? texts.byGuest(person)
        : person;
  const keep = async () => {
    const words = typed.peek()?.trim() ?? '';
    await onName(words === '' ? null : words);
    typed.value = null;
  };
  return (
    <li>
      <p>
        {name !== null && <strong dir="auto">{name} </strong>}
        <time dateTime={version.savedAt}>{isCurrent ? texts.now : when}</time>
        <span class="hint"> {who}</span>
      </p>
      {typed.value === null ? (
        <span class="actions">
          {!isCurrent && (
            <>
              <button type="button" aria-label={texts.compareLabel(when)} onClick={onCompare}>
                {texts.compare}
              </button>
              <button type="button" aria-label={texts.bringBackLabel(when)} onClick={onBringBack}>
                {texts.bringBack}
              </button>
            </>
          )}
          <button
            type="button"
            class="quiet"
            aria-label={texts.nameLabel(when)}
            onClick={() => (typed.value = name ?? '')}
          >
            {texts.name}
          </button>
        </span>
      ) : (
        <form
          class="actions"
          onSubmit={(event) => {
            event.preventDefault();
            void keep();
          }}
        >
          <input
            type="text"
            maxLength={120}
            aria-label={texts.nameLabel(when)}
            value={typed.value}
            onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
          />
          <button type="submit">{texts.keepName}</button>
        </form>
      )}
    </li>
  );
}

/** Whom it is assigned to, until when, and whether it is in review. */
function Assignment({ work, people }: { work: ReviewWork; people: readonly string[] }) {
  const now = work.state.peek();
  const assignee = useSignal(now?.assignee ?? '');
  const due = useSignal(now?.due ?? '');
  const inReview = useSignal(now?.state === 'in_review');
  const said = useSignal('');
  const save = async () => {
    const state = work.state.peek()?.state;
    const wanted = inReview.peek() ? 'in_review' : state === 'in_review' ? 'open' : undefined;
    said.value = await work.change({
      assignee: assignee.peek().trim() || null,
      due: due.peek() || null,
      ...(wanted !== undefined && wanted !== state && { state: wanted }),
    });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <h3>{texts.assignTitle}</h3>
      <PersonAndDay assignee={assignee} due={due} people={people} />
      <label class="check">
        <input
          type="checkbox"
          checked={inReview.value}
          onChange={({ currentTarget }) => (inReview.value = currentTarget.checked)}
        />
        <span>{texts.inReview}</span>
      </label>
      <p class="actions">
        <button type="submit">{texts.assign}</button>
        <span role="status">{said}</span>
      </p>
    </form>
  );
}

/** Who approved it, or the field with which somebody does. */
function Approval({ work, desk: { service, review } }: { work: ReviewWork; desk: Desk }) {
  const name = useSignal(storedText('localStorage', COMMENTER) ?? session.peek()?.email ?? '');
  const said = useSignal('');
  const approval = work.state.value?.approval ?? null;
  const approve = async () => {
    const words = name.peek().trim();
    if (words === '') return;
    const saving = service.peek();
    // Captions that nobody has changed are saved nowhere else than in the run.
    const isUntouched = saving?.tag() === null && review.state.peek().position === 0;
    if (!isUntouched && saving?.state.peek() !== 'saved') {
      said.value = texts.notSaved;
      return;
    }
    storeText('localStorage', COMMENTER, words);
    said.value = await work.change({ state: 'approved', name: words });
  };
  return (
    <>
      <h3>{texts.approveTitle}</h3>
      {approval && (
        <p>
          {texts.approved(approval.name, dateTime(approval.at))}{' '}
          {approval.changedSince && texts.changedSince}
        </p>
      )}
      {(!approval || approval.changedSince) && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void approve();
          }}
        >
          <TextField label={texts.approver} value={name} />
          <button type="submit">{texts.approve}</button>
        </form>
      )}
      {approval && (
        <button
          type="button"
          class="quiet"
          onClick={() => void work.change({ state: 'open' }).then((why) => (said.value = why))}
        >
          {texts.withdraw}
        </button>
      )}
      <p role="status">{said}</p>
    </>
  );
}
