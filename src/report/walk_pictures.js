/* walk_pictures.js: draws one request: A, B and C, lanes and sectors, banks, and a table. All data
 * come from walk_model.js. SPDX-License-Identifier: MIT */
'use strict'

/* ---- making elements ---- */

function make(name, attributes, ...children) {
  const svg = name.startsWith('svg:')
  const e = svg ? document.createElementNS('http://www.w3.org/2000/svg', name.slice(4)) : document.createElement(name)
  for (const [key, value] of Object.entries(attributes || {}))
    if (value !== undefined && value !== null && value !== false) e.setAttribute(key, key === 'aria-label' ? inWords(value) : value)
  e.append(...children.filter(c => c !== null && c !== undefined).map(inWords))
  return e
}

const box = (style, x, y, width, height, hint) =>
  make('svg:rect', { class: style, x, y, width: Math.max(width, 0), height: Math.max(height, 0) },
    hint ? make('svg:title', {}, hint) : null)
const words = (style, anchor, x, y, text) => make('svg:text', { class: style, 'text-anchor': anchor, x, y }, text)
const wide = text => text.length * 7 + 2 /* an estimate of the width of letters of 12 px */

function picture(width, height, label) {
  return make('svg:svg', { role: 'img', viewBox: `0 0 ${width} ${height}`, 'aria-label': label },
    make('svg:desc', {}, label))
}

const hue = lane => floorDiv(lane, 8) % 8
const range = (first, last) => (first === last ? `${first}` : `${first} to ${last}`)

/* ---- A, B and C ---- */

/* The part that is shown, along each axis. */
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

/* Draws the elements of an operand, as runs along its rows within the part that is shown, as one
 * path. */
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

/* Draws a grid of fine lines if the cells are large enough. */
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

/* Draws the whole matrices, with the part that is shown next to them. */
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
  const shown = windows(places, 132), least = small ? 66 : 84 /* the corner that shows whole matrices */
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
    /* A transposed operand is drawn as it is stored, in the position that its shape has in the
     * product. */
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

/* Labels the first and last row and column; C shares those of A and B. */
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

/* Draws the lanes above, and the touched sectors below in the order of their addresses, with a gap
 * where they are not adjacent. */
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
  svg.append(words('tick', 'start', margin, top + 58, `${counted(sectors.length, 'sector')} of ${array.name}, ${SECTOR} bytes each${width < 500 ? '' : ', in the order of their addresses'}`))
  return svg
}

/* ---- banks ---- */

/* The number of lanes, from `first` on, that an NVIDIA GPU's banks serve at once (the rule is in
 * records/access_rules.h). */
function lanesAtOnce(byLane, warp, first, bytes, loads) {
  const group = bytes <= 4 ? 32 : 32 * 4 / bytes
  if (bytes <= 4 || !loads || first % (2 * group) !== 0 || first + 2 * group > warp) return group
  for (let apart = 1; apart <= 2; apart++) {
    let shared = true
    for (let i = first; i < first + 2 * group && shared; i++)
      shared = !byLane.has(i) || !byLane.has(i ^ apart) || byLane.get(i) === byLane.get(i ^ apart)
    if (shared) return 2 * group
  }
  return group
}

/* The lanes that are served at once, in the order of the phases: [[lane, …], …]. */
function lanesByPhase(site, warp, byLane) {
  const phases = []
  if (!site.phases) {
    for (let first = 0; first < warp;) {
      const next = Math.min(first + lanesAtOnce(byLane, warp, first, site.bytes, site.access === 'load'), warp)
      phases.push(Array.from({ length: next - first }, (_, i) => first + i))
      first = next
    }
    return phases
  }
  const quads = numbers(site.phases), each = Math.max(...quads) + 1
  for (let lane = 0; lane < warp; lane++) {
    const phase = floorDiv(lane, 32) * each + quads[floorDiv(lane % 32, 4)]
    phases[phase] = [...(phases[phase] || []), lane]
  }
  return phases
}

/* Writes [0, 1, 2, 3, 20, 21] as "0-3, 20-21". */
function rangesOf(lanes) {
  const ranges = []
  for (const lane of lanes)
    if (ranges.length && ranges[ranges.length - 1][1] === lane - 1) ranges[ranges.length - 1][1] = lane
    else ranges.push([lane, lane])
  return ranges
}

