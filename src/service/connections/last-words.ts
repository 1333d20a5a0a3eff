import { stripVTControlCharacters } from 'node:util'

const MOST_LENGTH = 300
/** Maximum number of messages that are taken from a dumped object. */
const MOST_DETAILS = 2

/** Matches a line that names an error, in the formats of Node, Python, Rust, Go, Java and most command lines. */
const ERROR =
  /^\[?(?:[\w$.-]+: )?(?:[\w$.]*(?:Error|Exception|Rejection|Panic)(?=:| [[{(]|$)|(?:error|fatal|panic|uncaught)\b)|^thread '.*' panicked/i
/** Matches lines that give no reason: brackets, markers, paths and links, stack frames, and lines that runtimes add. */
const SILENT = [
  /^[^\p{L}\p{N}]*$/u,
  /^(?:[^\p{L}\p{N}\s]+ )?["']?(?:[A-Z]:\\|\/)\S+$/u,
  /^(?:for )?more (?:help|information|details)\b.* ?https?:\/\/\S+$/i,
  /^Require stack:$/,
  /^at (?:async |new )?\S+(?: .*)?(?:\(.*\)|:\d+:\d+)(?: \{)?$/,
  /^(?:file|node):\S+:\d+$/,
  /^File ".*", line \d+/,
  /^Traceback \(most recent/,
  /^\.\.\. \d+ lines matching/,
  /^Node\.js v\d/,
  /^\(?Use `node /,
  /^note: run with `RUST_BACKTRACE/,
  /^goroutine \d+ |^\S+\.go:\d+|^exit status \d+$/,
  /^npm (?:notice|warn)\b/i,
  /^npm (?:error|ERR!) (?:code |errno |syscall |path |A complete log|$)/,
]
const MESSAGE = /^"?message"?: ["'](.+?)["'],?$/
const CAUSE = /^\[cause\]: (.+?)(?: \{)?$/
const USAGE = /^(?:usage|options|arguments|commands|examples?|positionals)\b.*:|^usage\b/i
const OPTION = /^(?:\[?-{1,2}[\w?]|\[.*\]$)/

/** Returns the last line with text, without control characters, cut to the length of an error message. */
export function lastLine(text: string): string {
  return cutLine(linesOf(text).at(-1))
}

/**
 * Returns the line that says why a program ended. Stack frames, dumped objects, usage and version lines are skipped.
 */
export function lastWordsIn(text: string): string {
  const all = linesOf(text)
  if (/^npm (?:error|ERR!) A complete log/.test(all.at(-1) ?? ''))
    return cutLine(all.find(line => /^npm (?:error|ERR!) (?!code )\S/.test(line)))
  const lines = withoutUsage(all)
  const end = lines.findLastIndex(line => !isRuntimes(line))
  const dumped = dumpBefore(lines, end)
  if (dumped) return cutLine(dumped)
  const last = lines.at(-1) ?? ''
  const saying = lines.filter(line => !isSilent(line))
  if (!isSilent(last)) return cutLine(last)
  return cutLine(saying.findLast(line => ERROR.test(line)) ?? saying.at(-1) ?? last)
}

function isSilent(line: string): boolean {
  return SILENT.some(pattern => pattern.test(line))
}

function isRuntimes(line: string): boolean {
  return /^Node\.js v\d|^\(?Use `node /.test(line)
}

/** Removes the usage text if other text precedes it. */
function withoutUsage(lines: readonly string[]): readonly string[] {
  const at = lines.findIndex(line => USAGE.test(line))
  const after = at === -1 ? [] : lines.slice(at + 1)
  // Some programs print the error after their usage.
  if (at === -1 || (after.length > 0 && !OPTION.test(after.at(-1)!) && saysWhy(after.at(-1)!))) return lines
  const before = lines.slice(0, at)
  return before.some(line => !isSilent(line)) ? before : lines
}

function saysWhy(line: string): boolean {
  return ERROR.test(line) || /\b(?:error|missing|required|must|invalid|unknown|not|cannot)\b/i.test(line)
}

/** Returns the text before a dumped object that ends at this line, followed by the messages in the object. */
function dumpBefore(lines: readonly string[], end: number): string | undefined {
  if (!/^[\]})]+[;,]?$/.test(lines[end] ?? '')) return undefined
  let depth = 0
  let begin = end
  for (; begin >= 0; begin -= 1) {
    const bare = lines[begin]!.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '')
    depth += (bare.match(/[\]})]/g)?.length ?? 0) - (bare.match(/[[{(]/g)?.length ?? 0)
    if (depth <= 0) break
  }
  if (begin < 0) return undefined
  const head = lines
    .slice(0, begin + 1)
    .map(line => line.replace(/\s*[[{(]+$/, ''))
    .findLast((line, at) => line !== '' && !isSilent(line) && !isSilent(lines[at]!))
  // Of a failed fetch only the cause gives the reason.
  const detail = /\bfetch failed\b/.test(head ?? '') ? CAUSE : MESSAGE
  const messages = lines.slice(begin + 1, end).flatMap(line => detail.exec(line)?.[1] ?? [])
  const words = [head, ...messages.slice(0, MOST_DETAILS)].filter(each => each !== undefined)
  return words.length > 0 ? words.join('; ') : undefined
}

function linesOf(text: string): string[] {
  return text
    .split(/[\r\n]+/)
    .map(line =>
      stripVTControlCharacters(line)
        .replace(/\p{Cc}/gu, '')
        .trim(),
    )
    .filter(line => line !== '')
}

function cutLine(line = ''): string {
  return Array.from(line).slice(0, MOST_LENGTH).join('')
}
