/** The texts for handing on a review: links and comments. */
import { count } from './format.ts';
import { inLanguage } from './language.ts';

/** What the guests of a link get besides the captions. */
interface Gets {
  hears: boolean;
  sees: boolean;
}

const mail = (asks: string, url: string, until: string, { hears, sees }: Gets): string =>
  [
    'Hello,',
    '',
    asks,
    sees
      ? 'The page plays the recording with its picture.'
      : hears
        ? 'The page plays the recording.'
        : 'The page has no sound.',
    '',
    url,
    '',
    `You need no account. The link works until ${until}.`,
  ].join('\n');

/** They are loaded after the captions. */
export const sharing = inLanguage('sharing', {
  title: 'Ask for comments',
  hint: 'Whoever has the link needs no account. They see the captions, the transcript, the topic and the terms of this recording, and nothing else of your workspace.',
  whom: 'For whom',
  whomHint: 'A name for the link, which only your workspace sees.',
  right: 'People with the link can',
  rights: { view: 'read', comment: 'read and comment', edit: 'edit the captions' },
  days: 'It is valid for',
  day: (days: number) => count(days, 'day', 'days'),
  hear: 'Let them hear the recording',
  hearHint: 'They hear the sound that stays with the run, until you finish it or the link ends.',
  sendHint:
    'No sound stays with this run. Your browser makes a small MP3 and uploads it for the guests of this link alone; the service deletes it with the link.',
  hearNot: 'The recording is not here. Open it at the desk first to let them hear it.',
  see: 'Let them see the video',
  seeHint: 'The small copy that was added to the run.',
  soundMade: (fraction: number) => `Making a small MP3: ${Math.round(fraction * 100)}%`,
  soundSent: (fraction: number) => `Sending the recording: ${Math.round(fraction * 100)}%`,
  soundFails: 'No link was made: this browser cannot make a small MP3 from this recording.',
  make: 'Make a link',
  making: 'Making a link…',
  made: 'The link works now. Send it:',
  mailLabel: 'Your mail',
  mailSubject: (talk: string) => `Please look at the captions of ${talk}`,
  mail: {
    view: (url: string, until: string, gets: Gets) =>
      mail('Here are the captions of a recording.', url, until, gets),
    comment: (url: string, until: string, gets: Gets) =>
      mail(
        'Please look at these captions, and comment where something is wrong: names and terms above all.',
        url,
        until,
        gets,
      ),
    edit: (url: string, until: string, gets: Gets) =>
      mail('Please correct these captions; what you change is saved.', url, until, gets),
  },
  openMail: 'Write the mail',
  copyMail: 'Copy the mail',
  mailCopied: 'The mail is copied.',
  copy: 'Copy the link',
  copied: 'The link is copied.',
  notCopied: 'The browser did not allow copying. Select the text and copy it.',
  links: 'Links that work now',
  none: 'No links yet.',
  unnamed: (made: string) => `Link of ${made}`,
  link: (right: string, until: string, gets: Gets) =>
    `Can ${right}${gets.hears ? ', hear the recording' : ', without sound'}${gets.sees ? ', see the video' : ''}, until ${until}`,
  notOpened: 'Nobody has opened it yet.',
  opened: (times: number, last: string, people: readonly string[]) =>
    `Opened ${count(times, 'time', 'times')}, last ${last}.${people.length === 0 ? '' : ` Comments by ${people.join(', ')}.`}`,
  rename: 'Rename',
  nameOf: (link: string) => `Name of ${link}`,
  saveName: 'Save',
  renamed: 'Renamed.',
  revoke: 'Revoke',
  of: (verb: string, link: string) => `${verb}: ${link}`,
  revoked: 'Revoked. The link opens nothing any more.',
  staysTitle: 'What stays with the run',
  soundStays: (size: string) =>
    `The sound (${size}), until you finish the review. Your workspace hears it in any browser.`,
  noSoundStays:
    'No sound: it was deleted after its transcription, or when the review was finished.',
  videoStays: (size: string) =>
    `A small video (${size}), until you finish the review. Your workspace sees it in any browser.`,
  videoHere:
    'The video is on this device alone. A small copy (360 lines) can be made here and added to the run, for you in other browsers and for guests; it is deleted when you finish the review.',
  videoCannot: 'The video is on this device alone. This browser cannot make a small copy of it.',
  noVideoHere: 'No video.',
  addVideo: 'Add a small video',
  deleteVideo: 'Delete the video from the run',
  videoMade: (fraction: number) => `Making a small video: ${Math.round(fraction * 100)}%`,
  videoSent: (fraction: number) => `Sending the video: ${Math.round(fraction * 100)}%`,
  videoAdded: (size: string) => `Added: ${size}.`,
  videoDeleted: 'The video is deleted from the service.',
  videoFails: {
    tooLong: 'The video is too long for a small copy.',
    other: 'This browser cannot make a small copy of this video.',
  },
  opening: 'Opening the review…',
  gone: 'This link opens nothing: it has expired, was revoked, or is not complete. Ask whoever sent it for a new one.',
  refused: (message: string) => `This link could not be opened. ${message}`,
  over: 'This link has ended. What you see stays until you close the page, but nothing is sent or saved any more.',
  asGuest: {
    view: 'You can read',
    comment: 'You can comment',
    edit: 'You can edit',
  },
  until: (time: string) => `The link works until ${time}`,
  comments: 'Comments',
  tooMany: (most: number) =>
    `There can be at most ${most.toLocaleString('en')} comments. Delete some first.`,
  notKept: 'This browser does not keep the comment: its storage is full or blocked.',
  noComments: 'No comments yet.',
  away: 'Comments are kept on the service, for everybody who sees this review. Sign in to read and write them.',
  ofFile:
    'Captions from a file are on this device alone, and so are these comments. Download them as CSV to pass them on.',
  yourName: 'Your name',
  nameHint: 'Shown with your comments.',
  write: (time: string) => `Comment at ${time}`,
  send: 'Comment',
  answer: 'Reply',
  answerTo: (name: string) => `Reply to ${name}`,
  answerLabel: (name: string, time: string) => `Reply to ${name}, at ${time}`,
  settle: 'Resolve',
  settleLabel: (name: string, time: string) => `Resolve: ${name}, at ${time}`,
  reopen: 'Reopen',
  reopenLabel: (name: string, time: string) => `Reopen: ${name}, at ${time}`,
  delete: 'Delete',
  deleteLabel: (name: string, time: string) => `Delete: ${name}, at ${time}`,
  goTo: (time: string) => `Go to ${time}`,
  settled: (comments: number) => count(comments, 'resolved comment', 'resolved comments'),
  csv: 'Download as CSV',
  notSent: (message: string) => `Not sent. ${message}`,
  offline: 'Not sent: there is no connection. Try again.',
  shown: (name: string, words: string, answers: number) =>
    `${name}: ${words}${answers === 0 ? '' : ` (${count(answers, 'reply', 'replies')})`}`,
  open: 'Open',
  openLabel: (name: string) => `Open the comment of ${name}`,
});
