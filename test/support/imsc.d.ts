/**
 * The types that the tests need from imscJS, the TTML reader of streaming players, which has none.
 * Its main module requires a window.
 */
declare module 'imsc/src/main/js/doc.js' {
  interface ErrorHandler {
    info(message: string): boolean;
    warn(message: string): boolean;
    error(message: string): boolean;
    fatal(message: string): boolean;
  }
  export interface ImscDocument {
    getMediaTimeEvents(): number[];
  }
  export function fromXML(xml: string, handler: ErrorHandler): ImscDocument;
}

declare module 'imsc/src/main/js/isd.js' {
  /** A node of the rendered content, nested as in the document. */
  export interface IsdNode {
    kind: string;
    text?: string;
    contents?: IsdNode[];
    styleAttrs?: Record<string, unknown>;
  }
  export function generateISD(
    document: import('imsc/src/main/js/doc.js').ImscDocument,
    seconds: number,
    handler: import('imsc/src/main/js/doc.js').ErrorHandler,
  ): IsdNode;
}
