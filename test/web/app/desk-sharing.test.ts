/** A shared review: saving on the service, a colleague's changes, other tabs, and finishing. */
import { beforeEach, expect, test } from 'bun:test';
import { saveText } from '../../../web/texts/saving.ts';
import { reviewWork } from '../../../web/texts/review-work.ts';
import { termsText } from '../../../web/texts/terms.ts';
import { text } from '../../support/browser/words.ts';
import { createVoiceStore } from '../../../server/voices/voice-store.ts';
import { speakersText } from '../../../web/texts/desk-parts.ts';
import { completedRun, spoken } from '../../support/servers/completed-run.ts';
import { open } from './support/dialogs.ts';
import {
  all,
  buttonOf,
  control,
  current,
  drawn,
  field,
  has,
  one,
  openApp,
  openFile,
  openRun,
  pageText,
  said,
  texts,
  until,
  visit,
} from './support/app.ts';
import { click, press, type } from './support/hands.ts';
import { srtOf } from './support/talks.ts';
import { lockElsewhere } from './support/page.ts';

const ann = await openApp();
const TALK = 'Welcome to the talk. We use a server for this. It signs people in. Thank you all.';
let runId = '';
beforeEach(async () => {
  ann.interrupt(null);
  ({ runId } = await openRun(ann, spoken(TALK)));
  await until('the way to finish', () => has(termsText.finish));
});

const path = () => `/workflows/captioner/${runId}/review`;
const where = () => one('.saving').textContent;
const isSaved = () => until('it is saved', () => where() === saveText.saved);

/** The review on the service, as a colleague reads it. */
async function stored() {
  const answer = await ann.service.ask(path(), { key: ann.key });
  return { tag: answer.headers.get('etag') ?? '', body: await answer.json() };
}

