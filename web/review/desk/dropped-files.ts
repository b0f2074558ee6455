/** Files opened over a review: its recording, or other captions and recordings. */
import { go } from '../../tab/route.ts';
import { chooseFile, isCaptionsFile, listenForFiles, pickFiles } from '../../job/chosen-file.ts';
import { openCaptions } from '../../job/open-captions.ts';
import { droppedText } from '../../texts/desk-parts.ts';
import { text } from '../../texts/review.ts';
import type { Desk } from './desk.ts';

const MEDIA = /\.(?:mp[34]|m4[av]|mov|mkv|webm|wav|flac|og[ga]|opus|aac)$/i;

/**
 * A recording alone belongs to these captions. A caption file opens in its own review, with the recording
 * that came with it; more files than that go to the start page.
 */
async function openDroppedFiles(
  { review, recording }: Pick<Desk, 'review' | 'recording'>,
  files: readonly File[],
): Promise<void> {
  const captions = files.filter(isCaptionsFile);
  const others = files.filter((file) => !isCaptionsFile(file));
  const [media] = others;
  const stray = others.find(
    ({ name, type }) => !/^(?:video|audio)\//.test(type) && !MEDIA.test(name),
  );
  if (stray) review.message.value = droppedText.notMedia(stray.name);
  else if (captions.length === 0 && others.length === 1 && media) {
    review.message.value = text.review.opened(media.name);
    await recording.open(media);
  } else if (captions[0] && captions.length === 1) {
    review.message.value = await openCaptions(captions[0], media);
  } else if (files.length > 0) {
    if (captions.length === 0) go({ screen: 'start' });
    chooseFile(files);
  }
}

/** Opens the browser's dialog to choose files. */
export const chooseFilesFor = (desk: Desk): void =>
  pickFiles((files) => openDroppedFiles(desk, files));

/** Takes files dropped on the page. @returns a function that stops this */
export const listenForDrops = (desk: Desk): (() => void) =>
  listenForFiles(
    (isOver) => document.querySelector('.desk')?.toggleAttribute('data-over', isOver),
    (files) => openDroppedFiles(desk, files),
  );
