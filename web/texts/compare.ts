/** The texts of the comparison with the original. */
import { count } from '../format.ts';

/** They are loaded with its dialog. */
export const compare = {
  compareTitle: 'Compared with the original',
  compareNone: 'No changes.',
  compareCount: (places: number) => `Changed in ${count(places, 'place', 'places')}.`,
  compareTimes: 'timing changed',
};
