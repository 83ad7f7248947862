// Says when the data folder has grown. An event only says that there is more: what is
// shown is then asked for anew, so a connection that breaks loses and doubles nothing.
const tell = (detail) => document.dispatchEvent(new CustomEvent('grown', { detail }));
const status = document.getElementById('live');
if (typeof EventSource !== 'undefined') {
  const events = new EventSource('events');
  events.onopen = () => { status.textContent = 'following'; tell({ rows: -1 }); };
  events.onerror = () => { status.textContent = 'not connected; trying again'; };
  events.addEventListener('grown', (e) => {
    const now = JSON.parse(e.data);
    status.textContent = `following: ${now.groups.toLocaleString('en')} groups`;
    tell(now);
  });
}

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
    if (fresh && !part.contains(document.activeElement)) part.replaceChildren(...document.importNode(fresh, true).childNodes);
  }
  document.dispatchEvent(new CustomEvent('renewed', { detail: page }));
}
document.addEventListener('grown', () => {
  if (parts.length && !due) due = setTimeout(renew, 5000);
});
