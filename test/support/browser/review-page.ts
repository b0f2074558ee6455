/** The review of a run in the app, with methods to edit it. */
import type { KeyInput, Page } from 'puppeteer-core';
import type { ReadCue } from '../../../server/captions/files/portable-captions.ts';
import { readSrt } from '../../../server/captions/files/srt.ts';
import { press } from './app.ts';
import type { Visit } from './chromium.ts';

/** Records the files that the page offers for download, as texts, the latest last. */
export const rememberFiles = (page: Page): Promise<unknown> =>
  page.evaluateOnNewDocument(() => {
    const made: Blob[] = [];
    Object.assign(globalThis, { filesMade: made });
    const createObjectUrl = URL.createObjectURL.bind(URL);
    URL.createObjectURL = (of: Blob | MediaSource) => {
      // What is played is no file that somebody receives.
      if (of instanceof Blob && !/^(?:audio|video)\//.test(of.type)) made.push(of);
      return createObjectUrl(of);
    };
  });

/**
 * Makes the page find no review of its run on the service and save none, so that tests that share a
 * run do not affect each other.
 */
export const keepFromService = (page: Page): Promise<unknown> =>
  page.evaluateOnNewDocument(() => {
    const fetched = fetch;
    globalThis.fetch = Object.assign(
      async (...asked: Parameters<typeof fetch>): Promise<Response> =>
        typeof asked[0] === 'string' &&
        /^\/workflows\/captioner\/[^/]+\/review(?:\?|$)/.test(asked[0])
          ? Response.json({ error: { code: 'run_not_found', message: '' } }, { status: 404 })
          : fetched(...asked),
      { preconnect: () => {} },
    );
  });

/** A review as users operate it. Captions are numbered from 1. */
export class ReviewPage {
  readonly page: Page;
  readonly faults: string[];

  constructor({ page, faults }: Visit) {
    this.page = page;
    this.faults = faults;
  }

  /** Waits until an action shows in the page: a few frames and all pending work. */
  async settled(): Promise<void> {
    await this.page.evaluate(async () => {
      for (let frame = 0; frame < 4; frame += 1) {
        await new Promise((done) => requestAnimationFrame(done));
        await new Promise((done) => setTimeout(done));
      }
    });
    // A part that is loaded on demand takes keystrokes only once it is loaded. If it cannot be loaded, the test goes
    // on, because it may be about that.
    await this.page
      .waitForFunction(() => !document.querySelector('.desk .loading'), { timeout: 20_000 })
      .catch(() => {});
  }

  /**
   * Presses keys as the key sheet writes them, with the names of codes: `Alt+Enter`,
   * `Control+Shift+KeyZ`.
   */
  async keys(...chords: readonly string[]): Promise<void> {
    const { keyboard } = this.page;
    for (const chord of chords) {
      const parts = chord.split('+') as KeyInput[];
      for (const part of parts.slice(0, -1)) await keyboard.down(part);
      await keyboard.press(parts.at(-1) ?? 'Enter');
      for (const part of parts.slice(0, -1).toReversed()) await keyboard.up(part);
      await this.settled();
    }
  }

  /** Presses the control with a name, within the row of a caption if one is given. */
  async press(name: string, caption?: number): Promise<void> {
    await press(this.page, name, caption === undefined ? '' : `[aria-posinset="${caption}"]`);
    await this.settled();
  }

  field = (caption: number): string => `[aria-posinset="${caption}"] textarea`;
  start = (caption: number): string => `[aria-label="Start of caption ${caption}"]`;
  end = (caption: number): string => `[aria-label="End of caption ${caption}"]`;

  /** Puts the cursor into a caption: at an offset, or at the end. */
  async focus(caption: number, offset?: number): Promise<void> {
    await this.show(caption);
    await this.page.$eval(
      this.field(caption),
      (found, at) => {
        const field = found as HTMLTextAreaElement;
        field.focus();
        field.setSelectionRange(at ?? field.value.length, at ?? field.value.length);
      },
      offset ?? null,
    );
    await this.settled();
  }

  /** Scrolls the list until a caption is rendered. */
  async show(caption: number): Promise<void> {
    for (let tries = 0; tries < 200; tries += 1) {
      const there = await this.page.evaluate((wanted) => {
        if (document.querySelector(`[aria-posinset="${wanted}"]`)) return true;
        const list = document.querySelector('.cue-list');
        if (!list) return false;
        // The row being edited may be far from the others.
        const { top } = list.getBoundingClientRect();
        const rows = [...document.querySelectorAll('[aria-posinset]')];
        const first = rows.find((row) => row.getBoundingClientRect().bottom > top);
        list.scrollTop += (wanted - Number(first?.getAttribute('aria-posinset') ?? 1)) * 60;
        return false;
      }, caption);
      if (there) return;
      await this.settled();
    }
    throw new Error(`caption ${caption} does not come into the page`);
  }

  /** Types at the end of a caption, or at an offset. */
  async type(caption: number, text: string, offset?: number): Promise<void> {
    await this.focus(caption, offset);
    await this.page.keyboard.type(text);
    await this.settled();
  }

  /** Replaces the value of a field and leaves it, by Tab where Enter would send a form. */
  async fill(selector: string, value: string, leave: 'Enter' | 'Tab' = 'Enter'): Promise<void> {
    await this.page.$eval(selector, (field) => {
      (field as HTMLInputElement).focus();
      (field as HTMLInputElement).select();
    });
    await this.page.keyboard.type(value);
    await this.page.keyboard.press(leave);
    await this.settled();
  }

  /** The text of a caption as shown in the page. */
  async text(caption: number): Promise<string> {
    await this.show(caption);
    return this.page.$eval(this.field(caption), (field) => (field as HTMLTextAreaElement).value);
  }

  /** The start and the end, as the page shows them. */
  async times(caption: number): Promise<[string, string]> {
    const valueOf = (selector: string) =>
      this.page.$eval(selector, (field) => (field as HTMLInputElement).value);
    return [await valueOf(this.start(caption)), await valueOf(this.end(caption))];
  }

  /** The page's last status message. */
  said = (): Promise<string> => this.read('.said');

  /** The text of the first matching element. */
  read = (selector: string): Promise<string> =>
    this.page.$eval(selector, (found) => (found as HTMLElement).innerText.trim());

  /** The texts of all matching elements. */
  readAll = (selector: string): Promise<string[]> =>
    this.page.$$eval(selector, (all) =>
      all.map((found) => (found as HTMLElement).innerText.trim()),
    );

  count = (selector: string): Promise<number> => this.page.$$eval(selector, (all) => all.length);

  /** The current caption, and whether its text has the focus. */
  current = (): Promise<{ caption: number; typing: boolean; cursor: number | null }> =>
    this.page.evaluate(() => {
      const row = document.querySelector('.cue.current');
      const active = document.activeElement;
      return {
        caption: Number(row?.getAttribute('aria-posinset') ?? 0),
        typing: active instanceof HTMLTextAreaElement && row?.contains(active) === true,
        cursor: active instanceof HTMLTextAreaElement ? active.selectionStart : null,
      };
    });

  /** The SRT of the current captions. */
  async srt(): Promise<string> {
    const made = (): Promise<number> =>
      this.page.evaluate(() => (globalThis as unknown as { filesMade: Blob[] }).filesMade.length);
    const before = await made();
    await this.keys('Control+KeyS');
    // The code that writes it may still be loading, and a person is asked before something is lost.
    const asked = await this.page.waitForFunction(
      (files) => {
        const button = document.querySelector<HTMLElement>('dialog[open] button[type=submit]');
        if (button) return button;
        return (globalThis as unknown as { filesMade: Blob[] }).filesMade.length > files;
      },
      { polling: 30 },
      before,
    );
    const button = asked.asElement();
    if (button) {
      await button.evaluate((found) => (found as HTMLElement).click());
      await this.page.waitForFunction(
        (files) => (globalThis as unknown as { filesMade: Blob[] }).filesMade.length > files,
        { polling: 30 },
        before,
      );
    }
    return this.lastFile();
  }

  /** The current captions, read from their file. */
  async cues(): Promise<ReadCue[]> {
    return readSrt(await this.srt());
  }

  /** The latest file that the page produced. */
  lastFile = (): Promise<string> =>
    this.page.evaluate(async () => {
      const { filesMade } = globalThis as unknown as { filesMade: Blob[] };
      const texts = filesMade.filter(({ type }) => /subrip|text|json/.test(type));
      return (await texts.at(-1)?.text()) ?? '';
    });

  /** Opens one of the tabs. */
  tab = (
    name: 'terms' | 'doubts' | 'warnings' | 'report' | 'speakers' | 'comments',
  ): Promise<void> =>
    this.page
      .locator(`[data-tab=${name}]`)
      .click()
      .then(() => this.settled());

  /** Presses an item of a menu. */
  async choose(menu: string, entry: string): Promise<void> {
    await this.press(menu);
    await press(this.page, entry, '.menu-items');
    await this.settled();
  }

  close = (): Promise<void> => this.page.browserContext().close();
}
