/** What is used of pdfkit and fontkit, whose own types lack structure or do not exist. */

declare module 'fontkit' {
  /** A font that was opened. */
  export interface Font {
    hasGlyphForCodePoint(codePoint: number): boolean;
  }
  export function create(font: Buffer): Font;
}

declare module 'pdfkit' {
  /** A part of the document as screen readers see it. */
  export interface StructureElement {
    add(part: StructureElement): this;
    end(): this;
  }
  interface Cell {
    type?: 'TH';
    scope?: 'Column';
    text: string;
    font?: { src: string };
  }
  export class PDFDocument {
    constructor(options: Record<string, unknown>);
    readonly page: { width: number; height: number; margins: { bottom: number } };
    subset: number | string;
    x: number;
    y: number;
    appendXML(xml: string, newline?: boolean): void;
    registerFont(name: string, font: import('fontkit').Font): this;
    font(name: string): this;
    fontSize(points: number): this;
    text(text: string, options: { continued: boolean }): this;
    text(text: string, x: number, y: number, options: { lineBreak: boolean }): this;
    moveDown(lines: number): this;
    addPage(): this;
    table(options: {
      structParent: StructureElement;
      columnStyles: readonly number[];
      data: readonly (readonly Cell[])[];
    }): this;
    struct(type: string, content?: () => void): StructureElement;
    addStructure(element: StructureElement): this;
    markContent(tag: string, options: Record<string, unknown>): this;
    endMarkedContent(): this;
    bufferedPageRange(): { count: number };
    switchToPage(page: number): this;
    end(): void;
  }
}

declare module 'pdfkit/output' {
  export function toBytes(document: import('pdfkit').PDFDocument): Promise<Uint8Array>;
}
