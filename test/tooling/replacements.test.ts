import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type Server } from 'node:http'
import { createServer as createHttp2Server, type Http2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { rolldown } from 'rolldown'
import type { Agent, fetch } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { replaceCostlyParts, replacementNames } from '../../scripts/build/replacements.ts'
import { lazySegmenter } from '../../scripts/build/replacements/lazy-segmenter.ts'
import { root } from '../../scripts/paths.ts'

type Transformer = (line: string, index: number) => string
type Clip = Partial<Record<'x1' | 'x2' | 'y1' | 'y2', number>>
type Frame = {
  write(x: number, y: number, text: string, options: { transformers: readonly Transformer[] }): void
  clip(clip: Clip): void
  unclip(): void
  get(): unknown
}
/** What is written to a frame, clipped or not: a box that cuts off what it holds, and its text. */
type Write = { x: number; y: number; text: string; clip: Clip | undefined; isNumbered: boolean }

/** What Ink draws with and what requests go through, bundled as the program bundles it. */
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
  loadYoga: () => Promise<unknown>
  Output: new (size: { width: number; height: number }) => Frame
  fetch: typeof fetch
  Agent: typeof Agent
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
export { Agent, fetch } from 'undici'
`

let folder: string
let original: TextPackages
let replaced: TextPackages

async function bundle(without: string): Promise<string> {
  const virtual = {
    name: 'entry',
    resolveId: (id: string) => (id === 'entry' ? join(root, 'entry-of-text-packages.js') : null),
    load: (id: string) => (id.endsWith('entry-of-text-packages.js') ? entry : null),
  }
  const plugins = [virtual, replaceCostlyParts(without)]
  await using build = await rolldown({ input: 'entry', cwd: root, platform: 'node', plugins })
  const { output } = await build.generate({ format: 'esm' })
  return output[0].code
}

async function load(name: string, without: string): Promise<TextPackages> {
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, await bundle(without))
  return (await import(pathToFileURL(file).href)) as TextPackages
}

beforeAll(async () => {
  folder = mkdtempSync(join(root, 'node_modules/.mcpdeck-replacements-'))
  original = await load('original', 'all')
  replaced = await load('replaced', '')
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
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
)
const text = fc.array(piece, { maxLength: 12 }).map(pieces => pieces.join(''))
const plain = fc
  .array(fc.oneof(fc.string({ unit: 'grapheme-ascii', maxLength: 8 }), sgr, fc.constantFrom('│ ', '●', '漢', '…')))
  .map(pieces => pieces.join(''))
const anyText = fc.oneof(text, plain)
const columns = fc.integer({ min: 0, max: 24 })

/** The answer, or what was thrown. */
function outcome<T>(work: () => T): T | string {
  try {
    return work()
  } catch (error) {
    return String(error)
  }
}

/** Asks twice, because the second answer may come from a cache. */
function expectEqual(ask: (packages: TextPackages) => unknown): void {
  const wanted = outcome(() => ask(original))
  expect(outcome(() => ask(replaced))).toEqual(wanted)
  expect(outcome(() => ask(replaced))).toEqual(wanted)
}

test.each(replacementNames)('%s applies, and can be left out', async name => {
  expect(await bundle(name)).not.toBe(await bundle(''))
})

test('the layout engine loads without fetch', async () => {
  const layout = (await replaced.loadYoga()) as { Node: { create(): { getWidth(): unknown } } }
  expect(layout.Node).toBeDefined()
})

test('the lazy segmenter answers as Intl.Segmenter', () => {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  fc.assert(
    fc.property(anyText, fc.integer({ min: -2, max: 40 }), (sample, index) => {
      const [segments, wanted] = [lazySegmenter.segment(sample), segmenter.segment(sample)]
      expect([...segments]).toEqual([...wanted])
      expect(segments.containing(index)).toEqual(wanted.containing(index))
    }),
    { numRuns: 1500 },
  )
})

describe('text packages with costly parts replaced', () => {
  test('string-width', () => {
    fc.assert(
      fc.property(anyText, fc.boolean(), fc.boolean(), (sample, ambiguousIsNarrow, countAnsiEscapeCodes) => {
        expectEqual(({ stringWidth }) => stringWidth(sample))
        expectEqual(({ stringWidth }) => stringWidth(sample, { ambiguousIsNarrow, countAnsiEscapeCodes }))
      }),
      { numRuns: 3000 },
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
      { numRuns: 1500 },
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
      { numRuns: 1500 },
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
      { numRuns: 1500 },
    )
  })

  test('whole frames, one after the other over the same caches', () => {
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
      { numRuns: 1500 },
    )
  })
})

describe('requests are sent and answered as before', () => {
  const servers: (Server | Http2Server)[] = []
  const listen = async (server: Server | Http2Server): Promise<string> => {
    servers.push(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const agents: Agent[] = []

  afterAll(async () => {
    await Promise.all(agents.map(agent => agent.destroy()))
    for (const server of servers) server.close()
  })

  const answered = async (packages: TextPackages, url: string, options: Agent.Options, body?: string) => {
    const agent = new packages.Agent(options)
    agents.push(agent)
    const init = { dispatcher: agent, redirect: 'manual', ...(body !== undefined && { method: 'POST', body }) } as const
    try {
      const response = await packages.fetch(url, init)
      const headers = [...response.headers].filter(([name]) => name !== 'date')
      return { status: response.status, headers, text: await response.text() }
    } catch (error) {
      const { message, cause } = error as Error & { cause?: { code?: string } }
      return { message, code: cause?.code }
    }
  }

  test('over HTTP/1.1, whatever the answer', async () => {
    const origin = await listen(
      createHttpServer((request, response) => {
        if (request.url === '/gzip') response.setHeader('content-encoding', 'gzip').end(gzipSync('zipped'))
        else if (request.url === '/moved') response.writeHead(302, { location: '/gzip' }).end()
        else if (request.url === '/cut')
          response.writeHead(200, { 'content-length': 9 }).end('less', () => request.socket.destroy())
        else {
          const { host: _, ...sent } = request.headers
          response.setHeader('content-type', 'application/json').flushHeaders()
          response.write(JSON.stringify([request.method, sent]))
          request.pipe(response)
        }
      }),
    )
    for (const [path, body] of [['/'], ['/', 'sent'], ['/gzip'], ['/moved'], ['/cut']] as const) {
      const before = await answered(original, origin + path, {}, body)
      expect(await answered(replaced, origin + path, {}, body), path).toEqual(before)
    }
  })

  test('over HTTP/2, which loads with its first connection', async () => {
    const origin = await listen(
      createHttp2Server((request, response) => void response.end(`second ${request.httpVersion}`)),
    )
    const options = { allowH2: true, useH2c: true }
    const before = await answered(original, origin, options)
    expect(before).toMatchObject({ status: 200, text: 'second 2.0' })
    expect(await answered(replaced, origin, options)).toEqual(before)
  })
})
