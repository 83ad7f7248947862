// Draws the charts of a page: <figure class="chart">, whose caption names the numbers. All
// have one range, which is in the address, as the smoothing is.
const parts = [...document.querySelectorAll('[data-charts]')];
const asked = new URLSearchParams(location.search);
const overTime = asked.get('x') === 'time';
const given = document.getElementById('series'); // the lines, if the page is on its own
const choice = () => document.querySelector('select[name=smooth]');
const whole = () => document.querySelector('button[name=whole]');
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const charts = new Map();
let figures = [];
let lines = new Map();
let zoom = null; // the shown range; null: all
let smooth = Number(asked.get('smooth')) || 0; // percent of the range
if (asked.has('from') && asked.has('to')) {
  zoom = { min: Number(asked.get('from')), max: Number(asked.get('to')) };
  if (!(zoom.min < zoom.max)) zoom = null;
}

function short(v, scores) {
  if (v == null) return '';
  if (scores) return v.toFixed(3);
  if (v !== 0 && (Math.abs(v) < 1e-4 || Math.abs(v) >= 1e15)) return v.toPrecision(4);
  return v.toLocaleString('en', Math.abs(v) >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 4 });
}

const names = (part) => [...part.querySelectorAll('figcaption [data-name]')].map((e) => e.dataset.name);
const place = (x) => (overTime ? new Date(1000 * x).toLocaleString() : `step ${x.toLocaleString('en')}`);

// extent is the range of all lines of the page.
function extent() {
  let min = Infinity;
  let max = -Infinity;
  for (const f of figures) {
    for (const n of names(f)) {
      const x = lines.get(n)?.x ?? [];
      if (x.length) [min, max] = [Math.min(min, x[0]), Math.max(max, x[x.length - 1])];
    }
  }
  return min < max ? [min, max] : min === max ? [min - 1, max + 1] : [0, 1];
}

// smoothed is the moving mean of a line, in which a value counts for its distance from the
// one before: many rows in a short time weigh no more than one.
function smoothed(line, range) {
  const reach = (smooth / 100) * (range[1] - range[0]);
  let mean = line.y[0];
  return line.y.map((v, i) => {
    const gap = i ? line.x[i] - line.x[i - 1] : 0;
    mean += (v - mean) * (1 - Math.exp(-gap / reach));
    return mean;
  });
}

function draw(figure, own) {
  const plot = figure.querySelector('.plot');
  if (!plot.clientWidth) return; // folded away
  figure.dataset.points = own.reduce((n, l) => n + l.x.length, 0);
  const range = extent();
  const soft = smooth > 0 && !('band' in figure.dataset);
  const drawn = soft ? [...own, ...own.map((l) => ({ name: l.name, x: l.x, y: smoothed(l, range) }))] : own;
  const data = drawn.length === 1 ? [drawn[0].x, drawn[0].y] : uPlot.join(drawn.map((l) => [l.x, l.y]));
  const old = charts.get(figure);
  if (old) {
    old.setData(data);
    return;
  }
  charts.set(figure, new uPlot(options(figure, drawn, own.length, soft), data, plot));
  [...figure.querySelectorAll('figcaption i')].forEach((e, i) => { e.style.backgroundColor = colour(figure, i); });
}

const colour = (figure, i) => style(`--c${'band' in figure.dataset ? 0 : i % 7}`);

function options(figure, drawn, count, soft) {
  const plot = figure.querySelector('.plot');
  const font = '12px system-ui, sans-serif';
  const axis = { stroke: style('--soft'), grid: { stroke: style('--line'), width: 1 }, ticks: { stroke: style('--line'), width: 1 }, font, labelFont: font, labelSize: 18 };
  const band = 'band' in figure.dataset;
  const scores = 'scores' in figure.dataset;
  const one = (l, i) => ({
    label: l.name, stroke: colour(figure, i % count), width: band && i > 0 ? 0.5 : soft && i >= count ? 2 : 1.5, alpha: soft && i < count ? 0.3 : 1,
    spanGaps: true, points: { show: band ? i === 0 : l.x.length < 3 },
  });
  return {
    width: plot.clientWidth, height: plot.clientHeight,
    scales: { x: { time: overTime, range: () => (zoom ? [zoom.min, zoom.max] : extent()) }, y: { range: (u, min, max) => tidy(min, max, scores) } },
    legend: { show: false },
    cursor: { y: false, drag: { setScale: false }, bind: { dblclick: () => () => show(null) } },
    axes: [
      overTime ? axis : { ...axis, label: 'step', size: 34, values: (_, all) => all.map((v) => v.toLocaleString('en')) },
      { ...axis, label: figure.dataset.unit, size: 62, values: (_, all) => all.map((v) => short(v)) },
    ],
    series: [{}, ...drawn.map(one)],
    bands: band ? [{ series: [3, 2], fill: style('--c0') + '33' }] : [],
    hooks: {
      setScale: [(u, key) => { if (key === 'x') figure.dataset.range = `${u.scales.x.min} ${u.scales.x.max}`; }],
      setCursor: [(u) => caption(figure, u)],
      setSelect: [(u) => {
        if (u.select.width < 4) return;
        const range = { min: u.posToVal(u.select.left, 'x'), max: u.posToVal(u.select.left + u.select.width, 'x') };
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        show(range);
      }],
    },
  };
}

