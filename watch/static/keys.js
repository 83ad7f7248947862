// Keys: j and k go to the next and previous group, / to the search. And times as people say
// them, which grow old while a page is open.
function follow(rel) {
  const rows = [...document.querySelectorAll('[data-rows] a.open')];
  if (rows.length) {
    const at = rows.indexOf(document.activeElement);
    const to = at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + (rel === 'next' ? 1 : -1)));
    rows[to].focus();
    rows[to].scrollIntoView({ block: 'nearest' });
    return;
  }
  document.querySelector(`nav.steps a[rel=${rel}]`)?.click();
}

document.addEventListener('keydown', (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest('input, select, textarea')) return;
  if (e.key === 'j') follow('next');
  else if (e.key === 'k') follow('prev');
  else if (e.key === '/') document.querySelector('input[type=search]')?.focus();
  else return;
  e.preventDefault();
});

const spoken = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const units = [['year', 31536000], ['month', 2592000], ['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]];
function age() {
  for (const t of document.querySelectorAll('time.ago')) {
    const seconds = Math.floor((Date.now() - Date.parse(t.dateTime)) / 1000);
    const [unit, size] = units.find(([, size]) => seconds >= size) ?? ['second', 1];
    t.textContent = seconds < 1 ? 'just now' : spoken.format(-Math.floor(seconds / size), unit);
    t.title = new Date(t.dateTime).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' });
  }
}
age();
setInterval(age, 15000);
