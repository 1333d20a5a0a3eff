import { suiteWriter } from '../../test/agent-stage.ts'
import { inWorkspace } from '../../test/prepared-workspace.ts'
import { createHome, removeHome } from '../../test/pty/home.ts'
import { openScriptedModel } from '../../test/service/scripted-model.ts'
import { Chapter, openOnTheDay } from './recorder.ts'

/** Records how the agent writes a suite, proposes its run, and explains why it failed. */
export async function agent(): Promise<Chapter> {
  const chapter = new Chapter('The agent', 'With a scripted model. 100×30.')
  const home = createHome()
  const model = await openScriptedModel(suiteWriter)
  try {
    const projectId = await inWorkspace(home, async at => at.projectId)
    const env = { MCPDECK_MODEL_BASE_URL: model.settings.baseUrl, MCPDECK_MODEL: 'small' }
    const args = [`projects/${projectId}/servers`]
    await using terminal = openOnTheDay({ cols: 100, rows: 30, home, env, args })
    await chapter.stop(terminal, {
      title: 'Asking',
      words: 'On any screen. The question includes the selected item; runs, findings and servers suggest questions.',
      keys: [/▌everything +stdio/, ';'],
      until: 'What changed on this server since last week?',
    })
    await chapter.stop(terminal, {
      title: 'What it did',
      words: 'The reply, the tokens, and what it proposed, created and called. It never spends without approval.',
      keys: ['ctrl+u', { text: 'Write a suite for it and run it' }, 'enter', /Smoke has one case/, 'tab'],
      until: '▌proposed',
    })
    await chapter.stop(terminal, {
      title: 'A proposed action',
      words: 'The effect and the whole input; the answer starts on Cancel.',
      keys: ['enter'],
      until: /createEvalRun spends credits[^]*❯ Cancel/,
    })
    await chapter.stop(terminal, {
      title: 'Approved',
      words: 'It is sent once, as your own request; `Enter` opens the new run.',
      keys: ['down', 'enter', /▌approved/, 'enter'],
      until: /Smoke[^]*✗ failed/,
    })
    await chapter.stop(terminal, {
      title: 'Why it failed',
      words: 'The same key on the run. Each operation links to what it read.',
      keys: [';', /Why did this run fail/, 'down', /> Why did this run fail/, 'enter'],
      until: 'The case Says yes failed',
    })
  } finally {
    model.close()
    removeHome(home)
  }
  return chapter
}
