import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { rolldown, type Plugin } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { patchedPackages, patchFaults, patchPackages } from '../../scripts/build/patches.ts'
import { root } from '../../scripts/paths.ts'
import { anyCharacter } from '../any-character.ts'

type Transformer = (line: string, index: number) => string
type Clip = Partial<Record<'x1' | 'x2' | 'y1' | 'y2', number>>
type Frame = {
  write(x: number, y: number, text: string, options: { transformers: readonly Transformer[] }): void
  clip(clip: Clip): void
  unclip(): void
  get(): unknown
}
/** Output that is written to a frame, clipped or not: a box that cuts off its content, and its text. */
type Write = { x: number; y: number; text: string; clip: Clip | undefined; isNumbered: boolean }

/** The packages that Ink renders with, bundled as in the program. */
type TextPackages = {
  stringWidth: (text: string, options?: object) => number
  wrapAnsi: (text: string, columns: number, options?: object) => string
  sliceAnsi: (text: string, from: number, to?: number) => string
  cliTruncate: (text: string, columns: number, options?: object) => string
  tokenize: (text: string, columns?: number) => readonly { type: string }[]
  styledCharsFromTokens: (tokens: readonly unknown[]) => unknown[]
  styledCharsToString: (chars: unknown) => string
  sanitizeAnsi: (text: string) => string
  measureText: (text: string) => unknown
  wrapText: (text: string, columns: number, kind: string) => string
  loadYoga: (assembly?: object) => Promise<unknown>
  Output: new (size: { width: number; height: number }) => Frame
  fromJsonSchema: (schema: object) => { '~standard': { validate: (value: unknown) => unknown } }
}

const entry = `
export { default as stringWidth } from 'string-width'
export { default as wrapAnsi } from 'wrap-ansi'
export { default as sliceAnsi } from 'slice-ansi'
export { default as cliTruncate } from 'cli-truncate'
export { tokenize, styledCharsFromTokens, styledCharsToString } from '@alcalzone/ansi-tokenize'
export { default as sanitizeAnsi } from './node_modules/ink/build/sanitize-ansi.js'
export { default as measureText } from './node_modules/ink/build/measure-text.js'
export { default as wrapText } from './node_modules/ink/build/wrap-text.js'
export { default as Output } from './node_modules/ink/build/output.js'
export { default as loadYoga } from './node_modules/yoga-layout/dist/binaries/yoga-wasm-base64-esm.js'
export { fromJsonSchema } from '@modelcontextprotocol/client'
`

let folder: string
let original: TextPackages
let patched: TextPackages
let patchedCode: string

async function bundle(without: string, ...before: Plugin[]): Promise<string> {
  const virtual = {
    name: 'entry',
    resolveId: (id: string) => (id === 'entry' ? join(root, 'entry-of-text-packages.js') : null),
    load: (id: string) => (id.endsWith('entry-of-text-packages.js') ? entry : null),
  }
  const plugins = [virtual, ...before, patchPackages(without)]
  await using build = await rolldown({ input: 'entry', cwd: root, platform: 'node', plugins })
  const { output } = await build.generate({ format: 'esm' })
  return output[0].code
}

async function load(name: string, code: string): Promise<TextPackages> {
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, code)
  return (await import(pathToFileURL(file).href)) as TextPackages
}

beforeAll(async () => {
  folder = mkdtempSync(join(root, 'node_modules/.mcpdeck-patches-'))
  patchedCode = await bundle('')
  original = await load('original', await bundle('all'))
  patched = await load('patched', patchedCode)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const sgr = fc.oneof(
  fc.constantFrom('\u001B[m', '\u001B[0m', '\u001B[1m', '\u001B[22m', '\u001B[7m', '\u001B[39m', '\u001B[49m'),
  fc.constantFrom('\u001B[31m', '\u001B[1;32m', '\u001B[38;5;200m', '\u001B[48;2;1;2;3m', '\u001B[;m', '\u001B[31'),
  fc.constantFrom(
    '\u009B31m',
    '\u001B]8;;http://a.b\u0007',
    '\u001B]8;;\u0007',
    '\u001B[2K',
    '\u001B',
    '\u001B[12345m',
  ),
)
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme-ascii', maxLength: 8 }) },
  { weight: 2, arbitrary: sgr },
  { weight: 2, arbitrary: fc.constantFrom('│', '╭──╮', '●', '✓', '✗', '▌', '…', '›', '❯', '⠋', '█░', 'é', 'ß', 'Ж') },
  { weight: 1, arbitrary: fc.constantFrom('漢字', 'かな', '한글', 'Ａ', 'ｱﾞ', '\u1100\u1161\u11A8') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('👍', '👍🏽', '👨‍👩‍👧', '🇩🇪', '1️⃣', '✔️', '☺', '©️', '\uFE0F', '\u200D', '⌚', '❤️'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'e\u0301',
      '\u0301',
      'a\u0300\u0301',
      '\u20E3',
      '#\u20E3',
      'न\u093F',
      '\u200B',
      '\u00AD',
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('\n', '\t', '\r\n', '\r', '\u0000', '\u007F', '\u0085', '\uD800', '\u2028') },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 4 }) },
)
const text = fc.array(piece, { maxLength: 12 }).map(pieces => pieces.join(''))
const plain = fc
  .array(fc.oneof(fc.string({ unit: 'grapheme-ascii', maxLength: 8 }), sgr, fc.constantFrom('│ ', '●', '漢', '…')))
  .map(pieces => pieces.join(''))
