/* walk_model.js: the data of the page's script: the requests that the simulator has recorded, the
 * current selection, and its description in words.
 * SPDX-License-Identifier: MIT
 *
 * Every address and every count comes from the simulator (walk_data.c writes them into #walk-data).
 * A *site* is an access of the source. A *walk* is the list of a warp's requests at a site: runs of
 * requests a stride apart, which repeat with a shift. A *shape* describes the positions of the
 * lanes of a request relative to each other. */
'use strict'

const data = JSON.parse(document.getElementById('walk-data').textContent)
const WORD = 4
/* A site of an AMD GPU defines its sectors and banks; NVIDIA's GPUs all have the same. */
const SECTOR = data.launches.flatMap(launch => launch.sites).map(site => site.sector).find(Boolean) || 32
const banksOf = site => site.banks || 32

/* ---- what the simulator recorded ---- */

const numbers = text => (text ? text.split(' ').map(Number) : [])
const floorDiv = (a, b) => Math.floor(a / b)
const counted = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`

/* [[lane, bytes from the lowest], …] */
function lanesOf(shape) {
  if (shape.list) return shape.list
  const runs = numbers(shape.lanes)
  shape.list = []
  for (let i = 0; i < runs.length; i += 4)
    for (let j = 0; j < runs[i + 1]; j++) shape.list.push([runs[i] + j, runs[i + 2] + j * runs[i + 3]])
  return shape.list
}

/* A Map from warp to its walk and the position of the first request. */
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

/* The warp's request number n at a site: {shape, low}; null if none was recorded. */
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

/* The counted cost of the request; null if it was not counted. */
function costOf(launch, site, request) {
  if (launch.sites[site].space === 'shared')
    return { count: request.shape.wavefronts, best: request.shape.best, unit: 'wavefront' }
  const known = numbers(request.shape.sectors), residue = ((request.low % SECTOR) + SECTOR) % SECTOR
  for (let i = 0; i < known.length; i += 2)
    if (known[i] === residue) return { count: known[i + 1], best: request.shape.best, unit: 'sector' }
  return null
}

/* The elements that an access of this many bytes touches, as indices into the array. */
function elementsAt(array, bytes, at) {
  const list = []
  for (let e = floorDiv(at, array.element); e * array.element < at + bytes; e++) list.push(e)
  return list
}

/* The position of an element in a matrix, by the names of its axes: {m: 3, k: 7}. */
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

/* ---- the selection ---- */

const state = { line: 0, access: 0, block: 0, warp: 0, step: 0, lane: -1 }
const parts = {} /* the elements of the panel */
let list = []    /* the accesses of the line */

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

/* The maximal number of requests that a warp of the block makes at the site, and that were
 * recorded. */
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

/* The step of another access of the line at the same time: at the same fraction of its own walk. */
function stepOf(access) {
  const mine = lengthOf(current()), other = lengthOf(access)
  return mine.total === other.total || !mine.total ? state.step : floorDiv(state.step * other.total, mine.total)
}

const requestOf = (access, warp) => launchOf(access).blocks[state.block]
  ? requestAt(launchOf(access), state.block, access.site, warp, stepOf(access)) : null

/* ---- the description in words ---- */

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

/* The page of an AMD GPU has the words of AMD's documents. What is called a wavefront elsewhere on
 * this page, a turn of the banks, is a pass there. Names of arrays stay. */
const AMD_WORDS = { warp: 'wavefront', warps: 'wavefronts', Warp: 'Wavefront', Warps: 'Wavefronts', 'shared memory': 'LDS',
  wavefront: 'pass', wavefronts: 'passes' }
function inWords(text) {
  if (!data.amd || typeof text !== 'string') return text
  const names = new Set(data.launches.flatMap(l => l.arrays.map(a => a.name)))
  return text.replace(/\b(?:[Ww]arps?|wavefronts?|shared memory)\b/g, word => names.has(word) ? word : AMD_WORDS[word])
}


function sayRequest(access, request) {
  const site = siteOf(access), array = arrayOf(access), count = lanesOf(request.shape).length
  return `${counted(count, 'lane')} ${verb[site.access]}${count === 1 ? 's' : ''} ${site.bytes} bytes` +
    `${count === 1 ? '' : ' each'} of ${array.name}: ${sayPlaces(access, request)}.`
}

/* A copy of 16 bytes bypasses L1, so its cost depends on its place in shared memory, too. */
const passesBy = site => site.access === 'copy' && site.bytes === 16

function sayCost(access, request) {
  const cost = costOf(launchOf(access), access.site, request)
  if (!cost) return ''
  if (passesBy(siteOf(access))) return `${counted(cost.count, cost.unit)} by address`
  return `${counted(cost.count, cost.unit)}${cost.count > cost.best ? `; ${cost.best} would do.` : ', the fewest there can be.'}`
}

function blockName(launch) {
  const at = launch.blocks[state.block].at
  return `(${launch.grid[2] > 1 ? at.join(', ') : at.slice(0, 2).join(', ')})`
}

/* Explains why there is nothing to show. */
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
