import { join } from 'node:path'
import type { Plugin } from 'rolldown'

const folder = join(import.meta.dirname, 'replacements')
const importOf = (file: string, names: string) => `import { ${names} } from ${JSON.stringify(join(folder, file))}\n`

/** A part of a package that costs too much, and the same with less cost. */
type Replacement = {
  /** For `MCPDECK_BUILD_WITHOUT`. */
  name: string
  /** Ends of the paths of the files it applies to, below `node_modules/`. */
  files: readonly string[]
  /** Text that must occur in every one of the files, and what stands there instead. */
  edits: readonly (readonly [original: string | RegExp, replacement: string])[]
  /** Put in front of the file. */
  prelude: string
}

/**
 * What is replaced in the packages that Ink draws with and that requests go through. None of it changes a result
 * (`test/tooling/replacements.test.ts`); docs/performance.md says what each of them costs otherwise.
 */
const replacements: readonly Replacement[] = [
  {
    name: 'segmenter',
    files: [
      'string-width/index.js',
      '@alcalzone/ansi-tokenize/build/tokenize.js',
      'slice-ansi/tokenize-ansi.js',
      'wrap-ansi/index.js',
      'cli-truncate/index.js',
      'ink/build/line-update.js',
    ],
    edits: [[/new Intl\.Segmenter\((?:undefined, ?\{ ?granularity: ?['"]grapheme['"] ?\})?\)/, 'lazySegmenter']],
    prelude: importOf('lazy-segmenter.ts', 'lazySegmenter'),
  },
  {
    name: 'string-width',
    files: ['string-width/index.js'],
    // Reading its regular expressions takes longer than a whole frame, so they are made on first need.
    edits: [
      ['const segmenter =', 'function makeStringWidth() {\nconst segmenter ='],
      ['export default function stringWidth(', 'return function stringWidth('],
      [
        /$/,
        `}
let made
const measureWidth = (text, options) => (made ??= makeStringWidth())(text, options)
const keptWidth = kept(text => measureWidth(text))
export default function stringWidth(text, options) {
  if (typeof text !== 'string' || options !== undefined) return measureWidth(text, options)
  const columns = plainColumns(text)
  return columns === -1 ? keptWidth(text) : columns
}`,
      ],
    ],
    prelude: importOf('plain-text.ts', 'plainColumns') + importOf('kept.ts', 'kept'),
  },
  {
    name: 'shared-styles',
    files: ['@alcalzone/ansi-tokenize/build/styledChars.js'],
    // The list is never changed, a new one takes its place: all cells with the same look share one list.
    edits: [
      ['let codes = [];', 'let codes = noStyles;'],
      [
        'codes = reduceAnsiCodesIncremental(codes, [token]);',
        'codes = shared(reduceAnsiCodesIncremental(codes, [token]));',
      ],
      ['styles: [...codes]', 'styles: codes'],
      // From one look to the next there are few ways, and each frame goes all of them.
      [
        /export function styledCharsToString\(chars\) {[^]*$/,
        `const ways = new WeakMap()
function way(from, to) {
  let known = ways.get(from)
  if (known === undefined) ways.set(from, (known = new WeakMap()))
  let text = known.get(to)
  if (text === undefined) known.set(to, (text = ansiCodesToString(diffAnsiCodes(from, to))))
  return text
}
export function styledCharsToString(chars) {
  const parts = []
  let styles = noStyles
  for (const char of chars) {
    if (!isSameStyle(styles, char.styles)) parts.push(way(styles, char.styles))
    styles = char.styles
    parts.push(char.value)
  }
  parts.push(way(styles, noStyles))
  return parts.join('')
}
`,
      ],
    ],
    prelude: importOf('shared-styles.ts', 'noStyles, shared'),
  },
  {
    name: 'frame-caches',
    files: ['ink/build/output.js'],
    edits: [
      ['caches = new OutputCaches();', 'caches = keptCaches;'],
      [
        /const characterLines = [^]*?let lines = characterLines\.map\(line => styledCharsToString\(line\)\);/,
        'let lines = this.caches.getLines(text);',
      ],
      [
        'return this.sliceLineToColumns(line, from, to);',
        `return from === 0 && to === width
          ? this.caches.getWhole(line)
          : this.sliceLineToColumns(line, from, to);`,
      ],
      [
        'export default class Output {',
        `const keptCaches = new OutputCaches()
const keptChars = kept(line => OutputCaches.prototype.getStyledChars.call({ styledChars: new Map() }, line))
keptCaches.getStyledChars = keptChars
keptCaches.getStringWidth = text => stringWidth(text)
keptCaches.getWidestLine = kept(text => OutputCaches.prototype.getWidestLine.call({ blockWidths: new Map(), getStringWidth: stringWidth }, text))
keptCaches.getLines = kept(text => {
  const lines = [[]]
  for (const character of keptChars(text)) {
    if (character.value === '\\n') lines.push([])
    else lines.at(-1).push(character)
  }
  return lines.map(styledCharsToString)
})
keptCaches.getWhole = kept(line => Output.prototype.sliceLineToColumns.call({ caches: keptCaches }, line, 0, stringWidth(line)))
export default class Output {`,
      ],
    ],
    prelude: importOf('kept.ts', 'kept'),
  },
  {
    name: 'frame-cells',
    files: ['ink/build/output.js'],
    // Cells are never changed, others take their place: all that nothing was written to are one.
    edits: [
      [/row\.push\({[^}]*}\);/, 'row.push(untouched);'],
      [
        'export default class Output {',
        "const untouched = { type: 'char', value: ' ', fullWidth: false, styles: noStyles };\nexport default class Output {",
      ],
      [
        'line.filter(item => item !== undefined)',
        'line.includes(undefined) ? line.filter(item => item !== undefined) : line',
      ],
      [
        'for (let [index, line] of lines.entries()) {',
        'for (let index = 0; index < lines.length; index += 1) {\nlet line = lines[index];',
      ],
      [
        'Math.max(1, this.caches.getStringWidth(character.value))',
        'isPlainCell(character.value) ? 1 : Math.max(1, this.caches.getStringWidth(character.value))',
      ],
    ],
    prelude: importOf('shared-styles.ts', 'noStyles') + importOf('plain-text.ts', 'isPlainCell'),
  },
  {
    name: 'sanitized-text',
    files: ['ink/build/sanitize-ansi.js'],
    edits: [['export default sanitizeAnsi;', 'export default kept(sanitizeAnsi);']],
    prelude: importOf('kept.ts', 'kept'),
  },
  {
    name: 'yoga-without-fetch',
    files: ['yoga-layout/dist/binaries/yoga-wasm-base64-esm.js'],
    // With `fetch` in reach it would load Node's whole HTTP client to read a data URL.
    edits: [[/"function" ?!= ?typeof fetch/g, 'true']],
    prelude: '',
  },
  {
    name: 'undici-fetch-alone',
    files: ['undici/index.js'],
    // Mocks, proxies, caches and WebSockets load otherwise before the first request; `api/client/transport/fetch.ts`
    // asks for these two.
    edits: [
      [/^[^]*(?=const fetchImpl = )/, `module.exports.Agent = require('./lib/dispatcher/agent')\n`],
      [/module\.exports\.Headers = [^]*$/, ''],
    ],
    prelude: '',
  },
  {
    name: 'undici-late-http2',
    files: ['undici/lib/dispatcher/client.js'],
    edits: [
      [
        "const connectH2 = require('./client-h2.js')",
        "const connectH2 = (...args) => require('./client-h2.js')(...args)",
      ],
    ],
    prelude: '',
  },
]

/** Every replacement's name. */
export const replacementNames: readonly string[] = replacements.map(({ name }) => name)

/**
 * Replaces costly parts of packages while bundling, but for those whose names `without` holds, separated by commas.
 * @throws when a package no longer holds the text that is replaced
 */
export function replaceCostlyParts(without = process.env.MCPDECK_BUILD_WITHOUT ?? ''): Plugin {
  const leftOut = without.split(',')
  const active = replacements.filter(({ name }) => !leftOut.includes(name) && !leftOut.includes('all'))
  return {
    name: 'replace-costly-parts',
    transform(code, id) {
      const applying = active.filter(({ files }) => files.some(file => id.endsWith(`/node_modules/${file}`)))
      if (applying.length === 0) return null
      return applying.reduce((text, replacement) => replacement.prelude + edited(text, replacement, id), code)
    },
  }
}

function edited(code: string, { name, edits }: Replacement, id: string): string {
  return edits.reduce((text, [original, replacement]) => {
    const result = text.replace(original, () => replacement)
    if (result === text) throw new Error(`${id} has changed: the build replacement "${name}" no longer finds its place`)
    return result
  }, code)
}
