/** The worker thread of a service that some recordings end: a fault of a decoder that nobody has found yet. */
import './deadly-recordings.ts';
import '../../../server/runs/worker-thread.ts';
