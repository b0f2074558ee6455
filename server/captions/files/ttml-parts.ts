/** What the formats of TTML share: regions for the positions of captions, and agents for their speakers. */
import type { Caption } from '../cue.ts';
import { xmlText } from './xml.ts';

/** The margin on all sides, in percent of the picture, since screens may cut off the edge. */
export const SAFE_EDGE = 10;

/** A part of the picture within the margins. */
export interface TtmlRegion {
  id: string;
  /** Its upper edge and its height, in percent of the picture. */
  y: number;
  height: number;
  display: 'before' | 'center' | 'after';
  align: 'start' | 'center' | 'end';
  /** Whether its lines are columns, from right to left. */
  inColumns: boolean;
}

/** The region of a caption: a part of the safe area at its edge or, for one with a row, from there down. */
export function regionOf({
  placement = {},
  row,
  columns,
}: Pick<Caption, 'placement' | 'row' | 'columns'>): TtmlRegion {
  const { vertical, align = 'center' } = placement;
  const suffix = align === 'center' ? '' : `-${align}`;
  if (columns) {
    const display = columns === 'right' ? 'before' : 'after';
    return {
      id: `columns-${columns}${suffix}`,
      y: 10,
      height: 80,
      display,
      align,
      inColumns: true,
    };
  }
  const inColumns = false;
  if (row) {
    const share = (row.first - 1) / row.of;
    // As a percentage of the safe area, which 80 of 100 hundredths are.
    const y = Math.round((10 + share * 80) * 100) / 100;
    const height = Math.round((90 - y) * 100) / 100;
    const id = `row${row.first}of${row.of}${suffix}`;
    return { id, y, height, display: 'before', align, inColumns };
  }
  const display = vertical === 'top' ? 'before' : vertical === 'middle' ? 'center' : 'after';
  const id = `${vertical ?? 'bottom'}${suffix}`;
  return { id, y: 10, height: 80, display, align, inColumns };
}

/** The id of a speaker, who is added if new; null without a name. */
export function agentId(agents: Map<string, string>, speaker: string): string | null {
  if (speaker === '') return null;
  const id = agents.get(speaker) ?? `speaker${agents.size + 1}`;
  agents.set(speaker, id);
  return id;
}

/** The elements of speakers. */
export const agentsOf = (agents: ReadonlyMap<string, string>): string =>
  [...agents]
    .map(
      ([name, id]) =>
        `      <ttm:agent xml:id="${id}" type="person"><ttm:name type="full">${xmlText(name)}</ttm:name></ttm:agent>\n`,
    )
    .join('');
