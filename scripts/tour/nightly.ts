import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareNightly } from '../../test/nightly-home.ts'
import { createHome, removeHome } from '../../test/pty/home.ts'
import { Chapter, openOnTheDay } from './recorder.ts'

/**
 * Records the way from a failed nightly run to its cause and to a rerun that passes, in a workspace whose server
 * changed between two nights.
 */
export async function nightly(): Promise<Chapter> {
  const chapter = new Chapter(
    'A nightly run failed',
    'The suite passed last night; tonight three of its four cases failed. 120×40.',
  )
  const home = createHome()
  const folder = await mkdtemp(join(tmpdir(), 'mcpdeck-tour-'))
  try {
    const { place, drift } = await prepareNightly(home, folder)
    await using terminal = openOnTheDay({ cols: 120, rows: 40, home, args: [place] })
    await terminal.waitFor(/▌#2 +✗ failed/)
    await chapter.stop(terminal, {
      title: 'What changed',
      words: 'The summary shows how the tools of the failed cases changed since the suite passed.',
      keys: ['enter'],
      until: 'the schema of get-sum changed',
    })
    await chapter.stop(terminal, {
      title: 'The tools, then and now',
      words: 'The tools in the last passed run, in this run, and now.',
      keys: ['T'],
      until: 'must be string',
    })
    drift(false)
    await chapter.stop(terminal, {
      title: 'Preview of the rerun',
      words: 'The server is fixed. The preview names the failed cases and their last cost.',
      keys: ['escape', 'R'],
      until: '3 of 4 cases would run again',
    })
    await chapter.stop(terminal, {
      title: 'The rerun compared with the first run',
      words: 'The comparison opens when the rerun ends.',
      keys: ['down', 'enter'],
      until: /✓ fixed +adds nothing/,
      picture: 'comparison',
    })
  } finally {
    removeHome(home)
    await rm(folder, { recursive: true, force: true })
  }
  return chapter
}
