/* walk.js: makes the page of a kernel interactive: a click on a line of the source shows what its
 * accesses request, warp by warp and step by step. This file has the panel, the list of lines,
 * keys, and the page's address.
 * SPDX-License-Identifier: MIT
 *
 * On the page, it follows walk_model.js and walk_pictures.js, as one script with them. The script
 * makes no network requests, and executes nothing outside of these three files. */
'use strict'

const panel = document.getElementById('walk')

/* ---- the panel ---- */

function slider(name, label) {
  const input = make('input', { type: 'range', id: `walk-${name}`, min: 0, max: 0, step: 1, value: 0 })
  const output = make('output', { for: `walk-${name}` })
  input.addEventListener('input', () => change({ [name]: Number(input.value) }))
  parts[name] = { input, output }
  return make('div', { class: 'slider' }, make('label', { for: `walk-${name}` }, label), input, output)
}

function build() {
  parts.title = make('h3', { id: 'walk-title', tabindex: -1 })
  parts.before = make('button', { type: 'button', class: 'chip' })
  parts.after = make('button', { type: 'button', class: 'chip' })
  for (const button of [parts.before, parts.after])
    button.addEventListener('click', () => {
      play(false)
      change({ line: Number(button.dataset.line) })
    })
  const head = make('div', { class: 'walk-head' }, parts.title, make('div', { class: 'chips' }, parts.before, parts.after))
  parts.code = make('pre', { class: 'walk-code' })
  parts.chips = make('div', { class: 'chips', role: 'group', 'aria-label': 'accesses of this line' })
  parts.play = make('button', { type: 'button', class: 'play', 'aria-pressed': 'false' }, 'Play')
  parts.play.addEventListener('click', () => play(!timer))
  parts.controls = make('div', { class: 'controls' }, slider('block', 'Block'), slider('warp', 'Warp'), slider('step', 'Step'),
    slider('lane', 'Lane'))
  parts.step.input.parentElement.append(parts.play)
  parts.say = make('p', { class: 'walk-say', role: 'status', 'aria-live': 'polite' })
  parts.cost = make('span', { class: 'badge' })
  parts.matrices = make('div', { class: 'walk-picture' })
  parts.lanes = make('div', { class: 'walk-picture' })
  parts.related = make('p', { class: 'muted' })
  parts.table = make('details', {}, make('summary', {}, 'Each lane in numbers'), make('div', { class: 'scroll' }))
  parts.legend = make('p', { class: 'legend' })
  panel.append(make('p', { class: 'muted' }, 'A click on a line of the source shows what its accesses ask for: one request of one ' +
    'warp at a time. The sliders walk to another block, warp or step.'), head, parts.code, parts.chips, parts.controls, parts.say, parts.matrices, parts.lanes, parts.legend,
    parts.related, parts.table, make('p', { class: 'muted help' },
      'Every address is one that the simulator saw. Block, warp, step and lane count from 0; a step is a request of that warp at ' +
      'that access. Arrow keys move a slider; in the list, up and down go to another line, left and right to another step. The ' +
      'address of this page names what is shown.'))
  panel.setAttribute('role', 'region')
  panel.setAttribute('aria-labelledby', 'walk-title')
  panel.addEventListener('click', e => {
    const lane = e.target.dataset && e.target.dataset.lane
    if (lane !== undefined) change({ lane: Number(lane) === state.lane ? -1 : Number(lane) })
  })
  panel.hidden = false
  panel.parentElement.classList.add('live')
}

function chipName(access) {
  const site = siteOf(access), kernel = data.launches.length > 1 ? `${launchOf(access).kernel}: ` : ''
  const twin = list.some(o => o !== access && siteOf(o).array === site.array && siteOf(o).access === site.access)
  return `${kernel}${site.access} ${arrayOf(access).name}${twin ? `, ${site.bytes} bytes` : ''}`
}

function drawChips() {
  parts.chips.replaceChildren(...list.map((access, i) => {
    const chip = make('button', { type: 'button', class: 'chip', 'aria-pressed': i === state.access ? 'true' : 'false' }, chipName(access))
    chip.addEventListener('click', () => {
      change({ access: i })
      parts.chips.children[i].focus()
    })
    return chip
  }))
}

function setSlider(name, max, value, text) {
  const { input, output } = parts[name]
  input.max = Math.max(max, Number(input.min))
  input.value = value
  input.disabled = max <= Number(input.min)
  input.setAttribute('aria-valuetext', text)
  output.textContent = text
}

function drawControls() {
  const access = current(), launch = launchOf(access), { total, kept } = lengthOf(access)
  const at = launch.blocks.length ? blockName(launch) : ''
  setSlider('block', launch.blocks.length - 1, state.block, at)
  setSlider('warp', warpsOf(launch) - 1, state.warp, `${state.warp} of ${warpsOf(launch)}`)
  setSlider('step', Math.max(kept, 1) - 1, state.step, `${state.step} of ${total}`)
  parts.lane.input.min = -1
  setSlider('lane', launch.warp - 1, state.lane, state.lane < 0 ? 'all' : `${state.lane}, thread ${threadName(launch, state.warp, state.lane)}`)
}

