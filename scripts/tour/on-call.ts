import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Chapter, openOnTheDay } from './recorder.ts'

/** Records how a failed run is found on Now, noted, acknowledged, and its incident exported; `home` contains one. */
export async function onCall(home: string): Promise<Chapter> {
  const chapter = new Chapter(
    'On call',
    'The same workspace a moment later, with the failed run and the samples. 120×40, then 80×24.',
  )
  {
    await using terminal = openOnTheDay({ cols: 120, rows: 40, home, args: ['now'] })
    await chapter.stop(terminal, {
      title: 'Now',
      words: 'What needs attention in the chosen projects, and when each was read.',
      until: /run failed +Reference server smoke/,
      picture: 'now',
    })
    await chapter.stop(terminal, {
      title: 'Pinned with a note',
      words: 'The selected line goes into the incident notebook with a note and the time.',
      keys: [/▌high +✗ run failed/, 'P'],
      until: 'Pinned run Reference server smoke #1',
    })
    await chapter.stop(terminal, {
      title: 'Acknowledged',
      words: 'The line is hidden until it changes.',
      keys: [{ text: 'someone looks at it, key sk_live_0123456789abcdef0123' }, 'enter', /into/, 'a'],
      until: 'Acknowledged 1 line',
    })
  }
  await using terminal = openOnTheDay({ cols: 80, rows: 24, home, args: ['now'] })
  await chapter.stop(terminal, {
    title: 'The notebook',
    words: 'The pinned items in order.',
    keys: [/All clear|▌high|▌medium/, '8', /▌/, 'enter'],
    until: /run +someone looks/,
  })
  await chapter.stop(terminal, {
    title: 'Exported',
    words: 'The incident as Markdown, for a ticket or a chat: a private file without secrets.',
    keys: ['w', /Export the incident/, 'ctrl+u', { text: 'incident.md' }, 'enter'],
    until: 'Wrote ',
  })
  chapter.add('The file:', await readFile(join(home, 'incident.md'), 'utf8'), 'markdown')
  return chapter
}
