/** The content of a TTML document as imscJS, the reader of streaming players, shows it. */
import { fromXML } from 'imsc/src/main/js/doc.js';
import { generateISD, type IsdNode } from 'imsc/src/main/js/isd.js';

/** Any message from imscJS is a fault. */
const complain = (message: string): never => {
  throw new Error(message);
};
export const strict = { info: () => false, warn: complain, error: complain, fatal: complain };

const STYLING = 'http://www.w3.org/ns/ttml#styling';

/** What is shown at one time. */
export interface ImscShown {
  /** The text with its line breaks, and the part of it in italics. */
  text: string;
  italic: string;
  /** The place of the text in the picture, and the direction of its lines; empty if there is no text. */
  vertical: unknown;
  align: unknown;
  direction: unknown;
}

/** What a document shows at a time. */
export const shownAt = (document: string, seconds: number): ImscShown =>
  shownIn(fromXML(document, strict), seconds);

function shownIn(document: ReturnType<typeof fromXML>, seconds: number): ImscShown {
  const shown: ImscShown = { text: '', italic: '', vertical: '', align: '', direction: '' };
  const visit = (node: IsdNode) => {
    const style = (name: string): unknown => node.styleAttrs?.[`${STYLING} ${name}`];
    if (node.kind === 'br') shown.text += '\n';
    if (node.kind === 'region') shown.vertical = style('displayAlign');
    if (node.kind === 'p') {
      shown.align = style('textAlign');
      shown.direction = style('direction');
    }
    const text = node.text ?? '';
    shown.text += text;
    if (style('fontStyle') === 'italic') shown.italic += text;
    for (const inner of node.contents ?? []) visit(inner);
  };
  visit(generateISD(document, seconds, strict));
  return shown;
}

/** The captions of a document: when what is shown begins and ends, and its text. */
export function captionsShown(document: string): [start: number, end: number, text: string][] {
  const whole = fromXML(document, strict);
  const times = whole.getMediaTimeEvents();
  return times.flatMap((start, at) => {
    const { text } = shownIn(whole, start);
    return text.trim() === '' ? [] : [[start, times[at + 1] ?? start, text]];
  });
}
