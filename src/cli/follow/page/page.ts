import { createHash } from 'node:crypto'
import { startedServers } from '../../../domain/runs/started-servers.ts'
import { plural } from '../../../lib/format.ts'
import { escapedHtml, escapedJson, printable } from '../../../lib/printable.ts'
import { redacted, redactedStart, type Own } from '../../../lib/redaction/redaction.ts'
import { isoSeconds } from '../../../lib/times.ts'
import { BOUNDS } from '../../../lib/bounds.ts'
import { sentenceOf } from '../conclusion.ts'
import { amountLines, comparisonLines, conclusionLines, failureLines } from '../labels.ts'
import { settledTrials } from '../final-report.ts'
import { stateOf, type NamedResult } from '../summary.ts'
import { pageData } from './data.ts'
import script from './page.js?raw'
import style from './page.css?raw'

/** The beginning of each page, by which a file is known as one. */
export const PAGE_START = '<!doctype html>\n<!-- A report of mcpdeck. -->\n'

type PageOptions = {
  /** Whether an unfinished run continues without this process. */
  goesOn: boolean
  own: Own
  /** When the page was made, in epoch milliseconds. */
  now: number
}

/**
 * Returns runs as one page that loads nothing. Verdict, gates and what could not be read are plain markup, which a
 * reader without scripts shows too; the script draws everything else from the data. Only this script and this style can
 * run: the policy names them by their digests.
 */
export function pageHtml(results: readonly NamedResult[], { goesOn, own, now }: PageOptions): string {
  const data = pageData(results, own)
  const title = results.map(({ name, conclusion }) => `${name}: ${stateOf(conclusion.exitCode)}`).join(', ')
  const text = (words: string): string => escapedHtml(shown(words, own))
  const left = [
    ...(data.leftOut > 0 ? [`${plural(data.leftOut, 'trial')} more than this page can hold, passed ones first.`] : []),
    ...(data.changesLeftOut > 0 ? [`${plural(data.changesLeftOut, 'change')} more than this page can hold.`] : []),
  ]
  return `${PAGE_START}<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${text(title)}</title>
<style>${style}</style>
</head>
<body>
<a class="skip" href="#trials">Go to the trials</a>
<header><h1>Eval report</h1><p>Made ${isoSeconds(now)} by mcpdeck.</p></header>
<main>
${noteList('Not on this page', left.map(text))}
${results.map(each => runSection(each, goesOn, own)).join('\n')}
<noscript><p class="note">The heat map and the trials are drawn by a script, which does not run here.</p></noscript>
<div id="drawn"></div>
</main>
<script type="application/json" id="data">${inScript(data)}</script>
<script>${script}</script>
</body>
</html>
`
}

const digest = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const POLICY =
  `default-src 'none'; script-src ${digest(script)}; style-src ${digest(style)}; ` +
  "base-uri 'none'; form-action 'none'"

/** Returns JSON that cannot end its script element. */
function inScript(value: unknown): string {
  return escapedJson(JSON.stringify(value)).replaceAll('<', String.raw`\u003c`)
}

function shown(words: string, own: Own): string {
  return printable(redactedStart(words, BOUNDS.pageText.most, own)).trim()
}

function noteList(title: string, items: readonly string[]): string {
  if (items.length === 0) return ''
  const list = items.map(each => `<li>${each}</li>`).join('')
  return `<div class="note" role="note"><h3>${title}</h3><ul>${list}</ul></div>`
}

/** Returns the verdict of a run, what could not be read of it, its gates and its figures. */
function runSection(result: NamedResult, goesOn: boolean, own: Own): string {
  const { name, page, followed, conclusion, unread = [] } = result
  const text = (words: string): string => escapedHtml(shown(words, own))
  const state = stateOf(conclusion.exitCode)
  const missing = [
    ...(followed.kind === 'ended'
      ? []
      : [`The end of the run; this page has ${plural(followed.trials.length, 'trial')} of it.`]),
    ...unread,
  ]
  const { gates, comparison } = conclusion
  const lines = [
    ...conclusionLines({ ...conclusion, gates: [], comparison: null }, 'unknown'),
    ...amountLines(followed),
    ...(comparison ? comparisonLines(comparison).slice(0, 1) : []),
    ...startedServers(followed.run?.startedServers).map(([server, words]) => `started ${server}: ${words}`),
  ]
  const list = lines.map(line => `<li>${text(line)}</li>`).join('')
  const failures = failureLines(settledTrials(result)).map(line => `<li>${text(line)}</li>`)
  return `<section class="run" data-state="${state.replace(' ', '-')}">
<h2>${text(name)}: <strong>${state}</strong></h2>
<p class="verdict">${text(sentenceOf(conclusion, followed, goesOn))}</p>
${noteList('Not read', missing.map(text))}
${gates.length === 0 ? '' : gateTable(gates, text)}
<ul>${list}${page === undefined ? '' : `<li>${linkTo(page, own)}</li>`}</ul>
${failures.length === 0 ? '' : `<noscript><h3>Did not pass</h3><ul>${failures.join('')}</ul></noscript>`}
</section>`
}

function gateTable(gates: NamedResult['conclusion']['gates'], text: (words: string) => string): string {
  const rows = gates.map(({ gate, passed, says }) => {
    const state = passed === null ? 'not known' : passed ? 'passed' : 'failed'
    const cells = `<th scope="row">${text(gate)}</th><td>${state}</td><td>${text(says)}</td>`
    return `<tr data-state="${state.replace(' ', '-')}">${cells}</tr>`
  })
  return `<table class="gates"><caption>Gates</caption><tbody>${rows.join('')}</tbody></table>`
}

/** Returns a link to the page of a run, whose address is from the config; any other scheme is only shown. */
function linkTo(address: string, own: Own): string {
  const safe = escapedHtml(redacted(address, { ...own, isId: true }))
  return /^https?:\/\//i.test(address) ? `<a href="${safe}" rel="noreferrer">${safe}</a>` : safe
}
