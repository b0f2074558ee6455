/** The length of fuzz tests: `FUZZ=8` makes each eight times as long. */

const factor = Number(process.env['FUZZ'] ?? 1);
if (!(factor >= 1)) throw new Error('FUZZ has to be a number from 1');

/** A number of rounds, multiplied by FUZZ. */
export const rounds = (few: number): number => Math.round(few * factor);
