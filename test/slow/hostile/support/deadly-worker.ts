/** A worker thread whose decoder crashes on certain recordings, in place of an unknown bug. */
import './deadly-recordings.ts';
import '../../../../server/runs/threads/worker-thread.ts';
