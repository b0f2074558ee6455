/**
 * The energy of each frame of so many samples: the sum of their squares. The last frame may be shorter.
 * @param frame in samples
 */
export function frameEnergies(samples: Float32Array, frame: number): Float64Array {
  const energies = new Float64Array(Math.ceil(samples.length / frame));
  for (let at = 0; at < energies.length; at += 1) {
    const end = Math.min(samples.length, (at + 1) * frame);
    let sum = 0;
    for (let place = at * frame; place < end; place += 1) sum += samples[place]! ** 2;
    energies[at] = sum;
  }
  return energies;
}