/* Lists the lines that write or read the same shared array. */
function sayRelated(access) {
  const launch = launchOf(access), site = siteOf(access)
  if (passesBy(site))
    return ['Copies of 16 bytes pass L1 by, on their way to shared memory: a sector that comes to lie in two lines of 128 bytes ' +
      `there is fetched twice, so that over all requests of this line there are ${Number(site.each.toPrecision(3))}.`]
  if (site.space !== 'shared') return []
  const loads = site.access === 'load'
  const lines = new Set(launch.sites.filter(s => s.array === site.array && (s.access === 'load') !== loads && s.line > 0).map(s => s.line))
  if (!lines.size) return []
  const links = [...lines].sort((a, b) => a - b).flatMap((line, i) => {
    const link = make('a', { href: `#line=${line}` }, `${line}`)
    return i ? [', ', link] : [link]
  })
  return [`${arrayOf(access).name} is ${loads ? 'written' : 'read'} at line${lines.size === 1 ? '' : 's'} `, ...links, '.']
}

function drawLegend(matrices, shared) {
  const items = []
  if (matrices) items.push(['f0', 'touched by this warp, a colour for 8 lanes'], ['fetched', 'fetched with it, in the same sectors'],
    ['others', 'touched by other warps of the block'], ['made', 'what this warp stores of C'])
  if (shared) items.push(['heat1', 'one word'], ['heat2', '2'], ['heat3', '3 to 8'], ['heat4', '9 and more'])
  parts.legend.replaceChildren(...items.map(([style, text]) => {
    const swatch = make('svg:svg', { class: 'swatch', viewBox: '0 0 12 12', 'aria-hidden': 'true' }, box(style, 0.5, 0.5, 11, 11))
    return make('span', {}, swatch, text)
  }))
}

function drawPictures() {
  const access = current(), request = access && requestOf(access, state.warp)
  for (const part of [parts.matrices, parts.lanes, parts.legend, parts.related, parts.table.lastChild]) part.replaceChildren()
  parts.table.hidden = !request
  if (!request) {
    parts.say.replaceChildren(inWords(sayNothing()))
    return
  }
  const cost = costOf(launchOf(access), access.site, request), shared = siteOf(access).space === 'shared'
  parts.say.replaceChildren(inWords(`Warp ${state.warp} of block ${blockName(launchOf(access))}, step ${state.step}: ${sayRequest(access, request)} `))
  if (cost) {
    parts.cost.className = `badge ${cost.count >= 2 * cost.best ? 'bad' : cost.count > cost.best ? 'warn' : 'good'}`
    parts.cost.textContent = inWords(sayCost(access, request))
    parts.say.append(parts.cost)
  }
  const width = Math.max(280, Math.floor(panel.clientWidth))
  const matrices = drawMatrices(width)
  if (matrices) parts.matrices.append(matrices)
  parts.lanes.append(shared ? drawShared(access, request, width) : drawSectors(access, request, width))
  drawLegend(matrices, shared)
  parts.related.append(...sayRelated(access).map(inWords))
  parts.table.lastChild.append(laneTable(access, request))
}

function lineText(line) {
  const row = document.getElementById(`line-${line}`), code = row && row.querySelector('code')
  return code ? code.textContent.trim() : ''
}

/* Lists the lines before and after this one that access memory. */
function drawNeighbours() {
  const lines = [...document.querySelectorAll('tr.touches')].map(r => Number(r.id.slice(5)))
  const before = lines.filter(l => l < state.line).pop(), after = lines.find(l => l > state.line)
  for (const [button, line, text] of [[parts.before, before, `\u2190 line ${before}`], [parts.after, after, `line ${after} \u2192`]]) {
    button.hidden = line === undefined
    button.dataset.line = line
    button.textContent = text
  }
}

function draw() {
  drawNeighbours()
  parts.title.textContent = `Line ${state.line}, request by request`
  parts.code.textContent = lineText(state.line)
  document.querySelectorAll('tr.walked').forEach(r => {
    const on = r.id === `line-${state.line}`
    r.classList.toggle('shown', on)
    r.querySelector('button').setAttribute('aria-pressed', on ? 'true' : 'false')
  })
  parts.controls.hidden = parts.chips.hidden = !list.length
  if (list.length) {
    drawChips()
    drawControls()
  }
  drawPictures()
}

/* ---- changes, and the page's address ---- */

const clamp = (value, most) => Math.min(Math.max(Number.isFinite(value) ? value : 0, 0), Math.max(most, 0))

