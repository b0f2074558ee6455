/** The entry point of the app in the browser. */
import './tokens.css';
import './base.css';
import './app.css';
import './review/screen/review.css';
import './review/translation/translation.css';
import './touch.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { speakChosenLanguage } from './tab/language.ts';

const root = document.querySelector('#app');
// What the page shows until its scripts have loaded, and if they cannot be loaded.
const draw = (): void => {
  root?.replaceChildren();
  if (root) render(<App />, root);
};
const loads = speakChosenLanguage();
if (loads) void loads.then(draw);
else draw();
