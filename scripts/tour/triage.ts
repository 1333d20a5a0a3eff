import { recordFindings, removeFinding } from '../../test/many-findings.ts'
import { inWorkspace } from '../../test/prepared-workspace.ts'
import { createHome, removeHome } from '../../test/pty/home.ts'
import { Chapter, openOnTheDay } from './recorder.ts'

/** Records how 500 findings are triaged by keys alone. */
export async function triage(): Promise<Chapter> {
  const chapter = new Chapter(
    'Triage of 500 findings',
    'Three waves gave 500 findings; the 100 recurring ones come first. 120×40, cut where rows repeat.',
  )
  const home = createHome()
  try {
    const { projectId, dataDir } = await inWorkspace(home, async ({ store, projectId, dataDir }) => {
      recordFindings(store, projectId, 500)
      return { projectId, dataDir }
    })
    await using terminal = openOnTheDay({ cols: 120, rows: 40, home, args: [`projects/${projectId}/findings`] })
    await chapter.stop(terminal, {
      title: 'All findings',
      words: 'Every finding with its status, whether it is dismissed, and the number of waves that saw it.',
      until: 'Findings 1 of 500',
      picture: 'findings',
    })
    await chapter.stop(terminal, {
      title: 'Only recurring ones',
      words: 'The filters unresolved, new, regressed, recurring; the title names the present one.',
      keys: [{ times: 4, keys: ['f'] }],
      until: /Findings 1 of 100\/500 ─+ recurring/,
    })
    await chapter.stop(terminal, {
      title: 'Forty marked',
      words: 'Marks stay with their findings when the list changes; the border counts them.',
      keys: [{ times: 40, keys: ['space', 'j'] }],
      until: '40 marked',
    })
    await chapter.stop(terminal, {
      title: 'Dismissing',
      words: 'The question says what dismissing does; it starts on Cancel.',
      keys: ['a'],
      until: 'Dismiss 40 findings?',
    })
    const [, label = ''] = /▌?↻ recurring +[a-z ]+: ([a-z ]+ \d+)/.exec(terminal.screen()) ?? []
    removeFinding(dataDir, label)
    await chapter.stop(terminal, {
      title: 'One refusal',
      words:
        'Another process has removed one of the forty. The service refuses that one and dismisses the others; the footer counts both.',
      keys: ['down', 'enter'],
      until: /Dismissed 39 of 40 findings; 1 refused \(Not found\)/,
    })
    await chapter.stop(terminal, {
      title: 'Undo',
      words: 'Only the dismissed findings are shown again.',
      keys: ['Z'],
      until: '39 findings shown again.',
    })
    await chapter.stop(terminal, {
      title: 'Filter by text',
      words: 'The list filter applies in addition to the filter by status.',
      keys: ['/', { text: 'refund 05' }],
      until: /Findings 1 of \d\/499/,
    })
  } finally {
    removeHome(home)
  }
  return chapter
}