/* Changes the selection. Another line keeps the block and the warp, and the fraction of the
 * walk. */
function change(news) {
  const before = list.length ? lengthOf(current()).total : 0, far = before ? state.step / before : 0
  const turned = ('line' in news && news.line !== state.line) || ('access' in news && news.access !== state.access)
  if ('line' in news) {
    list = accessesOfLine(news.line)
    state.access = 0
  }
  Object.assign(state, news)
  state.access = clamp(state.access, list.length - 1)
  if (list.length) {
    const launch = launchOf(current())
    state.block = clamp(state.block, launch.blocks.length - 1)
    state.warp = clamp(state.warp, warpsOf(launch) - 1)
    const { total, kept } = lengthOf(current())
    if (turned && !('step' in news)) state.step = Math.floor(far * total)
    state.step = clamp(state.step, kept - 1)
    state.lane = state.lane < 0 ? -1 : clamp(state.lane, launch.warp - 1)
  }
  draw()
}

function address() {
  const lane = state.lane < 0 ? '' : `&lane=${state.lane}`
  return `#line=${state.line}&access=${state.access}&block=${state.block}&warp=${state.warp}&step=${state.step}${lane}`
}

/* The fragment is #line=13&warp=1&step=2; or #line-13, as findings link to lines. */
function follow(moving) {
  const text = location.hash.slice(1), plain = /^line-(\d+)$/.exec(text)
  const news = {}
  for (const [name, value] of new URLSearchParams(plain ? `line=${plain[1]}` : text))
    if (name in state && /^\d+$/.test(value)) news[name] = Number(value)
  if (!('line' in news)) return false
  change(news)
  if (moving && !plain) reveal(panel)
  return true
}

/* After a change by the user, updates the address without a new entry in the history. */
function keep() {
  try {
    history.replaceState(null, '', address())
  } catch (refused) {
    /* Some browsers do not allow changing the address of a local file. */
  }
}

const still = matchMedia('(prefers-reduced-motion: reduce)')
const reveal = element => element.scrollIntoView({ block: 'nearest', behavior: still.matches ? 'auto' : 'smooth' })

let timer = 0
function play(on) {
  clearInterval(timer)
  timer = on ? setInterval(() => {
    if (state.step + 1 >= lengthOf(current()).kept) play(false)
    else change({ step: state.step + 1 })
  }, 350) : 0
  parts.play.setAttribute('aria-pressed', on ? 'true' : 'false')
  parts.play.textContent = on ? 'Stop' : 'Play'
}

/* ---- the list of lines ---- */

function choose(line, from) {
  play(false)
  change({ line })
  keep()
  const beside = matchMedia('(min-width: 70rem)').matches
  if (!beside) reveal(panel)
  if (from) from.focus({ preventScroll: true })
}

/* Adds a button to each line of the listing; the whole row can be clicked. */
function wire() {
  const rows = [...document.querySelectorAll('tr[id^="line-"]')]
  rows.forEach((row, i) => {
    const line = Number(row.id.slice(5)), cell = row.querySelector('td')
    const button = make('button', { type: 'button', class: 'line', 'aria-controls': 'walk', 'aria-label': `line ${line}: show its accesses` }, cell.textContent)
    cell.replaceChildren(button)
    row.classList.add('walked')
    if (accessesOfLine(line).length) row.classList.add('touches')
    row.addEventListener('click', () => choose(line, button))
    button.addEventListener('keydown', e => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key], other = rows[i + ({ ArrowUp: -1, ArrowDown: 1 }[e.key] || 0)]
      if (step) {
        if (state.line !== line) change({ line })
        if (list.length) change({ step: state.step + step })
        keep()
      } else if (other && other !== row) {
        choose(Number(other.id.slice(5)), other.querySelector('button'))
      } else {
        return
      }
      e.preventDefault()
    })
  })
}

function worstLine() {
  const lines = new Set(data.launches.flatMap(l => l.sites).filter(s => s.space !== 'other' && s.line > 0).map(s => s.line))
  const waste = line => accessesOfLine(line).reduce((sum, { launch, site }) => {
    const s = data.launches[launch].sites[site]
    return sum + (s.each - s.best) * s.requests + s.requests * 1e-6
  }, 0)
  return [...lines].filter(line => document.getElementById(`line-${line}`)).sort((a, b) => waste(b) - waste(a))[0]
}

build()
wire()
if (!follow(false)) change({ line: worstLine() || 0 })
panel.addEventListener('change', keep)
panel.addEventListener('click', keep)
addEventListener('hashchange', () => follow(true))
addEventListener('beforeprint', () => document.querySelectorAll('details').forEach(d => { d.open = true }))
let drawn = panel.clientWidth
new ResizeObserver(() => {
  if (Math.abs(panel.clientWidth - drawn) < 2) return
  drawn = panel.clientWidth
  draw()
}).observe(panel)
