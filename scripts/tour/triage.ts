import { recordFindings, removeFinding } from '../../test/many-findings.ts'
import { inWorkspace } from '../../test/prepared-workspace.ts'
import { createHome, removeHome } from '../../test/pty/home.ts'
import { Chapter, openOnTheDay } from './recorder.ts'

/** 500 findings are triaged by keys alone. */
export async function triage(): Promise<Chapter> {
  const chapter = new Chapter(
    'Triage of 500 findings',
    'Three waves left 500 findings; the 100 that come again and again are looked at first. 120×40, cut where rows repeat.',
  )
  const home = createHome()
  try {
    const { projectId, dataDir } = await inWorkspace(home, async ({ store, projectId, dataDir }) => {
      recordFindings(store, projectId, 500)
      return { projectId, dataDir }
    })
    await using terminal = openOnTheDay({ cols: 120, rows: 40, home, args: [`projects/${projectId}/findings`] })
    await chapter.stop(terminal, {
      title: 'All of them',
      words: 'Every finding with its status, whether it is dismissed, and in how many waves it was seen.',
      until: 'Findings 1 of 500',
      rows: 30,
      picture: 'findings',
    })
    await chapter.stop(terminal, {
      title: 'Only what comes again',
      words: 'Unresolved, new, regressed, recurring: the title of the list says what it is filtered by.',
      keys: [{ times: 4, keys: ['f'] }],
      until: /Findings 1 of 100\/500 ─+ recurring/,
      rows: 12,
    })
    await chapter.stop(terminal, {
      title: 'Forty are marked',
      words: 'Marks stay with their findings, whatever the list does; the border counts them.',
      keys: [{ times: 40, keys: ['space', 'j'] }],
      until: '40 marked',
    })
    await chapter.stop(terminal, {
      title: 'What dismissing means',
      words: 'The question says what it does and what it does not; it starts on Cancel.',
      keys: ['a'],
      until: 'Dismiss 40 findings?',
      rows: 28,
    })
    const [, label = ''] = /▌?● recurring +([a-z ]+ \d+)/.exec(terminal.screen()) ?? []
    removeFinding(dataDir, label)
    await chapter.stop(terminal, {
      title: 'One is refused',
      words:
        'Meanwhile another process took one of the forty away. The service refuses that one; the others are dismissed, and the footer counts both.',
      keys: ['down', 'enter'],
      until: /Dismissed 39 of 40 findings; 1 refused \(Not found\)/,
    })
    await chapter.stop(terminal, {
      title: 'Taken back',
      words: 'What was dismissed is shown again, and nothing else.',
      keys: ['Z'],
      until: '39 findings shown again.',
      rows: 12,
    })
    await chapter.stop(terminal, {
      title: 'Found by letters',
      words: 'The filter of the list, on top of the filter by status.',
      keys: ['/', { text: 'refund 05' }],
      until: /Findings 1 of \d\/499/,
      rows: 12,
    })
  } finally {
    removeHome(home)
  }
  return chapter
}
