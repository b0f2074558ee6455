/** Formats figures and ratios, the same in every table. */

/** A value with three significant digits and its unit; long times in seconds. */
export const figure = (value: number, unit: string): string =>
  unit === 'ms' && value >= 10_000
    ? figure(value / 1000, 's')
    : `${value.toLocaleString('en', { maximumSignificantDigits: 3 })} ${unit}`;

/** A ratio with two decimals; below 0.1 with two significant digits. */
export function times(ratio: number): string {
  if (!Number.isFinite(ratio)) return '–';
  const text =
    Math.abs(ratio) < 0.1
      ? ratio.toLocaleString('en', { maximumSignificantDigits: 2, useGrouping: false })
      : ratio.toFixed(ratio < 100 ? 2 : 0);
  return `${text} ×`;
}

/** The median; the higher of two middle values. */
export const median = (list: readonly number[]): number => percentile(list, 0.5);

/** The value below which a share of the list lies. */
export function percentile(list: readonly number[], share: number): number {
  const sorted = list.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
