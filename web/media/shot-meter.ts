/** Detects shot changes by comparing small grey pictures of consecutive frames. */

/** The smallest difference that can be a cut, as a fraction of the full range. */
const LEAST = 0.1;
/**
 * The factor by which a cut differs more than the frames before it, unlike a pan, film grain or a
 * dissolve.
 */
const TIMES = 3.5;
const BEFORE = 8;
/** The shortest time between two cuts, in seconds. */
const APART = 0.2;

/** Collects shot changes from the frames of a video, taken in order. */
export class ShotMeter {
  /** The starts of new shots, in seconds. */
  readonly shots: number[] = [];
  #last: Float32Array | null = null;
  #differences: number[] = [];

  /**
   * Takes a frame.
   * @param pixels red, green, blue and alpha of each pixel, as a canvas gives them; always the same
   * number
   */
  add(pixels: ArrayLike<number>, time: number): void {
    const grey = new Float32Array(pixels.length / 4);
    for (let at = 0; at < grey.length; at += 1) {
      const from = at * 4;
      const [red, green, blue] = [pixels[from]!, pixels[from + 1]!, pixels[from + 2]!];
      grey[at] = (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
    }
    const last = this.#last;
    this.#last = grey;
    if (!last) return;
    let sum = 0;
    for (let at = 0; at < grey.length; at += 1) sum += Math.abs(grey[at]! - last[at]!);
    const difference = sum / grey.length;
    const before = this.#differences;
    const usual = before.reduce((all, each) => all + each, 0) / Math.max(1, before.length);
    const isCut = difference >= LEAST && difference >= usual * TIMES;
    const isNear = time - (this.shots.at(-1) ?? Number.NEGATIVE_INFINITY) < APART;
    if (isCut && !isNear) this.shots.push(time);
    // The average leaves out cuts.
    if (!isCut) before.push(difference);
    if (before.length > BEFORE) before.shift();
  }
}
