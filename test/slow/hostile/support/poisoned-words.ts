import { poisonThread } from './poison.ts';

poisonThread();
