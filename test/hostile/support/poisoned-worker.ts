/** The worker thread of the service, in which some words are poison. */
import './poisoned-words.ts';
import '../../../server/runs/worker-thread.ts';
