// Says when the data folder has grown. An event only says that there is more: what is
// shown is then asked for anew, so a connection that breaks loses and doubles nothing.
const tell = (detail) => document.dispatchEvent(new CustomEvent('grown', { detail }));
const status = document.getElementById('live');
const groups = (n) => `${n.toLocaleString('en')} groups`;
function say(now) {
  if (now.ended) {
    const at = document.createElement('time');
    at.dateTime = now.ended;
    status.replaceChildren('ended ', at, `: ${groups(now.groups)}`);
    status.dataset.ended = '';
    relate(status);
  } else {
    status.textContent = `following: ${groups(now.groups)}`;
    delete status.dataset.ended;
  }
}
let broken = false;
if (typeof EventSource !== 'undefined') {
  const events = new EventSource('events');
  events.onopen = () => {
    if (broken || !('ended' in status.dataset)) status.textContent = 'following';
    broken = false;
    tell({ rows: -1 });
  };
  events.onerror = () => {
    broken = true;
    status.textContent = 'not connected; trying again';
  };
  events.addEventListener('grown', (e) => {
    const now = JSON.parse(e.data);
    say(now);
    tell(now);
  });
}

// Times are told from now, with the exact one, in the reader's own zone, as the title.
const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
function relate(part) {
  for (const e of part.querySelectorAll('time[datetime]')) {
    const at = new Date(e.dateTime);
    if (Number.isNaN(at.valueOf())) continue;
    const ago = (at - Date.now()) / 1000;
    const [size, unit] = [[86400, 'day'], [3600, 'hour'], [60, 'minute']].find(([s]) => Math.abs(ago) >= s) ?? [1, 'second'];
    e.title = at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' });
    e.textContent = Math.abs(ago) < 60 * 86400 ? words.format(Math.round(ago / size), unit) : at.toLocaleDateString();
  }
}
relate(document);
setInterval(() => relate(document), 30000);

// What is marked as live is taken anew from the page as it is now.
const parts = document.querySelectorAll('[data-live]');
let due = 0;
async function renew() {
  due = 0;
  const reply = await fetch(location.href);
  if (!reply.ok) return;
  const page = new DOMParser().parseFromString(await reply.text(), 'text/html');
  for (const part of parts) {
    const fresh = page.getElementById(part.id);
    if (fresh && !part.contains(document.activeElement)) {
      part.replaceChildren(...document.importNode(fresh, true).childNodes);
      relate(part);
    }
  }
  document.dispatchEvent(new CustomEvent('renewed', { detail: page }));
}
document.addEventListener('grown', () => {
  if (parts.length && !due) due = setTimeout(renew, 5000);
});
