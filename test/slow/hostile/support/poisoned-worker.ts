/** A worker thread that hangs on certain words. */
import './poisoned-words.ts';
import '../../../../server/runs/threads/worker-thread.ts';