const anyText = fc.oneof(text, plain)
const columns = fc.integer({ min: 0, max: 24 })

/** The result, or the error that was thrown. */
function outcome<T>(work: () => T): T | string {
  try {
    return work()
  } catch (error) {
    return String(error)
  }
}

/** Asks twice, because the second result may come from a cache. */
function expectEqual(ask: (packages: TextPackages) => unknown): void {
  const wanted = outcome(() => ask(original))
  expect(outcome(() => ask(patched))).toEqual(wanted)
  expect(outcome(() => ask(patched))).toEqual(wanted)
}

test.each(patchedPackages)('the patch of %s applies, and the build works without it', async name => {
  expect(await bundle(name)).not.toBe(patchedCode)
})

test.each([
  'https://json-schema.org/draft/2020-12/schema',
  'https://json-schema.org/draft/2019-09/schema',
  'http://json-schema.org/draft-07/schema#',
])('engines that load late validate values as before: %s', $schema => {
  const verdicts = ({ fromJsonSchema }: TextPackages) =>
    ['a@b.example', 'nobody', 1].map(value =>
      fromJsonSchema({ $schema, type: 'string', format: 'email' })['~standard'].validate(value),
    )
  expect(verdicts(patched)).toEqual(verdicts(original))
  expect(verdicts(patched)[0]).toEqual({ value: 'a@b.example' })
})

describe('a package whose patched code has changed', () => {
  const file = 'ink/build/output.js'
  const changed = (code: string): string => code.replace('class OutputCaches', 'class Caches')
  const sentence = (version: string): string =>
    `patches/ink+8.0.0.patch no longer applies to build/output.js of ink: made for 8.0.0, installed is ${version}.`

  test('is named with its patch, its version and the version that the patch was made for', () => {
    expect(patchFaults(join(root, 'node_modules'))).toEqual([])
    const modules = join(folder, 'modules')
    for (const name of patchedPackages)
      cpSync(join(root, 'node_modules', name), join(modules, name), { recursive: true })
    const manifest = join(modules, 'ink/package.json')
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('"version": "8.0.0"', '"version": "8.0.1"'))
    expect(patchFaults(modules), 'a release that leaves the place alone').toEqual([])
    writeFileSync(join(modules, file), changed(readFileSync(join(modules, file), 'utf8')))
    expect(patchFaults(modules)).toEqual([sentence('8.0.1')])
    rmSync(join(modules, file))
    expect(patchFaults(modules), 'a file that is gone').toEqual([sentence('8.0.1')])
  })

  test('fails the build with the same sentence, unless the patch is left out', async () => {
    const release: Plugin = { name: 'release', transform: (code, id) => (id.endsWith(file) ? changed(code) : null) }
    await expect(bundle('', release)).rejects.toThrow(sentence('8.0.0'))
    await bundle('ink', release)
  })
})

test('the layout engine loads synchronously and without fetch', async () => {
  const fetched = vi.fn<typeof fetch>(() => Promise.reject(new Error('no network')))
  vi.stubGlobal('fetch', fetched)
  try {
    const assembly = {}
    void patched.loadYoga(assembly)
    expect(assembly).toHaveProperty('Node')
    expect(fetched).not.toHaveBeenCalled()
    await original.loadYoga()
    expect(fetched).toHaveBeenCalled()
  } finally {
    vi.unstubAllGlobals()
  }
})

test('cells that look the same are one object, because the cells of thousands of lines are kept', () => {
  const { tokenize, styledCharsFromTokens } = patched
  const line = `\u001B[31m${'ab─好'.repeat(20)}\u001B[39m${'ab'.repeat(20)}`
  const cells = [line, `${line} 2`].flatMap(each => styledCharsFromTokens(tokenize(each)))
  expect(cells.length).toBeGreaterThan(240)
  expect(new Set(cells).size).toBe(4 + 2 + 2)
})

