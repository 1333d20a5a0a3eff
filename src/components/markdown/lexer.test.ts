import { expect, test, vi } from 'vitest'
import { rowsOf, UNFOLDED } from '../../../test/outline-rows.ts'
import { createTheme } from '../../tui/theme/theme.ts'
import { createSearch } from '../viewer/search.ts'
import { outlineCandidates } from '../viewer/outline-tree.ts'
import { markdown } from './document.ts'
import { readerInThread, type Reading } from './lexer.ts'
import { PATIENCE } from '../../../test/patience.ts'

const theme = createTheme({ level: 0, ascii: false })

/** Pieces of Markdown that take a parser seconds. */
const SLOW = ['*a#', '(*a'].map(unit => unit.repeat(6000))
const MANY_CELLS = `${'|a'.repeat(900)}\n${'|-'.repeat(900)}\n${'|\n'.repeat(2000)}`

test('pieces that take long to parse delay no key, and are shown as written', { timeout: 60_000 }, async () => {
  const read = readerInThread()
  const started = performance.now()
  let longest = 0
  let turned = performance.eventLoopUtilization()
  const counting = setInterval(() => {
    longest = Math.max(longest, performance.eventLoopUtilization(turned).active)
    turned = performance.eventLoopUtilization()
  }, 10)
  // Twice as many as use up the time limit of a document.
  const pieces = [...SLOW, MANY_CELLS, ...Array.from({ length: 9 }, () => SLOW).flat()]
  const readings = pieces.map((piece): Reading => read(piece, {}))
  const fine = readerInThread()('A **strong** word', {})
  await vi.waitUntil(() => [...readings, fine].every(({ isPending }) => !isPending), PATIENCE)
  clearInterval(counting)
  expect(longest).toBeLessThan((performance.now() - started) / 4)
  expect(readings.at(-1)!.tokens).toBeUndefined()
  // Part of another document, which has its own time limit.
  expect(fine.tokens).toMatchObject([{ type: 'paragraph' }])
  expect(read('no more of this one', {})).toEqual({ isPending: false })
})

test(
  'a piece that is not parsed yet is shown as written, and can be searched once it is parsed',
  { timeout: 60_000 },
  async () => {
    const document = markdown('A **strong** [word][there]\n\n[THERE]: https://x.test/\n', theme.symbols)
    document.scan(Infinity)
    const rows = () => rowsOf(document.roots(), { folding: UNFOLDED })
    const search = createSearch(outlineCandidates(document.roots(), undefined), 'strong word')
    search.advance(8)
    expect({ done: search.isDone, waiting: search.isWaiting }).toEqual({ done: false, waiting: true })
    expect(rows()[0]).toBe('A **strong** [word][there]')
    const advanced = (): boolean => {
      search.advance(8)
      return search.isDone
    }
    await vi.waitUntil(advanced, { ...PATIENCE, interval: 5 })
    expect(search.places).toHaveLength(1)
    expect(rows()[0]).toBe('A strong word (https://x.test/)')
  },
)
