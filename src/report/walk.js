/* walk.js: the page of a kernel, to walk through: a click on a line of the source shows what its accesses ask for, warp by
 * warp and step by step. SPDX-License-Identifier: MIT
 *
 * Every address and every count comes from the simulator (walk_data.c wrote them into #walk-data); the script places them
 * in pictures. A *site* is an access of the source. A *walk* is the list of a warp's requests at a site: runs of requests a
 * stride apart, which come again, shifted. A *shape* says how the lanes of a request lie beside one another.
 *
 * Nothing is asked of a network, and nothing is run that does not stand here. */
'use strict'
;(() => {
const source = document.getElementById('walk-data'), panel = document.getElementById('walk')
if (!source || !panel) return
const data = JSON.parse(source.textContent)
const SECTOR = 32, BANKS = 32, WORD = 4

/* ---- what the simulator kept ---- */

const numbers = text => (text ? text.split(' ').map(Number) : [])
const floorDiv = (a, b) => Math.floor(a / b)
const sameOrMore = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`

/* [[lane, bytes from the lowest], …] */
function lanesOf(shape) {
  if (shape.list) return shape.list
  const runs = numbers(shape.lanes)
  shape.list = []
  for (let i = 0; i < runs.length; i += 4)
    for (let j = 0; j < runs[i + 1]; j++) shape.list.push([runs[i] + j, runs[i + 2] + j * runs[i + 3]])
  return shape.list
}

/* A Map from warp to its walk and the first request's place. */
function trailsOf(launch, block, site) {
  const stored = launch.blocks[block].trails, text = stored[site]
  if (text instanceof Map) return text
  const runs = numbers(text), trails = new Map()
  for (let i = 0; i < runs.length; i += 5)
    for (let j = 0; j < runs[i + 1]; j++)
      trails.set(runs[i] + j, { walk: launch.walks[runs[i + 2]], base: runs[i + 3] + j * runs[i + 4] })
  stored[site] = trails
  return trails
}

function runsOf(walk) {
  if (walk.list) return walk.list
  const list = numbers(walk.runs)
  walk.list = []
  walk.turn = 0
  for (let i = 0; i < list.length; i += 4) {
    walk.list.push({ count: list[i], shape: list[i + 1], start: list[i + 2], stride: list[i + 3] })
    walk.turn += list[i]
  }
  return walk.list
}

/* The warp's request number n at a site: {shape, low}; null where none was kept. */
function requestAt(launch, block, site, warp, n) {
  const trail = trailsOf(launch, block, site).get(warp)
  if (!trail || n < 0 || n >= trail.walk.kept) return null
  const runs = runsOf(trail.walk), turn = floorDiv(n, trail.walk.turn)
  let left = n - turn * trail.walk.turn, i = 0
  for (; left >= runs[i].count; i++) left -= runs[i].count
  const low = trail.base + turn * trail.walk.shift + runs[i].start + left * runs[i].stride
  return { shape: launch.shapes[runs[i].shape], low }
}

/* [{lane, at}, …]: where in the array each lane's access begins. */
const accessesOf = request => lanesOf(request.shape).map(([lane, offset]) => ({ lane, at: request.low + offset }))

/* What the request cost, as it was counted; null where it was not. */
function costOf(launch, site, request) {
  if (launch.sites[site].space === 'shared')
    return { count: request.shape.wavefronts, best: request.shape.best, unit: 'wavefront' }
  const known = numbers(request.shape.sectors), residue = ((request.low % SECTOR) + SECTOR) % SECTOR
  for (let i = 0; i < known.length; i += 2)
    if (known[i] === residue) return { count: known[i + 1], best: request.shape.best, unit: 'sector' }
  return null
}

/* The elements that an access of so many bytes touches, as indices into the array. */
function elementsAt(array, bytes, at) {
  const list = []
  for (let e = floorDiv(at, array.element); e * array.element < at + bytes; e++) list.push(e)
  return list
}

/* An element's place in a matrix, by the names of its axes: {m: 3, k: 7}. */
function placeOf(array, element) {
  const row = floorDiv(element, array.ld), column = element - row * array.ld
  return { row, column, [array.axes[0]]: row, [array.axes[1]]: column }
}

const warpsOf = launch => Math.ceil((launch.block[0] * launch.block[1] * launch.block[2]) / launch.warp)

/* The accesses of a line, the costliest first. */
function accessesOfLine(line) {
  const list = []
  data.launches.forEach((launch, l) =>
    launch.sites.forEach((site, s) => {
      if (site.line === line && site.space !== 'other') list.push({ launch: l, site: s })
    }))
  const waste = ({ launch, site }) => {
    const s = data.launches[launch].sites[site]
    return (s.each - s.best) * s.requests
  }
  return list.sort((a, b) => waste(b) - waste(a) || a.launch - b.launch || a.site - b.site)
}

/* All elements of an operand that a warp stores to: Map of row -> [first, last] columns; memorised. */
const stored = new Map()
function outputOf(launch, block, warp) {
  const key = [data.launches.indexOf(launch), block, warp].join()
  if (stored.has(key)) return stored.get(key)
  const places = []
  launch.sites.forEach((site, s) => {
    const array = launch.arrays[site.array]
    if (!array || array.operand !== 'C' || site.access === 'load') return
    const trail = trailsOf(launch, block, s).get(warp)
    for (let n = 0; trail && n < Math.min(trail.walk.kept, 1024); n++)
      for (const { at } of accessesOf(requestAt(launch, block, s, warp, n)))
        for (const e of elementsAt(array, site.bytes, at)) places.push(placeOf(array, e))
  })
  stored.set(key, places)
  return places
}

/* ---- making elements ---- */

function make(name, attributes, ...children) {
  const svg = name.startsWith('svg:')
  const e = svg ? document.createElementNS('http://www.w3.org/2000/svg', name.slice(4)) : document.createElement(name)
  for (const [key, value] of Object.entries(attributes || {}))
    if (value !== undefined && value !== null && value !== false) e.setAttribute(key, value)
  e.append(...children.filter(c => c !== null && c !== undefined))
  return e
}

const box = (style, x, y, width, height, hint) =>
  make('svg:rect', { class: style, x, y, width: Math.max(width, 0), height: Math.max(height, 0) },
    hint ? make('svg:title', {}, hint) : null)
const words = (style, anchor, x, y, text) => make('svg:text', { class: style, 'text-anchor': anchor, x, y }, text)
const wide = text => text.length * 7 + 2 /* at least what 12 px letters take */

function picture(width, height, label) {
  return make('svg:svg', { role: 'img', viewBox: `0 0 ${width} ${height}`, 'aria-label': label },
    make('svg:desc', {}, label))
}

const hue = lane => floorDiv(lane, 8) % 8
const range = (first, last) => (first === last ? `${first}` : `${first} to ${last}`)

/* ---- what is looked at ---- */

const state = { line: 0, access: 0, block: 0, warp: 0, step: 0, lane: -1 }
const parts = {} /* of the panel */
let list = []    /* the line's accesses */

const current = () => list[state.access]
const launchOf = access => data.launches[access.launch]
const siteOf = access => launchOf(access).sites[access.site]
const arrayOf = access => launchOf(access).arrays[siteOf(access).array]

function walkOf(access, warp) {
  const launch = launchOf(access)
  if (!launch.blocks[state.block]) return null
  const trail = trailsOf(launch, state.block, access.site).get(warp)
  return trail ? trail.walk : null
}

/* The most requests that a warp of the block makes at the site, and the most that were kept. */
function lengthOf(access) {
  let total = 0, kept = 0
  const launch = launchOf(access)
  if (launch.blocks[state.block])
    for (const { walk } of trailsOf(launch, state.block, access.site).values()) {
      total = Math.max(total, walk.total)
      kept = Math.max(kept, walk.kept)
    }
  return { total, kept }
}

/* Another access of the line at the same time: as far in its own walk as the chosen one is. */
function stepOf(access) {
  const mine = lengthOf(current()), other = lengthOf(access)
  return mine.total === other.total || !mine.total ? state.step : floorDiv(state.step * other.total, mine.total)
}

const requestOf = (access, warp) => launchOf(access).blocks[state.block]
  ? requestAt(launchOf(access), state.block, access.site, warp, stepOf(access)) : null

/* ---- in words ---- */

const verb = { load: 'load', store: 'store', atomic: 'update', copy: 'copy' }

function spread(values) {
  let low = Infinity, high = -Infinity
  for (const v of values) {
    low = Math.min(low, v)
    high = Math.max(high, v)
  }
  return [low, high]
}

function elementName(array, element) {
  if (!array.ld) return `${array.name}[${element}]`
  const p = placeOf(array, element)
  return `${array.name}[${p.row}][${p.column}]`
}

function sayPlaces(access, request) {
  const array = arrayOf(access), site = siteOf(access)
  const all = accessesOf(request).flatMap(({ at }) => elementsAt(array, site.bytes, at))
  if (!array.ld) return `elements ${range(...spread(all))}`
  const rows = spread(all.map(e => placeOf(array, e).row)), columns = spread(all.map(e => placeOf(array, e).column))
  return `row${rows[0] === rows[1] ? '' : 's'} ${range(...rows)}, column${columns[0] === columns[1] ? '' : 's'} ` +
    range(...columns)
}

function sayRequest(access, request) {
  const site = siteOf(access), array = arrayOf(access), count = lanesOf(request.shape).length
  return `${sameOrMore(count, 'lane')} ${verb[site.access]}${count === 1 ? 's' : ''} ${site.bytes} bytes` +
    `${count === 1 ? '' : ' each'} of ${array.name}: ${sayPlaces(access, request)}.`
}

/* A copy of 16 bytes passes L1 by: what it costs goes by where it arrives, too. */
const passesBy = site => site.access === 'copy' && site.bytes === 16

function sayCost(access, request) {
  const cost = costOf(launchOf(access), access.site, request)
  if (!cost) return ''
  if (passesBy(siteOf(access))) return `${sameOrMore(cost.count, cost.unit)} by address`
  return `${sameOrMore(cost.count, cost.unit)}${cost.count > cost.best ? `; ${cost.best} would do.` : ', the fewest there can be.'}`
}

function blockName(launch) {
  const at = launch.blocks[state.block].at
  return `(${launch.grid[2] > 1 ? at.join(', ') : at.slice(0, 2).join(', ')})`
}

/* Why there is nothing to show. */
function sayNothing() {
  if (!list.length) return `The simulator saw no access to global or shared memory at line ${state.line}.`
  const access = current(), launch = launchOf(access)
  if (!launch.blocks.length) return 'The simulator kept no request of this launch.'
  const warps = [...trailsOf(launch, state.block, access.site).keys()]
  const where = `block ${blockName(launch)}`
  if (!warps.length) return `No warp of ${where} makes this access, or there was no room to keep its requests.`
  const walk = walkOf(access, state.warp)
  if (!walk)
    return `Warp ${state.warp} of ${where} takes no part in this access. ` +
      `${warps.length === 1 ? `Only warp ${warps[0]} does.` : `Warps ${range(Math.min(...warps), Math.max(...warps))} do.`}`
  return `Of this warp's ${walk.total} requests the first ${walk.kept} were kept: those after them follow no rule that is short.`
}

/* ---- A, B and C ---- */

/* Along each axis the part that is shown. */
function windows(places, most) {
  const extent = { m: data.m, n: data.n, k: data.k }, shown = {}
  for (const axis of 'mnk') {
    const touched = places.touched.filter(p => axis in p).map(p => p[axis])
    const made = places.made.filter(p => axis in p).map(p => p[axis])
    let [low, high] = touched.length || made.length ? spread([...touched, ...made]) : [0, 0]
    if (touched.length && high - low >= most) [low, high] = spread(touched)
    low = Math.max(0, floorDiv(low, 8) * 8)
    high = Math.min(Math.max(Math.ceil((high + 1) / 8) * 8, low + 16), extent[axis]) - 1
    if (high - low < 15) low = Math.max(0, Math.min(low, high - 15))
    shown[axis] = { low, high: Math.min(high, low + most - 1) }
    shown[axis].count = shown[axis].high - shown[axis].low + 1
  }
  return shown
}

/* The elements of an operand, as runs along its rows within what is shown: one path. */
function cells(operand, elements, style, hint) {
  const { array, rows, columns, x, y, cell } = operand, seen = new Set()
  let path = ''
  for (const e of elements) {
    const p = placeOf(array, e)
    if (seen.has(e) || p.row < rows.low || p.row > rows.high || p.column < columns.low || p.column > columns.high) continue
    seen.add(e)
  }
  const sorted = [...seen].sort((a, b) => a - b)
  for (let i = 0; i < sorted.length;) {
    let end = i + 1
    const p = placeOf(array, sorted[i])
    while (end < sorted.length && sorted[end] === sorted[end - 1] + 1 && placeOf(array, sorted[end]).row === p.row) end++
    const left = x + (p.column - columns.low) * cell, top = y + (p.row - rows.low) * cell
    path += `M${left.toFixed(2)} ${top.toFixed(2)}h${((end - i) * cell).toFixed(2)}v${cell.toFixed(2)}h${(-(end - i) * cell).toFixed(2)}z`
    i = end
  }
  return path ? make('svg:path', { class: style, d: path, 'data-elements': `${array.name} ${sorted.join(' ')}` },
    hint ? make('svg:title', {}, hint) : null) : null
}

function sectorElements(array, bytes, accesses) {
  const list = new Set()
  for (const { at } of accesses)
    for (let s = floorDiv(at, SECTOR); s * SECTOR < at + bytes; s++)
      for (let e = floorDiv(s * SECTOR, array.element); e * array.element < (s + 1) * SECTOR; e++) list.add(e)
  return list
}

/* A grid of fine lines where cells are large enough to bear it. */
function gridLines({ rows, columns, x, y, cell }) {
  let path = ''
  const width = columns.count * cell, height = rows.count * cell
  if (cell >= 5) {
    for (let i = 1; i < columns.count; i++) path += `M${(x + i * cell).toFixed(2)} ${y}v${height.toFixed(2)}`
    for (let i = 1; i < rows.count; i++) path += `M${x} ${(y + i * cell).toFixed(2)}h${width.toFixed(2)}`
  }
  return path ? make('svg:path', { class: 'fine', d: path }) : null
}

/* What a line's accesses touch of one operand: {array, mine, others, made}. */
function touchesOf(letter) {
  const launch = launchOf(current())
  const array = launch.arrays.find(a => a.operand === letter)
  const touches = { array, mine: [], others: [] }
  if (!array) return touches
  for (const access of list) {
    if (arrayOf(access) !== array) continue
    for (let warp = 0; warp < warpsOf(launch); warp++) {
      const request = requestOf(access, warp)
      if (!request) continue
      const accesses = accessesOf(request), bytes = siteOf(access).bytes
      if (warp === state.warp) touches.mine.push({ access, bytes, accesses })
      else for (const { at } of accesses) touches.others.push(...elementsAt(array, bytes, at))
    }
  }
  return touches
}

function drawOperand(svg, operand, touches, made) {
  const { array, rows, columns, x, y, cell, letter } = operand
  const width = columns.count * cell, height = rows.count * cell
  svg.append(box('tile', x, y, width, height, `${array.name}, ${array.rows} x ${array.columns}`))
  if (made.length) {
    const output = cells(operand, made.map(p => p.row * array.ld + p.column), 'made', 'what this warp stores of C')
    if (output) svg.append(output)
  }
  for (const { bytes, accesses } of touches.mine) {
    const fetched = cells(operand, sectorElements(array, bytes, accesses), 'fetched', 'in a sector that is touched')
    if (fetched) svg.append(fetched)
  }
  const others = cells(operand, touches.others, 'others', 'touched by other warps of the block in this step')
  if (others) svg.append(others)
  const grid = gridLines(operand)
  if (grid) svg.append(grid)
  for (const { bytes, accesses } of touches.mine) {
    for (let h = 0; h < 8; h++) {
      const lit = accesses.filter(a => hue(a.lane) === h).flatMap(a => elementsAt(array, bytes, a.at))
      const path = cells(operand, lit, `lane-lit f${h}`, `lanes ${range(8 * h, 8 * h + 7)}`)
      if (path) svg.append(path)
    }
    const chosen = accesses.filter(a => a.lane === state.lane).flatMap(a => elementsAt(array, bytes, a.at))
    const path = cells(operand, chosen, 'chosen', `lane ${state.lane}`)
    if (path) svg.append(path)
  }
  svg.append(words('strong halo', 'end', x + width - 5, y + height - 6, array.name || letter))
}

/* The matrices as a whole, and on each the part that is shown beside. */
function drawWhole(svg, x, y, side, shown, arrays) {
  const { m, n, k } = data, gap = 4, unit = (side - gap) / Math.max(k + n, k + m)
  const least = 5, size = v => Math.max(v * unit, least)
  const areas = { A: [x, y + size(k) + gap, size(k), size(m)], B: [x + size(k) + gap, y, size(n), size(k)] }
  areas.C = [x + size(k) + gap, y + size(k) + gap, size(n), size(m)]
  for (const letter of 'ABC') {
    const [left, top, width, height] = areas[letter]
    svg.append(box('tile', left, top, width, height, `${letter} as a whole`))
    /* op(A), op(B) and C: the part is placed by m, n and k, however the operand is stored. */
    const down = { A: 'm', B: 'k', C: 'm' }[letter], across = { A: 'k', B: 'n', C: 'n' }[letter]
    const extent = { m, n, k }, sides = Math.max(shown[across].count / extent[across] * width, 3)
    const tall = Math.max(shown[down].count / extent[down] * height, 3)
    svg.append(box('here', Math.min(left + shown[across].low / extent[across] * width, left + width - sides),
      Math.min(top + shown[down].low / extent[down] * height, top + height - tall), sides, tall,
      `the part of ${letter} that is shown`))
    if (arrays && width > 24 && height > 18) svg.append(words('tick halo', 'middle', left + width / 2, top + height / 2 + 4, letter))
  }
}

function drawMatrices(width) {
  const launch = launchOf(current()), touches = {}, places = { touched: [], made: [] }
  const made = outputOf(launch, state.block, state.warp)
  for (const letter of 'ABC') {
    touches[letter] = touchesOf(letter)
    for (const { bytes, accesses } of touches[letter].mine)
      for (const { at } of accesses)
        for (const e of elementsAt(touches[letter].array, bytes, at)) places.touched.push(placeOf(touches[letter].array, e))
  }
  places.made = made
  if (!'ABC'.split('').every(l => touches[l].array) || !places.touched.length) return null
  const small = width < 500, left = small ? 30 : 38, foot = 18, head = 18
  const shown = windows(places, 132), least = small ? 66 : 84 /* the corner's side, for the matrices as a whole */
  const spanX = shown.k.count + shown.n.count, spanY = shown.k.count + shown.m.count
  const gap = left + 4, room = width - left - gap - 2
  const cell = Math.min(small ? 9 : 13, room / spanX, (room - least) / shown.n.count, 430 / spanY)
  const corner = Math.max(shown.k.count * cell, least)
  const x = left + corner - shown.k.count * cell, y = head + corner + 26
  const cx = left + corner + gap
  const heads = { A: [x, y, 'm', 'k'], B: [cx, head + corner - shown.k.count * cell, 'k', 'n'], C: [cx, y, 'm', 'n'] }
  const svg = picture(width, y + shown.m.count * cell + foot,
    'A on the left, B above, C below it: the elements that this warp touches are lit.')
  drawWhole(svg, left, head, corner, shown, true)
  for (const letter of 'ABC') {
    const [ox, oy, down, across] = heads[letter], array = touches[letter].array
    /* A transposed operand is stored the other way round: it is drawn as it is stored, in the place of its shape. */
    const turned = array.axes[0] !== down
    const operand = { letter, array, x: ox, y: oy, cell, rows: shown[array.axes[0]], columns: shown[array.axes[1]] }
    if (turned) {
      operand.cell = Math.min(cell, cell * shown[across].count / operand.columns.count, cell * shown[down].count / operand.rows.count)
    }
    drawOperand(svg, operand, touches[letter], letter === 'C' ? made : [])
    labelAxes(svg, letter, operand)
  }
  return svg
}

/* First and last row and column; C shares those of A and B. */
function labelAxes(svg, letter, { x, y, cell, rows, columns, array }) {
  const right = x + columns.count * cell, bottom = y + rows.count * cell
  const rowsFit = rows.count * cell > 30, columnsFit = columns.count * cell > wide(`${columns.low}`) + wide(`${columns.high}`) + 4
  if (letter !== 'C') {
    svg.append(words('tick', 'end', x - 4, y + 10, `${rows.low}`))
    if (rowsFit) svg.append(words('tick', 'end', x - 4, bottom - 1, `${rows.high}`))
  }
  const line = letter === 'B' ? y - 5 : bottom + 13
  if (letter === 'C') return
  svg.append(words('tick', 'start', x, line, `${columns.low}`))
  if (columnsFit) svg.append(words('tick', 'end', right, line, `${columns.high}`))
}

/* ---- lanes and sectors ---- */

function drawLanes(svg, launch, accesses, width, margin, top) {
  const pitch = (width - 2 * margin) / launch.warp, active = new Map(accesses.map(a => [a.lane, a]))
  svg.append(words('strong', 'start', margin, top - 8, `lanes of warp ${state.warp}`))
  for (let lane = 0; lane < launch.warp; lane++) {
    const on = active.has(lane), x = margin + lane * pitch
    const b = box(on ? `lane f${hue(lane)}` : 'idle', x + 0.5, top, pitch - 1, 18, `lane ${lane}${on ? '' : ': takes no part'}`)
    b.dataset.lane = lane
    svg.append(b)
    if (lane === state.lane) svg.append(box('chosen', x + 0.5, top - 1, pitch - 1, 20))
    if (lane % (pitch < 18 ? 8 : 4) === 0) svg.append(words('tick', 'start', x + 1, top + 31, `${lane}`))
  }
  return lane => margin + (lane + 0.5) * pitch
}

/* The lanes above, the touched sectors below, in order of their addresses; a gap where they are not neighbours. */
function drawSectors(access, request, width) {
  const launch = launchOf(access), array = arrayOf(access), bytes = siteOf(access).bytes, accesses = accessesOf(request)
  const touched = new Set()
  for (const { at } of accesses)
    for (let s = floorDiv(at, SECTOR); s * SECTOR < at + bytes; s++) touched.add(s)
  const sectors = [...touched].sort((a, b) => a - b), margin = 8, laneTop = 26, top = 128
  let jumps = 0
  sectors.forEach((s, i) => { jumps += i > 0 && s !== sectors[i - 1] + 1 })
  const gap = jumps > 40 ? 2 : width < 500 ? 3 : 7
  const slot = Math.min(96, (width - 2 * margin - jumps * gap) / sectors.length)
  const svg = picture(width, top + 62, `${sayRequest(access, request)} ${sayCost(access, request)}`)
  const laneAt = drawLanes(svg, launch, accesses, width, margin, laneTop), start = new Map()
  let x = margin, free = 0
  sectors.forEach((s, i) => {
    if (i > 0 && s !== sectors[i - 1] + 1) x += gap
    start.set(s, x)
    const element = floorDiv(s * SECTOR, array.element), name = elementName(array, element)
    const b = box('touched', x, top, slot, 26, `sector ${s}: bytes ${s * SECTOR} to ${s * SECTOR + SECTOR - 1}, from ${name} on`)
    b.dataset.sector = s
    svg.append(b)
    if (slot >= 36)
      for (let e = 1; e * array.element < SECTOR; e++)
        svg.append(make('svg:line', { class: 'fine', x1: x + slot * e * array.element / SECTOR, x2: x + slot * e * array.element / SECTOR, y1: top + 1, y2: top + 25 }))
    if ((i === 0 || s !== sectors[i - 1] + 1) && x >= free && x + wide(name) <= width) {
      svg.append(words('tick', 'start', x, top + 41, name))
      free = x + wide(name) + 8
    }
    x += slot
  })
  const place = at => {
    const s = floorDiv(at, SECTOR)
    return start.get(s) + (at - s * SECTOR) / SECTOR * slot
  }
  for (const { lane, at } of [...accesses].reverse()) {
    const from = laneAt(lane), to = place(at) + Math.min(bytes / SECTOR * slot, slot) / 2, y1 = laneTop + 36
    svg.append(make('svg:path', { class: `link l${hue(lane)}${lane === state.lane ? ' bold' : ''}`, d: `M${from} ${y1}C${from} ${y1 + 34} ${to} ${top - 30} ${to} ${top}` }))
    for (let done = 0; done < bytes;) { /* an access may reach into the next sector */
      const part = Math.min(bytes - done, SECTOR - (((at + done) % SECTOR) + SECTOR) % SECTOR)
      svg.append(box(`byte f${hue(lane)}`, place(at + done), top + 4, Math.max(part / SECTOR * slot - (slot > 36 ? 0.8 : 0), 1), 18,
        `lane ${lane}: ${elementName(array, floorDiv(at, array.element))}`))
      done += part
    }
    if (lane === state.lane) svg.append(box('chosen', place(at) - 1, top + 2, Math.max(Math.min(bytes, SECTOR) / SECTOR * slot, 3), 22))
  }
  svg.append(words('tick', 'start', margin, top + 58, `${sameOrMore(sectors.length, 'sector')} of ${array.name}, 32 bytes each${width < 500 ? '' : ', in the order of their addresses'}`))
  return svg
}

/* ---- banks ---- */

/* How many lanes from `first` on go over the banks at once (core/trace.h has the rule). */
function lanesAtOnce(byLane, warp, first, bytes, loads) {
  const group = bytes <= 4 ? BANKS : BANKS * 4 / bytes
  if (bytes <= 4 || !loads || first % (2 * group) !== 0 || first + 2 * group > warp) return group
  for (let apart = 1; apart <= 2; apart++) {
    let shared = true
    for (let i = first; i < first + 2 * group && shared; i++)
      shared = !byLane.has(i) || !byLane.has(i ^ apart) || byLane.get(i) === byLane.get(i ^ apart)
    if (shared) return 2 * group
  }
  return group
}

/* [{first, last, words: distinct ones by bank, wavefronts}, …] */
function phasesOf(access, request) {
  const site = siteOf(access), warp = launchOf(access).warp, phases = []
  const byLane = new Map(accessesOf(request).map(a => [a.lane, a.at]))
  for (let first = 0; first < warp;) {
    const next = first + lanesAtOnce(byLane, warp, first, site.bytes, site.access === 'load'), seen = new Set()
    const phase = { first, last: Math.min(next, warp) - 1, words: new Array(BANKS).fill(0), wavefronts: 0 }
    for (let lane = first; lane < next; lane++)
      for (let w = floorDiv(byLane.get(lane), WORD); byLane.has(lane) && w * WORD < byLane.get(lane) + site.bytes; w++)
        seen.add(w)
    for (const w of seen) phase.words[((w % BANKS) + BANKS) % BANKS]++
    phase.wavefronts = Math.max(...phase.words)
    if (seen.size) phases.push(phase)
    first = next
  }
  return phases
}

const heat = count => (count === 0 ? 0 : count === 1 ? 1 : count <= 2 ? 2 : count <= 8 ? 3 : 4)

/* The touched rows of 32 words, with a mark where rows are left out; the words by their lanes' hues. */
function drawShared(access, request, width) {
  const launch = launchOf(access), array = arrayOf(access), bytes = siteOf(access).bytes, accesses = accessesOf(request)
  const rowOf = word => floorDiv(word, BANKS), touched = new Set(), wordsOf = at => {
    const list = []
    for (let w = floorDiv(at, WORD); w * WORD < at + bytes; w++) list.push(w)
    return list
  }
  for (const { at } of accesses) for (const w of wordsOf(at)) touched.add(rowOf(w))
  const rows = [...touched].sort((a, b) => a - b), phases = phasesOf(access, request)
  const cost = costOf(launch, access.site, request)
  const agrees = cost && phases.reduce((sum, p) => sum + p.wavefronts, 0) === cost.count
  const margin = 8, left = width < 500 ? 38 : 66, pitch = (width - left - margin) / BANKS
  const cell = Math.max(7, Math.min(pitch, rows.length > 16 ? 10 : 16)), laneTop = 26, top = 104
  let height = top + 14, y = top
  const at = new Map()
  rows.forEach((r, i) => {
    if (i > 0 && r !== rows[i - 1] + 1) y += 6
    at.set(r, y)
    y += cell
  })
  const loadTop = y + 34
  height = loadTop + (agrees ? phases.length * 30 + 6 : 0) + 18
  const svg = picture(width, height, `${sayRequest(access, request)} ${sayCost(access, request)}`)
  drawLanes(svg, launch, accesses, width, margin, laneTop)
  if (width >= 500) svg.append(words('tick', 'start', margin, top - 6, 'bank'))
  for (let b = 0; b < BANKS; b += width < 500 ? 8 : 4) svg.append(words('tick', 'middle', left + (b + 0.5) * pitch, top - 6, `${b}`))
  let free = 0
  rows.forEach(r => {
    for (let b = 0; b < BANKS; b++) svg.append(box('sector', left + b * pitch, at.get(r), pitch, cell))
    if (at.get(r) + cell - 1 < free) return
    svg.append(words('tick', 'end', left - 4, at.get(r) + cell / 2 + 4, `${floorDiv(r * BANKS * WORD, array.element)}`))
    free = at.get(r) + cell + 12
  })
  for (const { lane, at: start } of [...accesses].reverse())
    for (const w of wordsOf(start)) {
      const b = ((w % BANKS) + BANKS) % BANKS
      const lit = box(`byte f${hue(lane)}`, left + b * pitch + 0.5, at.get(rowOf(w)) + 0.5, pitch - 1, cell - 1,
        `lane ${lane}: ${elementName(array, floorDiv(start, array.element))}, bank ${b}`)
      svg.append(lit)
      if (lane === state.lane) svg.append(box('chosen', left + b * pitch, at.get(rowOf(w)), pitch, cell))
    }
  svg.append(words('tick', 'start', margin, y + 16, `${array.name} over the banks: 32 words a row${width < 500 ? '' : ', touched rows only'}`))
  phases.forEach((p, i) => {
    if (!agrees) return
    const py = loadTop + i * 30
    if (width >= 500) svg.append(words('tick', 'start', margin, py + 14, `${p.first}-${p.last}`))
    for (let b = 0; b < BANKS; b++) {
      svg.append(box(`cell heat${heat(p.words[b])}`, left + b * pitch, py, pitch, 20, `bank ${b}, lanes ${range(p.first, p.last)}: ${sameOrMore(p.words[b], 'distinct word')}`))
      if (p.words[b] && pitch >= 15) svg.append(words('on', 'middle', left + (b + 0.5) * pitch, py + 14, `${p.words[b]}`))
    }
  })
  if (agrees)
    svg.append(words('tick', 'start', margin, height - 6,
      `distinct words of each bank${width < 500 ? '' : '; in each phase the fullest sets the wavefronts'}`))
  return svg
}

/* ---- the table of lanes ---- */

function threadName(launch, warp, lane) {
  const linear = warp * launch.warp + lane, [bx, by, bz] = launch.block
  const at = [linear % bx, floorDiv(linear, bx) % by, floorDiv(linear, bx * by)]
  return bz > 1 ? `(${at.join(', ')})` : by > 1 ? `(${at[0]}, ${at[1]})` : `${at[0]}`
}

function laneTable(access, request) {
  const launch = launchOf(access), array = arrayOf(access), shared = siteOf(access).space === 'shared'
  const row = (tag, values) => make('tr', {}, ...values.map(v => make(tag, tag === 'th' ? { scope: 'col' } : {}, `${v}`)))
  const body = make('tbody')
  for (const { lane, at } of accessesOf(request)) {
    const r = row('td', [lane, threadName(launch, state.warp, lane), elementName(array, floorDiv(at, array.element)), at,
      shared ? ((floorDiv(at, WORD) % BANKS) + BANKS) % BANKS : floorDiv(at, SECTOR)])
    r.dataset.at = at
    body.append(r)
  }
  return make('table', { class: 'lanes' },
    make('thead', {}, row('th', ['lane', 'thread', 'first element', 'byte', shared ? 'bank' : 'sector'])), body)
}

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

/* Lines that fill or read the same shared array. */
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
    parts.say.replaceChildren(sayNothing())
    return
  }
  const cost = costOf(launchOf(access), access.site, request), shared = siteOf(access).space === 'shared'
  parts.say.replaceChildren(`Warp ${state.warp} of block ${blockName(launchOf(access))}, step ${state.step}: ${sayRequest(access, request)} `)
  if (cost) {
    parts.cost.className = `badge ${cost.count >= 2 * cost.best ? 'bad' : cost.count > cost.best ? 'warn' : 'good'}`
    parts.cost.textContent = sayCost(access, request)
    parts.say.append(parts.cost)
  }
  const width = Math.max(280, Math.floor(panel.clientWidth))
  const matrices = drawMatrices(width)
  if (matrices) parts.matrices.append(matrices)
  parts.lanes.append(shared ? drawShared(access, request, width) : drawSectors(access, request, width))
  drawLegend(matrices, shared)
  parts.related.append(...sayRelated(access))
  parts.table.lastChild.append(laneTable(access, request))
}

function lineText(line) {
  const row = document.getElementById(`line-${line}`), code = row && row.querySelector('code')
  return code ? code.textContent.trim() : ''
}

/* The lines before and after this one that touch memory. */
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

/* Takes what is new; another line keeps the block and the warp, and is as far in its walk as the last one was. */
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

/* A person changed something: the address says so, without a new entry in the history. */
function keep() {
  try {
    history.replaceState(null, '', address())
  } catch (refused) {
    /* Some browsers keep the address of a file as it is. */
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

/* Each line of the listing gets a button; the whole row may be clicked. */
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
})()
