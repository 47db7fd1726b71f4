/* walk_code.js: the source next to its machine code. A click on a row of one highlights the
 * corresponding rows of the other, and scrolls to them.
 * SPDX-License-Identifier: MIT
 *
 * Corresponding rows have the same class (explain_code.c). Without scripts, links lead from each to
 * the other. */
'use strict'

const views = [...document.querySelectorAll('.machine')]
const groupOf = row => row.classList.item(0)
const paneOf = row => row.closest('.scroll')

function mark(row, style) {
  for (const view of views) {
    view.querySelectorAll(`.${style}`).forEach(r => r.classList.remove(style))
    if (row && view.contains(row)) view.querySelectorAll(`.${groupOf(row)}`).forEach(r => r.classList.add(style))
  }
}

/* Scrolls a pane, but not the page, until the row is visible. */
function bring(row) {
  const pane = paneOf(row), frame = pane.getBoundingClientRect(), at = row.getBoundingClientRect()
  const head = pane.querySelector('thead').offsetHeight
  if (at.top < frame.top + head || at.bottom > frame.bottom)
    pane.scrollTop += at.top - frame.top - head - Math.max(0, (frame.height - head) / 4)
}

/* Highlights a row and the corresponding ones, and scrolls to the first of these if none is
 * visible. */
function show(row) {
  const others = [...row.closest('.machine').querySelectorAll(`.${groupOf(row)}`)].filter(r => paneOf(r) !== paneOf(row))
  const seen = others.some(r => {
    const frame = paneOf(r).getBoundingClientRect(), at = r.getBoundingClientRect()
    return at.top >= frame.top && at.bottom <= frame.bottom
  })
  mark(row, 'lit')
  if (others.length && !seen) bring(others[0])
}

/* A link from one pane to the other selects the row that it is in; that of a branch selects its
 * target. */
function chosen(target) {
  const link = target.closest('a'), row = target.closest('tr[id]')
  const to = link && document.getElementById(link.hash.slice(1))
  return to && row && paneOf(to) === paneOf(row) ? to : row
}

function followCode() {
  const row = location.hash.length > 1 && document.getElementById(location.hash.slice(1))
  if (!row || !row.closest('.machine')) return
  show(row)
  bring(row)
}

for (const view of views) {
  view.classList.add('live')
  view.addEventListener('click', e => {
    const row = chosen(e.target), link = e.target.closest('a')
    if (!row || (!link && !getSelection().isCollapsed)) return
    e.preventDefault()
    show(row)
    if (link) bring(row)
    try {
      history.replaceState(null, '', `#${row.id}`)
    } catch (refused) {
      /* Some browsers do not allow changing the address of a local file. */
    }
  })
  for (const [event, on] of [['mouseover', true], ['mouseleave', false], ['focusin', true], ['focusout', false]])
    view.addEventListener(event, e => mark(on ? e.target.closest('tr[id]') : null, 'near'))
  view.addEventListener('keydown', e => {
    const link = e.target.closest('a'), step = { ArrowUp: -1, ArrowDown: 1 }[e.key]
    if (!link || !step) return
    const links = [...paneOf(link).querySelectorAll('td a')], next = links[links.indexOf(link) + step]
    if (next) next.focus()
    e.preventDefault()
  })
  /* The long pane is one stop of the tab key; arrow keys move within it. */
  view.querySelectorAll('.code-machine tr:not(:first-child) a').forEach(a => { a.tabIndex = -1 })
}
followCode()
addEventListener('hashchange', followCode)