// tidy is the range of an axis around its values; that of scores ends at 0 and 1.
function tidy(min, max, scores) {
  if (min == null) return [0, 1];
  const room = 0.08 * (max - min) || Math.abs(max) * 0.1 || 1;
  const low = min >= 0 ? Math.max(0, min - room) : min - room;
  return [low, scores && max <= 1 ? Math.min(1, max + room) : max + room];
}

// show shows a range in all charts, or the whole run, and puts it into the address.
function show(range) {
  zoom = range;
  for (const u of charts.values()) {
    const [min, max] = extent();
    u.setScale('x', zoom ?? { min, max });
  }
  const digits = overTime ? 3 : 1;
  note({ from: zoom?.min.toFixed(digits), to: zoom?.max.toFixed(digits) });
  if (whole()) whole().hidden = !zoom;
}

function note(values) {
  const q = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(values)) {
    if (value) q.set(name, value);
    else q.delete(name);
  }
  const text = q.toString();
  history.replaceState(null, '', (text ? `?${text}` : location.pathname) + location.hash);
}

// caption writes the values under the cursor, or the last ones.
function caption(figure, u) {
  const scores = 'scores' in figure.dataset;
  let here = -Infinity;
  [...figure.querySelectorAll('figcaption [data-name]')].forEach((e, i) => {
    let at = u.cursor.idx ?? u.data[0].length - 1;
    while (at > 0 && u.data[i + 1][at] == null) at--;
    const v = u.data[i + 1][at];
    if (v == null) return;
    const out = e.querySelector('output');
    out.textContent = short(v, scores);
    out.title = String(v);
    here = Math.max(here, u.data[0][at]);
  });
  if (here > -Infinity) figure.querySelector('.step').textContent = place(here);
}

// ask returns the lines by name; null: the server does not answer.
async function ask() {
  const found = new Map();
  if (given) {
    for (const line of JSON.parse(given.textContent)[overTime ? 'time' : 'step']) found.set(line.name, line);
    return found;
  }
  const wanted = [...new Set(figures.flatMap(names))];
  for (let i = 0; i < wanted.length; i += 100) {
    const q = new URLSearchParams(wanted.slice(i, i + 100).map((n) => ['name', n]));
    q.set('x', overTime ? 'time' : 'step');
    const reply = await fetch(`series?${q}`);
    if (!reply.ok) return null;
    for (const line of await reply.json()) found.set(line.name, line);
  }
  return found;
}

let count = 0;
async function refresh() {
  const mine = ++count;
  const found = await ask();
  if (!found || mine !== count) return;
  lines = found;
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
  figures = parts.flatMap((part) => [...part.querySelectorAll('figure.chart')]);
  for (const f of figures) f.addEventListener('keydown', keys);
  for (const part of parts) for (const d of part.querySelectorAll('details')) d.addEventListener('toggle', refresh);
  if (choice()) {
    choice().value = smooth || '';
    choice().addEventListener('change', () => {
      smooth = Number(choice().value);
      note({ smooth: choice().value });
      restart();
    });
  }
  if (whole()) {
    whole().hidden = !zoom;
    whole().addEventListener('click', () => show(null));
  }
}

// A page that was asked for anew may have charts of numbers that the run did not have yet.
document.addEventListener('renewed', (e) => {
  const fresh = parts.map((part) => e.detail.getElementById(part.id));
  const open = document.querySelector('[data-charts] details')?.open;
  if (fresh.every((f, i) => !f || names(f).join() === names(parts[i]).join()) || parts.some((part) => part.contains(document.activeElement))) return;
  fresh.forEach((f, i) => f && parts[i].replaceChildren(...document.importNode(f, true).childNodes));
  const folded = document.querySelector('[data-charts] details');
  if (folded) folded.open = open ?? false;
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
