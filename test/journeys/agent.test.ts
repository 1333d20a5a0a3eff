import { expect, test } from 'vitest'
import { appKeys } from '../../src/components/everywhere-keys.ts'
import { agentRowsKeys } from '../../src/app/shell/app-keys.ts'
import { confirmKeys, fieldKeys } from '../../src/components/component-keys.ts'
import { talkKeys } from '../../src/components/conversations/talk-keys.ts'
import { projectsKeys } from '../../src/screens/projects/bindings.ts'
import { suiteWriter } from '../agent-stage.ts'
import { openScriptedModel } from '../service/scripted-model.ts'
import { visit } from './visitor.ts'

const { submit, clear } = fieldKeys.bindings
const { next } = talkKeys.bindings
const { open } = agentRowsKeys.bindings

test('the agent writes a suite, which is launched after approval, and explains why it failed', async ending => {
  const model = await openScriptedModel(suiteWriter, 'anthropic')
  ending.onTestFinished(model.close)
  const { baseUrl } = model.settings
  const env = { MCPDECK_MODEL_BASE_URL: baseUrl, MCPDECK_MODEL_KIND: 'anthropic', MCPDECK_MODEL: 'small' }
  await using person = visit({ cols: 80, rows: 24, env })
  await person.see(/▌Sandbox +admin/)
  person.press(projectsKeys.bindings.open)
  await person.see(/▌everything +stdio/)

  person.press(appKeys.bindings.agent)
  await person.see(/or ↓ for one of these[^]*What changed on this server since last week\?/)
  person.press(clear)
  person.type('Write a suite for it and run it')
  person.press(submit)
  await person.see('The suite Smoke has one case.')
  await person.see(/proposed +Start an eval run[^]*created +eval suite Smoke/)
  person.press(next)
  await person.see('▌proposed')
  person.press(open)
  await person.see('createEvalRun spends credits')
  await person.see('❯ Cancel')
  person.press(confirmKeys.bindings.next)
  await person.see(/❯ (?!Cancel)/)
  person.press(confirmKeys.bindings.choose)
  await person.see('▌approved')
  person.press(open)
  await person.see(/Smoke[^]*✗ failed/)

  person.press(appKeys.bindings.agent)
  await person.see('Why did this run fail?')
  person.terminal.press('down')
  await person.see('> Why did this run fail?')
  person.press(submit)
  await person.see('The case Says yes failed')
  expect(person.words()).toContain('expected final text containing "yes"')
  person.press(next)
  await person.see('▌done')
  person.press(open)
  await person.seeGone('The case Says yes failed:')
  await person.see(/Run #1[^]*✗ failed/)
  person.press(appKeys.bindings.quit)
  expect(await person.terminal.waitForExit()).toEqual({ code: 0, signal: undefined })
})
