// Draws the charts of a page: <figure class="chart">, whose caption names the numbers.
const all = document.getElementById('numbers');
let figures = [];
const overTime = new URLSearchParams(location.search).get('x') === 'time';
const given = document.getElementById('series'); // the lines, if the page is on its own
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const short = (v) => (v == null ? '' : String(Number(v.toPrecision(4))));
const charts = new Map();

function names(part) {
  return [...part.querySelectorAll('figcaption [data-name]')].map((e) => e.dataset.name);
}

function draw(figure, lines) {
  const plot = figure.querySelector('.plot');
  figure.dataset.points = lines.reduce((n, l) => n + l.x.length, 0);
  const data = lines.length === 1 ? [lines[0].x, lines[0].y] : uPlot.join(lines.map((l) => [l.x, l.y]));
  const old = charts.get(figure);
  if (old) {
    old.setData(data);
    return;
  }
  const axis = { stroke: style('--soft'), grid: { stroke: style('--line'), width: 1 }, ticks: { stroke: style('--line'), width: 1 } };
  charts.set(figure, new uPlot({
    width: plot.clientWidth, height: plot.clientHeight,
    scales: { x: { time: overTime } },
    legend: { show: false },
    cursor: { y: false },
    axes: [axis, { ...axis, size: 56, values: (_, all) => all.map(short) }],
    series: [{}, ...lines.map((l, i) => ({ label: l.name, stroke: style(`--c${i % 7}`), width: 1.5, spanGaps: true, points: { show: l.x.length < 3 } }))],
    hooks: { setCursor: [(u) => caption(figure, u)] },
  }, data, plot));
  [...figure.querySelectorAll('figcaption b')].forEach((b, i) => { b.style.color = style(`--c${i % 7}`); });
}

// caption writes the values under the cursor, or the last ones.
function caption(figure, u) {
  const all = [...figure.querySelectorAll('figcaption [data-name]')];
  all.forEach((e, i) => {
    let at = u.cursor.idx ?? u.data[0].length - 1;
    while (at > 0 && u.data[i + 1][at] == null) at--;
    const v = u.data[i + 1][at];
    if (v == null) return;
    const out = e.querySelector('output');
    out.textContent = short(v);
    out.title = String(v);
    const x = u.data[0][at];
    e.querySelector('.step').textContent = overTime ? new Date(1000 * x).toISOString().slice(0, 19) : x;
  });
}

// ask returns the lines by name; null: the server does not answer.
async function ask() {
  const lines = new Map();
  if (given) {
    for (const line of JSON.parse(given.textContent)[overTime ? 'time' : 'step']) lines.set(line.name, line);
    return lines;
  }
  const wanted = [...new Set(figures.flatMap(names))];
  for (let i = 0; i < wanted.length; i += 100) {
    const q = new URLSearchParams(wanted.slice(i, i + 100).map((n) => ['name', n]));
    q.set('x', overTime ? 'time' : 'step');
    const reply = await fetch(`series?${q}`);
    if (!reply.ok) return null;
    for (const line of await reply.json()) lines.set(line.name, line);
  }
  return lines;
}

let asked = 0;
async function refresh() {
  const mine = ++asked;
  const lines = await ask();
  if (!lines || mine !== asked) return;
  for (const f of figures) draw(f, names(f).map((n) => lines.get(n)));
  for (const [f, u] of charts) caption(f, u);
}

function restart() {
  for (const u of charts.values()) u.destroy();
  charts.clear();
  refresh();
}

function keys(e) {
  const u = charts.get(e.currentTarget);
  const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
  if (!u || !step) return;
  e.preventDefault();
  const last = u.data[0].length - 1;
  const at = Math.min(last, Math.max(0, (u.cursor.idx ?? last + 1) + step));
  u.setCursor({ left: u.valToPos(u.data[0][at], 'x'), top: 1 });
}

function find() {
  figures = [...all.querySelectorAll('figure.chart')];
  for (const f of figures) f.addEventListener('keydown', keys);
}

// A page that was asked for anew may have charts of numbers that the run did not have yet.
document.addEventListener('renewed', (e) => {
  const fresh = e.detail.getElementById('numbers');
  if (!fresh || names(fresh).join() === names(all).join() || all.contains(document.activeElement)) return;
  all.replaceChildren(...document.importNode(fresh, true).childNodes);
  find();
  restart();
});

let waiting = 0;
let rows = -1;
document.addEventListener('grown', (e) => {
  if (e.detail.rows === rows && rows >= 0) return;
  rows = e.detail.rows;
  clearTimeout(waiting);
  waiting = setTimeout(refresh, 200);
});
let width = innerWidth;
addEventListener('resize', () => {
  if (innerWidth === width) return;
  width = innerWidth;
  for (const [f, u] of charts) u.setSize({ width: f.querySelector('.plot').clientWidth, height: f.querySelector('.plot').clientHeight });
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', restart);
find();
requestAnimationFrame(() => setTimeout(refresh)); // the page is painted first
