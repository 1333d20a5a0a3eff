// Draws the report in a browser. Texts are from services, servers and models: they are set as text, never as markup.
'use strict'
{
  const data = JSON.parse(document.getElementById('data').textContent)
  const ROWS = 100
  const FILTERS = ['text', 'class', 'run', 'case']
  const NAMES = [...FILTERS, 'trial']

  /** Adds an element with a text and attributes. */
  const add = (parent, tag, text, attributes = {}) => {
    const made = document.createElement(tag)
    if (text !== undefined) made.textContent = text
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
    parent.append(made)
    return made
  }

  /** The filters and the open trial are in the address, so that a link shows what its sender saw. */
  const read = () => {
    const words = new URLSearchParams(location.hash.slice(1))
    return Object.fromEntries(NAMES.map(name => [name, words.get(name) ?? '']))
  }
  const write = change => {
    const entries = Object.entries({ ...read(), ...change }).filter(([, value]) => value !== '')
    location.replace(`#${new URLSearchParams(entries)}`)
  }

  const duration = ms =>
    ms === undefined ? '' : ms < 1000 ? `${Math.round(ms)}ms` : `${(Math.floor(ms / 100) / 10).toFixed(1)}s`
  const count = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`
  const drawn = document.getElementById('drawn')

  /** Draws the first rows of a long list, and the rest when asked. */
  const inParts = (parent, items, draw, from = 0) => {
    for (const item of items.slice(from, from + ROWS)) draw(item)
    const rest = items.length - from - ROWS
    if (rest <= 0) return
    const more = add(parent, 'button', `Show ${Math.min(rest, ROWS)} more of ${rest}`, { type: 'button' })
    more.addEventListener('click', () => {
      more.remove()
      inParts(parent, items, draw, from + ROWS)
    })
  }

  const heatMap = () => {
    const section = add(drawn, 'section')
    add(section, 'h2', 'Cases and runs')
    const help = 'Each cell is how many trials passed. Arrow keys move between cells, Enter shows the trials.'
    add(section, 'p', help, { class: 'muted' })
    const wide = add(section, 'div', undefined, { class: 'wide' })
    const table = add(wide, 'table', undefined, { class: 'heat' })
    const head = add(add(table, 'thead'), 'tr')
    add(head, 'th', 'Case', { scope: 'col' })
    for (const { name, isWhole } of data.runs) add(head, 'th', isWhole ? name : `${name} (not whole)`, { scope: 'col' })
    const cells = new Map()
    for (const trial of data.trials) {
      const key = `${trial.case} ${trial.run}`
      const cell = cells.get(key) ?? { passed: 0, failing: 0, total: 0 }
      cell.total += 1
      if (trial.class === 'passed') cell.passed += 1
      if (data.classes[trial.class].isFailing) cell.failing += 1
      cell.flaky ??= trial.flaky
      cells.set(key, cell)
    }
    const body = add(table, 'tbody')
    const drawRow = ({ name, index }) => {
      const row = add(body, 'tr')
      add(row, 'th', name, { scope: 'row' })
      for (const run of data.runs.keys()) drawCell(add(row, 'td'), cells.get(`${index} ${run}`), index, run)
    }
    const drawCell = (place, cell, index, run) => {
      if (!cell) return void add(place, 'span', data.runs[run].isWhole ? 'not run' : 'not read', { class: 'muted' })
      const { passed, failing, total, flaky } = cell
      const state = flaky ? 'open' : passed === total ? 'passed' : failing > 0 ? 'failed' : 'open'
      const sign = flaky ? '≠' : state === 'passed' ? '✓' : state === 'open' ? '?' : passed > 0 ? '≠' : '✗'
      const words = `${passed} of ${count(total, 'trial')} passed${flaky ? `; flaky, passed in ${flaky}` : ''}`
      const label = `${data.cases[index]}, ${data.runs[run].name}: ${words}`
      const button = add(place, 'button', `${sign} ${passed}/${total}`, { type: 'button', class: 'cell' })
      button.dataset.state = state
      button.setAttribute('aria-label', label)
      button.title = label
      // One stop of the Tab key for the whole table.
      button.tabIndex = body.querySelector('.cell') === button ? 0 : -1
      button.addEventListener('click', () => {
        write({ case: String(index), run: String(run), class: '', text: '', trial: '' })
        document.getElementById('trials').scrollIntoView()
      })
    }
    inParts(
      wide,
      [...data.cases].map((name, index) => ({ name, index })),
      drawRow,
    )
    table.addEventListener('keydown', event => moveInTable(event, body))
  }

  const moveInTable = (event, body) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key]
    const cell = event.target.closest('td')
    if (!step || !cell) return
    event.preventDefault()
    const row = cell.parentElement
    let [down, across] = [row.sectionRowIndex + step[0], cell.cellIndex + step[1]]
    let next
    // Skips cells of cases that were not run.
    for (; (next = body.rows[down]?.cells[across]); down += step[0], across += step[1]) {
      const button = next.querySelector('button')
      if (!button) continue
      event.target.tabIndex = -1
      button.tabIndex = 0
      button.focus()
      return
    }
  }

  const changeTable = () => {
    if (data.changes.length === 0) return
    const section = add(drawn, 'section')
    add(section, 'h2', 'Changes against the base')
    const table = add(section, 'table')
    const head = add(add(table, 'thead'), 'tr')
    for (const title of ['Case', 'Change', 'Before', 'Run']) add(head, 'th', title, { scope: 'col' })
    const body = add(table, 'tbody')
    inParts(section, data.changes, ({ title, change, before, flaky, run }) => {
      const row = add(body, 'tr')
      add(row, 'th', title, { scope: 'row' })
      for (const text of [change.replace('-', ' ') + (flaky ? ', flaky' : ''), before, data.runs[run].name])
        add(row, 'td', text)
    })
  }

  const choice = (form, label, name, options) => {
    const select = add(add(form, 'label', label), 'select', undefined, { name })
    for (const [value, text] of [['', 'all'], ...options]) add(select, 'option', text, { value })
  }

  const FAILING = 'not-passed'
  const trialSection = () => {
    const section = add(drawn, 'section', undefined, { id: 'trials', tabindex: '-1' })
    add(section, 'h2', 'Trials')
    const form = add(section, 'form', undefined, { class: 'filters' })
    add(add(form, 'label', 'Text'), 'input', undefined, { name: 'text', type: 'search' })
    const used = new Set(data.trials.map(trial => trial.class))
    const classes = Object.entries(data.classes).filter(([name]) => used.has(name))
    const failing = classes.some(([, each]) => each.isFailing) ? [[FAILING, 'all that did not pass']] : []
    choice(form, 'Result', 'class', [...failing, ...classes.map(([name, { word }]) => [name, word])])
    choice(
      form,
      'Run',
      'run',
      data.runs.map(({ name }, index) => [String(index), name]),
    )
    choice(
      form,
      'Case',
      'case',
      data.cases.slice(0, ROWS).map((name, index) => [String(index), name]),
    )
    const clear = add(form, 'button', 'Show all trials', { type: 'button' })
    clear.addEventListener('click', () => write(Object.fromEntries(NAMES.map(name => [name, '']))))
    form.addEventListener('submit', event => event.preventDefault())
    form.addEventListener('input', event => write({ [event.target.name]: event.target.value, trial: '' }))
    const status = add(section, 'p', '', { role: 'status' })
    return { form, status, list: add(section, 'div') }
  }

  const matches = state => {
    const text = state.text.toLowerCase()
    const words = trial => [data.cases[trial.case], trial.why, trial.model, trial.id].join('\n').toLowerCase()
    return trial =>
      (state.run === '' || trial.run === Number(state.run)) &&
      (state.case === '' || trial.case === Number(state.case)) &&
      (state.class === '' ||
        trial.class === state.class ||
        (state.class === FAILING && data.classes[trial.class].isFailing)) &&
      (text === '' || words(trial).includes(text))
  }

  const parts = (parent, title, list) => {
    const box = add(parent, 'div')
    add(box, 'h3', title)
    if (!list) add(box, 'p', 'none', { class: 'muted' })
    for (const { name, word, text } of list ?? []) {
      add(box, 'div', word ? `${name}: ${word}` : name)
      if (text) add(box, 'pre', text, { tabindex: '0' })
    }
  }

  const waterfall = (inside, { spans, moreSpans, isTraced }) => {
    add(inside, 'h3', isTraced ? 'Trace' : 'Calls')
    if (!isTraced) add(inside, 'p', 'Only the listed calls: the trace of this trial was not read.', { class: 'muted' })
    const end = Math.max(1, ...spans.map(({ at, ms }) => at + ms))
    const body = add(add(inside, 'table', undefined, { class: 'fall' }), 'tbody')
    for (const { name, depth, status, at, ms } of spans) {
      const row = add(body, 'tr')
      row.dataset.status = status
      add(row, 'td', name).style.paddingLeft = `${depth}rem`
      add(row, 'td', `${duration(ms)} ${status}`)
      const bar = add(add(row, 'td'), 'div', undefined, { class: 'bar' })
      bar.title = `${duration(at)} to ${duration(at + ms)}`
      bar.style.marginLeft = `${(at / end) * 100}%`
      bar.style.width = `${(ms / end) * 100}%`
    }
    if (moreSpans) add(inside, 'p', `… ${moreSpans} more`, { class: 'muted' })
  }

  const fill = (details, trial) => {
    if (details.querySelector('.inside')) return
    const inside = add(details, 'div', undefined, { class: 'inside' })
    const facts = [data.runs[trial.run].name, trial.model, trial.tokens && `${trial.tokens} tokens`, trial.id]
    add(inside, 'p', facts.filter(Boolean).join(' · '), { class: 'muted' })
    add(inside, 'p', data.classes[trial.class].says)
    if (trial.flaky) add(inside, 'p', `This case is flaky: it passed in ${trial.flaky}.`)
    if (trial.why !== undefined) {
      add(inside, 'pre', trial.why, { tabindex: '0' })
      if (trial.callsLeftOut) add(inside, 'p', 'The calls of this trial are not on this page.', { class: 'muted' })
      else {
        const sides = add(inside, 'div', undefined, { class: 'sides' })
        parts(sides, 'Expected calls', trial.expected)
        parts(sides, 'Actual calls', trial.actual)
      }
    }
    if (trial.steps) parts(inside, 'Steps', trial.steps)
    if (trial.scores) parts(inside, 'Scores', trial.scores)
    if (trial.spans) waterfall(inside, trial)
  }

  const drawTrial = (list, trial) => {
    const details = add(list, 'details')
    details.dataset.id = trial.id
    details.dataset.class = trial.class
    details.toggleAttribute('data-failing', data.classes[trial.class].isFailing)
    const summary = add(details, 'summary')
    add(summary, 'b', data.classes[trial.class].word)
    const run = data.runs.length > 1 ? `, ${data.runs[trial.run].name}` : ''
    const flaky = trial.flaky ? ', flaky' : ''
    summary.append(` ${data.cases[trial.case]}${run}, trial ${trial.trial}${flaky} `)
    add(summary, 'span', duration(trial.ms), { class: 'muted' })
    details.addEventListener('toggle', () => {
      if (details.open) fill(details, trial)
      const isChosen = read().trial === trial.id
      if (details.open !== isChosen) write({ trial: details.open ? trial.id : '' })
    })
  }

  if (data.trials.length > 0) heatMap()
  changeTable()
  const { form, status, list } = trialSection()
  let shown
  const draw = () => {
    const state = read()
    for (const name of FILTERS) {
      const field = form.elements[name]
      if (field.value !== state[name]) field.value = state[name]
      // The list of cases may be too long to offer each of them.
      if (field.value !== state[name] && name === 'case' && Object.hasOwn(data.cases, state.case))
        add(field, 'option', data.cases[state.case], { value: state.case }).selected = true
    }
    const filters = JSON.stringify(FILTERS.map(name => state[name]))
    const find = () => [...list.children].find(({ dataset }) => dataset.id === state.trial)
    if (filters !== shown || (state.trial !== '' && !find())) {
      shown = filters
      const found = data.trials.filter(matches(state))
      const chosen = data.trials.find(({ id }) => id === state.trial)
      // A trial in the address is shown whatever the filters say.
      const order =
        chosen && !found.slice(0, ROWS).includes(chosen) ? [chosen, ...found.filter(each => each !== chosen)] : found
      status.textContent = `${found.length} of ${count(data.trials.length, 'trial')}`
      list.replaceChildren()
      inParts(list, order, trial => drawTrial(list, trial))
    }
    for (const details of list.querySelectorAll('details[open]'))
      if (details.dataset.id !== state.trial) details.open = false
    const chosen = state.trial !== '' && find()
    if (chosen && !chosen.open) chosen.open = true
  }
  addEventListener('hashchange', draw)
  // Following the link would replace the filters in the address.
  document.querySelector('.skip').addEventListener('click', event => {
    event.preventDefault()
    document.getElementById('trials').focus()
  })
  draw()
  if (location.hash.length > 1) document.getElementById('trials').scrollIntoView()
}