/** A colleague changes the text of a caption. */
async function colleague(number: number, words: string): Promise<void> {
  const { tag, body } = await stored();
  const cues = body.cues.map(({ start, end, lines }: Record<string, unknown>, at: number) => {
    return { start, end, lines: at === number - 1 ? [words] : lines };
  });
  const answer = await ann.service.ask(path(), {
    method: 'PUT',
    key: ann.key,
    headers: { 'content-type': 'application/json', 'if-match': tag },
    body: JSON.stringify({ cues }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

/** Hides and shows the page, which saves, and fetches others' changes. */
async function comeBack(): Promise<void> {
  for (const state of ['hidden', 'visible']) {
    Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
    await until('a moment', () => true);
  }
}

test('a review reopens as it was left', async () => {
  await type(field(1), 'Welcome.');
  await comeBack();
  await isSaved();
  field(3).focus();
  await visit('#/runs', text.pastRuns.title);
  location.hash = `#/runs/${runId}`;
  await until('the review', () => document.querySelector('.cue-text:not([readonly])'));
  expect(current()).toBe(3);
  expect(texts()[0]).toBe('Welcome.');
  expect(said()).toBe(text.review.restored(1));
  await click(text.review.undo);
  expect(texts()[0]).not.toBe('Welcome.');
});

test('text that was typed just before the review is left is saved on the service', async () => {
  await until('the first look', () => ann.requests.includes(`GET ${path()}?absent=204`));
  for (let at = 0; at < 5; at += 1) await drawn();
  await type(field(1), 'Welcome.');
  await visit('#/runs', text.pastRuns.title);
  await until('the save', async () => JSON.stringify((await stored()).body).includes('Welcome.'));
});

test('finishing saves, and says if there is nothing to learn', async () => {
  await type(field(1), 'Welcome.');
  await click(termsText.finish);
  await until('the end', () => pageText().includes(termsText.finished));
  await until('no questions', () => pageText().includes(termsText.noQuestions));
  expect(JSON.stringify((await stored()).body)).toContain('Welcome.');
  await click(text.close);
  await until('no dialog', () => !document.querySelector('dialog'));
});

test('a colleague’s change of another caption is merged and reported', async () => {
  await type(field(1), 'Welcome.');
  await comeBack();
  await isSaved();
  await colleague(2, 'A colleague was here.');
  await comeBack();
  await until('the news', () => pageText().includes(saveText.news(1)));
  expect(texts().slice(0, 2)).toEqual(['Welcome.', 'A colleague was here.']);
  await click(saveText.show);
  await until('the change', () =>
    document.querySelector('dialog')?.textContent?.includes(saveText.newsHint),
  );
  expect(one('.differences ins').textContent).toContain('colleague');
  // The second caption does not start at 0.
  expect(one('.differences .hint').textContent).toMatch(/^00:0[1-9]/);
  await click(control(text.close, one('dialog')));
  await until('no notice', () => !pageText().includes(saveText.news(1)));
  await until('no dialog', () => !document.querySelector('dialog'));
});

test('a colleague’s change of the same caption is a conflict to resolve', async () => {
  await type(field(1), 'Welcome.');
  await comeBack();
  await isSaved();
  await colleague(1, 'Good evening.');
  await type(field(1), 'Hello.');
  await comeBack();
  await until('the conflict', () => pageText().includes(saveText.conflict(1)));
  await until('the state', () => where() === saveText.choose);
  await click(saveText.compare);
  await until('the versions', () => has(saveText.takeLabel('00:00.0')));
  expect(all('.two-versions dd').map(({ textContent }) => textContent)).toEqual([
    'Hello.',
    expect.stringContaining('Good evening.'),
  ]);
  await click(saveText.takeLabel('00:00.0'));
  await until('nothing is left', () => pageText().includes(saveText.nothingLeft));
  await isSaved();
  expect(texts()[0]).toBe('Good evening.');
});

test('an earlier version is compared, brought back as one edit, and approved', async () => {
  const before = texts()[0]!;
  await type(field(1), 'Welcome.');
  await comeBack();
  await isSaved();
  const list = async () => {
    const answer = await ann.service.ask(path().replace('/review', '/versions'), { key: ann.key });
    return (await answer.json()).versions;
  };
  // A named version ends the session.
  const [{ id }] = await list();
  await ann.service.ask(path().replace('/review', `/versions/${id}`), {
    method: 'PATCH',
    key: ann.key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Sent' }),
  });
  await type(field(1), 'Hello.');
  await type(field(2), 'Changed too.');
  await comeBack();
  await until('two versions', async () => (await list()).length === 2);
  await isSaved();
  await click(reviewWork.versionsTitle);
  await until('the versions', () => all('.versions li').length === 2);
  const earlier = all('.versions li')[1]!;
  expect(earlier.textContent).toContain('Sent');
  await click(buttonOf(reviewWork.compare, earlier));
  await until('the difference', () => document.querySelector('.differences ins'));
  expect(all('.differences del').map(({ textContent }) => textContent)[0]).toBe('Welcome');
  await click(control(reviewWork.bringBack, one('dialog')));
  await until('it is back', () => texts()[0] === 'Welcome.');
  expect(texts()[1]).not.toBe('Changed too.');
  await click(text.review.undo);
  expect(texts().slice(0, 2)).toEqual(['Hello.', 'Changed too.']);
  await comeBack();
  await isSaved();
  await click(reviewWork.versionsTitle);
  await until('the approval', () => has(reviewWork.approve));
  await type(control(reviewWork.approver, one('dialog')) as HTMLInputElement, 'Ada');
  await click(reviewWork.approve);
  await until('it says so', () => pageText().includes('Approved by Ada'));
  await click(control(text.close, one('dialog')));
  await type(field(1), before);
  await comeBack();
  await until('it says that it changed', () =>
    pageText().includes('Changed since Ada approved it'),
  );
});

test('a review edited in another tab can be read, and taken over', async () => {
  await visit('#/runs', text.pastRuns.title);
  const leave = lockElsewhere(`captioner review ${runId}`);
  location.hash = `#/runs/${runId}`;
  await until('the notice', () => pageText().includes(saveText.otherTab));
  expect(field(1).readOnly).toBe(true);
  await press('Alt+Delete', field(1));
  expect([texts().length > 2, said()]).toEqual([true, text.review.elsewhere]);
  await click(saveText.editHere);
  expect(pageText()).toContain(saveText.asking.asked);
  leave();
  await until('the turn', () => !field(1).readOnly);
  expect(pageText()).not.toContain(saveText.otherTab);
});

test('captions of a file are saved only in this browser', async () => {
  await openFile(srtOf('Good night.'));
  const before = ann.requests.length;
  await type(field(1), 'Good morning.');
  await until('where it is', () => where() === saveText.here);
  expect(ann.requests.slice(before)).toEqual([]);
  expect(has(termsText.finish)).toBe(false);
});

test('names are proposed by voices that the workspace remembers, and confirmed or refused', async () => {
  const { services } = ann.service;
  const voices = createVoiceStore(services.database);
  const ask = (method: string, json: object) =>
    ann.service.ask('/workspace/voices', { method, key: ann.key, json });
  await ask('PUT', { remember: true });
  const note = (run: string) =>
    voices.note(
      { id: run, organizationId: ann.organizationId },
      {
        model: 'one',
        voices: [
          { speaker: '0', print: [1, 0], seconds: 20 },
          { speaker: '1', print: [0, 1], seconds: 20 },
        ],
      },
    );
  const words = spoken(TALK).map((word, at) => ({ ...word, speaker: at < 9 ? '0' : '1' }));
  const before = await completedRun(services.database, ann.organizationId, words);
  await note(before.runId);
  const names = new Map([
    ['0', 'Ada'],
    ['1', 'Ben'],
  ]);
  await voices.name({ id: before.runId, organizationId: ann.organizationId }, names);
  ({ runId } = await openRun(ann, words));
  await note(runId);
  await until('the way to finish', () => has(termsText.finish));
  await open('speakers');
  await until('proposals', () => all('.speaker-proposals li').length === 2);
  const [one, other] = [text.review.unnamedSpeaker(1), text.review.unnamedSpeaker(2)];
  expect(pageText()).toContain(speakersText.proposal(one, 'Ada', 1));
  await click(speakersText.play(other));
  await until('what they say', () => current() > 1);
  await click(speakersText.confirm('Ada'));
  await until('the name', () => has(speakersText.name('Ada')));
  await click(speakersText.refuse('Ben'));
  await until('no proposal', () => all('.speaker-proposals li').length === 0);
  await isSaved();
  await until('two runs', async () => {
    const { people } = await voices.list(ann.organizationId);
    return people.find(({ name }) => name === 'Ada')?.runs === 2;
  });
  // The only speaker of a recording has no label, and is proposed as well.
  const alone = await openRun(ann, spoken(TALK));
  await voices.note(
    { id: alone.runId, organizationId: ann.organizationId },
    { model: 'one', voices: [{ speaker: '', print: [1, 0], seconds: 20 }] },
  );
  await until('the way to finish', () => has(termsText.finish));
  await open('speakers');
  await until('the proposal', () => all('.speaker-proposals li').length === 1);
  await click(speakersText.confirm('Ada'));
  await until('the name', () => has(speakersText.name('Ada')));
  expect(pageText()).not.toContain(speakersText.splitHere('Ada'));
  // From the second caption on, it is somebody else.
  all('.speaker-more details')[0]!.setAttribute('open', '');
  await until('what Ada says', () => all('.speaker-says button').length > 1);
  await click(all('.speaker-says button')[1]!);
  await click(speakersText.splitHere('Ada'));
  await until('the other', () => has(speakersText.name(text.review.unnamedSpeaker(2))));
  expect(pageText()).toContain(speakersText.captions(1));
  await ask('PUT', { remember: false });
});
