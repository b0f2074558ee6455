/** The endings of the files of handouts that can be read. The first screen of the app needs nothing else of them. */
export const HANDOUT_ENDINGS = 'txt md html docx pptx pdf vcf ics csv'.split(' ');
