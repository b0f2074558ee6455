import { FrameScanner } from '../../../../server/mp3/scanner.ts';
import { DEADLY } from './deadly.ts';

const deadly = new WeakSet<FrameScanner>();
const { push, end } = FrameScanner.prototype;

FrameScanner.prototype.push = function (chunk) {
  if (Buffer.from(chunk).includes(DEADLY)) deadly.add(this);
  push.call(this, chunk);
};
// Only a reader that reaches the end of the recording triggers the bug.
FrameScanner.prototype.end = function () {
  if (deadly.has(this)) process.kill(process.pid, 'SIGKILL');
  end.call(this);
};
