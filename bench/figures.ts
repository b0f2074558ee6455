/** Formats figures and ratios, the same in every table. */

/** Three digits that count, with the unit; many milliseconds as seconds. */
export const figure = (value: number, unit: string): string =>
  unit === 'ms' && value >= 10_000
    ? figure(value / 1000, 's')
    : `${value.toLocaleString('en', { maximumSignificantDigits: 3 })} ${unit}`;

/** Two decimals; below a tenth two digits that count. */
export function times(ratio: number): string {
  if (!Number.isFinite(ratio)) return '–';
  const text =
    Math.abs(ratio) < 0.1
      ? ratio.toLocaleString('en', { maximumSignificantDigits: 2, useGrouping: false })
      : ratio.toFixed(ratio < 100 ? 2 : 0);
  return `${text} ×`;
}

/** The middle one of a list; of two in the middle the higher. */
export const median = (list: readonly number[]): number => percentile(list, 0.5);

/** What a share of the list lies below. */
export function percentile(list: readonly number[], share: number): number {
  const sorted = list.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
