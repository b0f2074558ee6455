/** Measures how a cost grows with its input, at three sizes, each ten times the previous one. */
import { figure, median, times } from './figures.ts';
import { inTurn } from './measure.ts';

/** A row of the table of growth. */
export interface Growth {
  what: string;
  of: string;
  '1 ×': string;
  '10 ×': string;
  '100 ×': string;
  /**
   * The factors by which the cost grows when the size grows tenfold, from each size to the next.
   */
  'for ten times': string;
}

/** Values for the three sizes, in order. */
export type BySize<T> = readonly [T, T, T];

/** A row from the measurements at each size. */
export function growth(
  what: string,
  of: string,
  unit: string,
  measured: BySize<readonly number[]>,
): Growth {
  const [one, ten, hundred] = measured.map(median) as unknown as BySize<number>;
  return {
    what,
    of,
    '1 ×': figure(one, unit),
    '10 ×': figure(ten, unit),
    '100 ×': figure(hundred, unit),
    'for ten times': `${times(ten / one)}, ${times(hundred / ten)}`,
  };
}

/** Measures the same work at three sizes, in turn; returns the measurements of each. */
export async function bySize<Size, Figure>(
  rounds: number,
  sizes: BySize<Size>,
  work: (size: Size) => () => Promise<Figure>,
): Promise<BySize<Figure[]>> {
  const [small, middle, large] = sizes;
  const found = await inTurn(rounds, {
    small: work(small),
    middle: work(middle),
    large: work(large),
  });
  return [found.small, found.middle, found.large];
}
