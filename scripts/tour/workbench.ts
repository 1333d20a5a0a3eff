import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createHome, removeHome } from '../../test/pty/home.ts'
import { prepareWatchedSuite } from '../../test/watched-suite.ts'
import { root } from '../paths.ts'
import { Chapter, openOnTheDay, type Press, type Stop } from './recorder.ts'

/** Records the way from an unsaved server to its first eval case, and to a suite that runs again by itself. */
export async function workbench(): Promise<Chapter> {
  const chapter = new Chapter(
    'Building a server',
    'From nothing to the first eval case with `mcpdeck try -- npx -y @modelcontextprotocol/server-everything`, here without the time that npm takes. 110×30.',
  )
  await firstCase(chapter)
  await watched(chapter)
  return chapter
}

const SERVER = 'server-everything'

async function firstCase(chapter: Chapter): Promise<void> {
  const home = createHome()
  try {
    const bin = join(home, 'bin')
    mkdirSync(bin)
    symlinkSync(join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'), join(bin, SERVER))
    symlinkSync(process.execPath, join(bin, 'node'))
    const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}` }
    const words = ['try', '--', SERVER]
    await using terminal = openOnTheDay({ cols: 110, rows: 30, home, env, args: words })
    let keys = 0
    const stop = async (each: Stop): Promise<void> => {
      keys += pressed(each.keys ?? [])
      await chapter.stop(terminal, each)
    }
    await stop({
      title: 'The tools',
      words: 'The first screen: the tools of the running server.',
      until: /Message to echo/,
    })
    await stop({
      title: 'A call',
      words: 'The arguments of the first tool.',
      keys: ['enter', /Call echo on/, { text: 'hello' }],
      until: 'hello',
    })
    keys = 0
    await stop({ title: 'The answer', words: 'The call is sent once.', keys: ['ctrl+s'], until: /Echo: hello/ })
    await stop({
      title: 'Saving the call as a case',
      words: 'The form has the call, with assertions from its answer.',
      keys: ['alt+c'],
      until: 'Save as eval case',
    })
    await stop({
      title: 'The case in its suite',
      words: 'The suite is created with the case; the same key opens it.',
      keys: ['ctrl+s', /goes to it/, 'alt+c'],
      until: '2. assert',
    })
    await stop({
      title: 'The first run',
      words: 'The suite is launched and the run opens.',
      keys: ['E', /A run of/, 'ctrl+s'],
      until: /✓ passed, 1\/1/,
    })
    const seconds = Math.ceil((performance.now() - terminal.startedAt) / 10_000) * 10
    chapter.note(
      `${keys} keys after the tool’s arguments; less than ${seconds} s from the start, with all pauses of the recording.`,
    )
  } finally {
    removeHome(home)
  }
}

async function watched(chapter: Chapter): Promise<void> {
  const home = createHome()
  try {
    const { save } = await prepareWatchedSuite(home)
    await using terminal = openOnTheDay({ cols: 120, rows: 20, home, args: ['runs'] })
    await terminal.waitFor(/weather +/)
    await chapter.stop(terminal, {
      title: 'Watching files',
      words: 'A suite for a server in development. The first watch asks for a file pattern.',
      keys: ['/', { text: 'weather' }, 'enter', /▌weather/, 'alt+w'],
      until: 'Watch files for weather',
    })
    await chapter.stop(terminal, {
      title: 'The watched suite',
      words: 'The header shows that the suite is watched, and its last result.',
      keys: ['enter'],
      until: 'watching weather ✓ passed',
    })
    save({ answer: 'sunny and warm', required: ['city'] })
    await chapter.stop(terminal, {
      title: 'After saving a file',
      words:
        'The server’s tool now requires one more argument. The server restarts, the suite fails, and the last line says why.',
      until: 'is new and required, since',
    })
  } finally {
    removeHome(home)
  }
}

/** Counts the pressed keys; a typed text counts by its letters. */
function pressed(keys: readonly Press[]): number {
  return keys.reduce((sum, key) => {
    if (key instanceof RegExp) return sum
    if (typeof key === 'string') return sum + 1
    return sum + ('text' in key ? key.text.length : key.times * key.keys.length)
  }, 0)
}
