/** A place in the page where a test renders components by themselves; it is emptied after each test. */
import './page.ts';
import { afterEach } from 'bun:test';
import { render } from 'preact';

export const root = document.createElement('main');
document.body.append(root);
afterEach(() => render(null, root));
