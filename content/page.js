// The theme that was chosen in the app holds here too.
try {
  const theme = localStorage.getItem('captioner.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // A browser that blocks storage shows the theme of the system.
}

// Adds a button beside every block of code that copies it. Without this script the blocks stay as they are.
const label = { before: 'Copy', done: 'Copied', failed: 'Not copied' };

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
