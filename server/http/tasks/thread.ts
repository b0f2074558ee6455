/** The program of a thread of the pool. */
import { yieldToRequests } from '../../runs/threads/thread-priority.ts';
import { serveTasks } from '../work/pool.ts';
import { TASKS } from './tasks.ts';

declare const self: Worker;

yieldToRequests();
serveTasks(self, TASKS);