/* [{ranges: of lanes, words: distinct words by bank, wavefronts}, …] */
function phasesOf(access, request) {
  const site = siteOf(access), warp = launchOf(access).warp, banks = banksOf(site), phases = []
  const byLane = new Map(accessesOf(request).map(a => [a.lane, a.at]))
  for (const lanes of lanesByPhase(site, warp, byLane)) {
    const phase = { ranges: rangesOf(lanes), words: new Array(banks).fill(0), wavefronts: 0 }, seen = new Set()
    for (const lane of lanes)
      for (let w = floorDiv(byLane.get(lane), WORD); byLane.has(lane) && w * WORD < byLane.get(lane) + site.bytes; w++)
        seen.add(w)
    for (const w of seen) phase.words[((w % banks) + banks) % banks]++
    phase.wavefronts = Math.max(...phase.words)
    if (seen.size) phases.push(phase)
  }
  return phases
}

const heat = count => (count === 0 ? 0 : count === 1 ? 1 : count <= 2 ? 2 : count <= 8 ? 3 : 4)

/* Draws the touched rows of shared memory, one word per bank, with a mark where rows are left out,
 * and with the colours of the lanes. */
function drawShared(access, request, width) {
  const launch = launchOf(access), array = arrayOf(access), bytes = siteOf(access).bytes, accesses = accessesOf(request)
  const banks = banksOf(siteOf(access)), rowOf = word => floorDiv(word, banks), touched = new Set(), wordsOf = at => {
    const list = []
    for (let w = floorDiv(at, WORD); w * WORD < at + bytes; w++) list.push(w)
    return list
  }
  for (const { at } of accesses) for (const w of wordsOf(at)) touched.add(rowOf(w))
  const rows = [...touched].sort((a, b) => a - b), phases = phasesOf(access, request)
  const cost = costOf(launch, access.site, request)
  const agrees = cost && phases.reduce((sum, p) => sum + p.wavefronts, 0) === cost.count
  const margin = 8, left = width < 500 ? 38 : 66, pitch = (width - left - margin) / banks
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
  for (let b = 0; b < banks; b += width < 500 ? 8 : 4) svg.append(words('tick', 'middle', left + (b + 0.5) * pitch, top - 6, `${b}`))
  let free = 0
  rows.forEach(r => {
    for (let b = 0; b < banks; b++) svg.append(box('sector', left + b * pitch, at.get(r), pitch, cell))
    if (at.get(r) + cell - 1 < free) return
    svg.append(words('tick', 'end', left - 4, at.get(r) + cell / 2 + 4, `${floorDiv(r * banks * WORD, array.element)}`))
    free = at.get(r) + cell + 12
  })
  for (const { lane, at: start } of [...accesses].reverse())
    for (const w of wordsOf(start)) {
      const b = ((w % banks) + banks) % banks
      const lit = box(`byte f${hue(lane)}`, left + b * pitch + 0.5, at.get(rowOf(w)) + 0.5, pitch - 1, cell - 1,
        `lane ${lane}: ${elementName(array, floorDiv(start, array.element))}, bank ${b}`)
      svg.append(lit)
      if (lane === state.lane) svg.append(box('chosen', left + b * pitch, at.get(rowOf(w)), pitch, cell))
    }
  svg.append(words('tick', 'start', margin, y + 16, `${array.name} over the banks: ${banks} words a row${width < 500 ? '' : ', touched rows only'}`))
  phases.forEach((p, i) => {
    if (!agrees) return
    const py = loadTop + i * 30
    if (width >= 500) svg.append(words('tick', 'start', margin, py + 14, p.ranges.map(([from, to]) => `${from}-${to}`).join(', ')))
    for (let b = 0; b < banks; b++) {
      svg.append(box(`cell heat${heat(p.words[b])}`, left + b * pitch, py, pitch, 20, `bank ${b}, lanes ${p.ranges.map(([from, to]) => range(from, to)).join(', ')}: ${counted(p.words[b], 'distinct word')}`))
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
  const banks = banksOf(siteOf(access))
  const row = (tag, values) => make('tr', {}, ...values.map(v => make(tag, tag === 'th' ? { scope: 'col' } : {}, `${v}`)))
  const body = make('tbody')
  for (const { lane, at } of accessesOf(request)) {
    const r = row('td', [lane, threadName(launch, state.warp, lane), elementName(array, floorDiv(at, array.element)), at,
      shared ? ((floorDiv(at, WORD) % banks) + banks) % banks : floorDiv(at, SECTOR)])
    r.dataset.at = at
    body.append(r)
  }
  return make('table', { class: 'lanes' },
    make('thead', {}, row('th', ['lane', 'thread', 'first element', 'byte', shared ? 'bank' : 'sector'])), body)
}