test('every UTF-16 unit below the ideographs is measured and cut as before, beside letters, signs and lines', () => {
  const outcomes = ({ stringWidth, tokenize, sliceAnsi }: TextPackages, sample: string): string =>
    JSON.stringify([stringWidth(sample), tokenize(sample), sliceAnsi(sample, 1, 3)])
  const wrong = Array.from({ length: 0x3000 }, (_, unit) => String.fromCharCode(unit)).filter(character => {
    const sample = [...'\0\naЖ—│✓'].map(other => other + character).join('')
    return outcomes(patched, sample) !== outcomes(original, sample)
  })
  expect(wrong).toEqual([])
})

describe('the patched text packages give the results of the original ones:', () => {
  test('string-width', () => {
    fc.assert(
      fc.property(anyText, fc.boolean(), fc.boolean(), (sample, ambiguousIsNarrow, countAnsiEscapeCodes) => {
        expectEqual(({ stringWidth }) => stringWidth(sample))
        expectEqual(({ stringWidth }) => stringWidth(sample, { ambiguousIsNarrow, countAnsiEscapeCodes }))
      }),
      { numRuns: 1000 },
    )
  })

  test('ansi-tokenize', () => {
    fc.assert(
      fc.property(anyText, columns, (sample, end) => {
        expectEqual(({ tokenize }) => tokenize(sample))
        expectEqual(({ tokenize }) => tokenize(sample, end))
        expectEqual(({ tokenize, styledCharsFromTokens }) => styledCharsFromTokens(tokenize(sample)))
        expectEqual(({ tokenize, styledCharsFromTokens, styledCharsToString }) =>
          styledCharsToString(styledCharsFromTokens(tokenize(sample))),
        )
      }),
      { numRuns: 500 },
    )
  })

  test('slice-ansi, wrap-ansi and cli-truncate', () => {
    const position = fc.constantFrom('start', 'middle', 'end')
    fc.assert(
      fc.property(anyText, columns, columns, position, fc.boolean(), (sample, from, length, where, flag) => {
        expectEqual(({ sliceAnsi }) => sliceAnsi(sample, from, from + length))
        expectEqual(({ wrapAnsi }) => wrapAnsi(sample, length, { hard: flag, trim: !flag }))
        expectEqual(({ cliTruncate }) =>
          cliTruncate(sample, length, { position: where, preferTruncationOnSpace: flag }),
        )
      }),
      { numRuns: 500 },
    )
  })

  test('Ink’s measuring, wrapping and cleaning', () => {
    const kind = fc.constantFrom('wrap', 'hard', 'truncate', 'truncate-middle', 'truncate-start')
    fc.assert(
      fc.property(anyText, columns, kind, (sample, width, how) => {
        expectEqual(({ sanitizeAnsi }) => sanitizeAnsi(sample))
        expectEqual(({ measureText, sanitizeAnsi }) => measureText(sanitizeAnsi(sample)))
        expectEqual(({ wrapText, sanitizeAnsi }) => wrapText(sanitizeAnsi(sample), width, how))
      }),
      { numRuns: 500 },
    )
  })

  test('whole frames, one after the other with the same caches', () => {
    const edge = fc.integer({ min: -2, max: 26 })
    const clip = fc.oneof(
      fc.record({ x1: edge, x2: edge }),
      fc.record({ y1: fc.nat(6), y2: fc.nat(6) }),
      fc.record({ x1: edge, x2: edge, y1: fc.nat(6), y2: fc.nat(6) }),
    )
    const write = fc.record<Write>({
      x: fc.integer({ min: -3, max: 20 }),
      y: fc.integer({ min: 0, max: 5 }),
      text: anyText,
      clip: fc.option(clip, { nil: undefined }),
      isNumbered: fc.boolean(),
    })
    const frame = ({ Output, sanitizeAnsi }: TextPackages, writes: readonly Write[]): unknown => {
      const output = new Output({ width: 24, height: 6 })
      const numbered: Transformer = (line, index) => `${index}\u001B[1m${line}\u001B[22m`
      for (const { x, y, text: content, clip: box, isNumbered } of writes) {
        if (box) output.clip(box)
        output.write(x, y, sanitizeAnsi(content), { transformers: isNumbered ? [numbered] : [] })
        if (box) output.unclip()
      }
      return output.get()
    }
    fc.assert(
      fc.property(fc.array(write, { maxLength: 8 }), writes => expectEqual(packages => frame(packages, writes))),
      { numRuns: 500 },
    )
  })
})
