// Keys: j and k go to the next and previous group, / to the search.
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
