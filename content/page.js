// The theme that was chosen in the app holds here too.
try {
  const theme = localStorage.getItem('captioner.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // A browser that blocks storage shows the theme of the system.
}

// So does the language: choosing one at the foot of a page keeps it for the app and for the other pages.
try {
  const kept = localStorage.getItem('captioner.language');
  const links = [...document.querySelectorAll('.languages a')];
  const link = links.find(({ lang }) => lang === kept);
  const isCarried = new URLSearchParams(location.search).has('lang');
  if (link && !isCarried && kept !== document.documentElement.lang) location.replace(link.href);
  for (const each of links) {
    each.addEventListener('click', () => localStorage.setItem('captioner.language', each.lang));
  }
} catch {
  // A browser that blocks storage shows the language that it asks for.
}

// Adds a button beside every block of code that copies it. Without this script the blocks stay as they are.
const { copy: before, copied: done, notCopied: failed } = document.querySelector(
  'script[data-copy]',
).dataset;
const label = { before, done, failed };

function addButton(block) {
  const frame = document.createElement('div');
  frame.className = 'code';
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = label.before;
  const status = document.createElement('span');
  status.className = 'status';
  status.setAttribute('role', 'status');
  const say = (text) => {
    button.textContent = text;
    status.textContent = text === label.before ? '' : text;
  };
  button.addEventListener('click', () => {
    navigator.clipboard
      .writeText(block.textContent.replace(/\n$/, ''))
      .then(() => say(label.done))
      .catch(() => say(label.failed))
      .finally(() => setTimeout(say, 2000, label.before));
  });
  block.replaceWith(frame);
  frame.append(block, button, status);
}

if (navigator.clipboard) document.querySelectorAll('pre').forEach(addButton);
