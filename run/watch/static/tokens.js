// Shows the tokens of an episode. They are text in blocks, which the browser lays out
// only when they are near; the colours and the exact values come from the lists.
const perBlock = 200;

const dark = () => matchMedia('(prefers-color-scheme: dark)').matches;

// colours return the background of token i of some tokens, or an empty string, for each choice.
const colours = {
  logprob: (tokens, i) => {
    const v = tokens.logprobs[i];
    return v == null ? '' : `hsl(${120 * Math.exp(v)} 70% ${dark() ? 22 : 82}%)`;
  },
  version: (tokens, i) => (tokens.versions[i] < 0 ? '' : `hsl(${(tokens.versions[i] * 67) % 360} 60% ${dark() ? 22 : 84}%)`),
  mask: (tokens, i) => (tokens.sampled[i] ? `hsl(210 70% ${dark() ? 24 : 85}%)` : ''),
  drift: (tokens, i) => {
    const hue = { clean: 120, realigned: 45, forked: 0 }[tokens.drifts[tokens.turnOf[i]]];
    return `hsl(${hue} 60% ${dark() ? 22 : 84}%)`;
  },
  advantage: (tokens, i) => {
    const v = tokens.advantages[i];
    if (v == null || !tokens.sampled[i] || v === 0) return '';
    const strength = Math.min(1, Math.abs(v) / tokens.most);
    return `hsl(${v > 0 ? 150 : 10} ${20 + 60 * strength}% ${dark() ? 22 : 84}%)`;
  },
};
const legends = {
  logprob: 'Green: probability 1; yellow: a half; red: near 0. Tokens that were read have no colour.',
  version: 'A colour for each version of the weights that sampled a token.',
  mask: 'Blue: sampled by the policy, and trained on. Tokens that were read have no colour.',
  drift: 'Green: the tokens of the turn continue those before; yellow: the chat template would have ended the reply before otherwise; red: the conversation was read anew.',
  advantage: 'Green: above 0; red: below 0.',
};

// attend makes a section show the tokens of the replies of its group.
function attend(section) {
  const form = section.querySelector('form');
  const list = section.querySelector('.tokens');
  const exact = section.querySelector('.exact');
  const alone = Boolean(document.getElementById('series')); // the page asks no server
  let tokens = null;
  let here = -1;

  function text(i) {
    const t = tokens.texts[tokens.ids[i]];
    return t === undefined ? `⟨${tokens.ids[i]}⟩` : t.replaceAll('\n', '↵\n');
  }

  function build() {
    list.replaceChildren();
    for (let from = 0; from < tokens.ids.length; from += perBlock) {
      const block = document.createElement('p');
      for (let i = from; i < Math.min(tokens.ids.length, from + perBlock); i++) {
        const span = document.createElement('span');
        span.textContent = text(i);
        if (!tokens.sampled[i]) span.className = 'read';
        block.append(span);
      }
      list.append(block);
    }
  }

  const spanOf = (i) => list.children[Math.floor(i / perBlock)]?.children[i % perBlock];

  function paint() {
    const of = colours[form.colour.value];
    for (let i = 0; i < tokens.ids.length; i++) spanOf(i).style.backgroundColor = of(tokens, i);
    section.querySelector('.legend').textContent = `${tokens.ids.length.toLocaleString('en')} tokens. ${legends[form.colour.value]}`;
  }

  function tell(i) {
    const parts = [`token ${i}`, `id ${tokens.ids[i]}`, JSON.stringify(tokens.texts[tokens.ids[i]] ?? null)];
    const turn = tokens.turnOf[i];
    parts.push(`turn ${turn}, ${tokens.drifts[turn]}`, tokens.sampled[i] ? 'sampled' : 'read');
    if (tokens.logprobs[i] != null) parts.push(`log-probability ${tokens.logprobs[i]}`, `probability ${Math.exp(tokens.logprobs[i]).toPrecision(4)}`);
    if (tokens.versions[i] >= 0) parts.push(`version ${tokens.versions[i]}`, `${tokens.version - tokens.versions[i]} behind the policy`);
    if (tokens.advantages[i] != null && tokens.sampled[i]) parts.push(`advantage ${tokens.advantages[i]}`);
    exact.textContent = parts.join(' · ');
  }

  function go(i) {
    if (!tokens?.ids.length) return;
    spanOf(here)?.classList.remove('here');
    here = Math.min(tokens.ids.length - 1, Math.max(0, i));
    spanOf(here).classList.add('here');
    tell(here);
  }

  function place(span) {
    const block = span.parentElement;
    return [...list.children].indexOf(block) * perBlock + [...block.children].indexOf(span);
  }

  list.addEventListener('pointerover', (e) => { if (e.target.tagName === 'SPAN') tell(place(e.target)); });
  list.addEventListener('click', (e) => { if (e.target.tagName === 'SPAN') go(place(e.target)); });
  list.addEventListener('keydown', (e) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -10, ArrowDown: 10, PageUp: -perBlock, PageDown: perBlock, Home: -Infinity, End: Infinity }[e.key];
    if (!step) return;
    e.preventDefault();
    go(here + step);
    spanOf(here).scrollIntoView({ block: 'nearest' });
  });

  // The choice is in the address, so that a link shows the same.
  function keep() {
    if (alone) return;
    const q = new URLSearchParams(location.search);
    q.set('tokens', form.episode.value);
    q.set('colour', form.colour.value);
    history.replaceState(null, '', `?${q}`);
  }

  // ask returns the tokens of the reply that is chosen; null: they cannot be read.
  async function ask() {
    const given = section.querySelector(`script[data-episode="${form.episode.value}"]`);
    if (given) return JSON.parse(given.textContent);
    const reply = await fetch(`tokens?at=${section.dataset.at}&episode=${form.episode.value}`);
    if (reply.ok) return reply.json();
    exact.textContent = `The tokens cannot be read: ${reply.status}`;
    return null;
  }

  async function load() {
    section.hidden = false;
    tokens = await ask();
    if (!tokens) return;
    tokens.turnOf = tokens.turns.flatMap((at, turn) => new Array((tokens.turns[turn + 1] ?? tokens.ids.length) - at).fill(turn));
    tokens.most = tokens.advantages.reduce((most, v) => Math.max(most, Math.abs(v ?? 0)), 1e-9);
    here = -1;
    build();
    paint();
  }

  form.addEventListener('submit', (e) => e.preventDefault());
  form.episode.addEventListener('change', () => { keep(); load(); });
  form.colour.addEventListener('change', () => { keep(); if (tokens) paint(); });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { if (tokens) paint(); });
  for (const a of document.querySelectorAll(`.totokens[data-at="${section.dataset.at}"]`)) {
    a.addEventListener('click', async (e) => {
      e.preventDefault();
      form.episode.value = a.dataset.episode;
      keep();
      await load();
      section.scrollIntoView();
      list.focus();
    });
  }
  if (alone) return;
  const q = new URLSearchParams(location.search);
  if (Object.hasOwn(colours, q.get('colour'))) form.colour.value = q.get('colour');
  if (q.has('tokens')) {
    form.episode.value = q.get('tokens');
    if (form.episode.value) load();
  } else if (location.hash === `#${section.id}`) { // a link was followed before this script ran
    load();
  }
}

document.querySelectorAll('section.tokenview').forEach(attend);
