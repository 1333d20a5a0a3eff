import { expect, test } from 'vitest'
import { inWorkspace } from '../prepared-workspace.ts'
import { scriptedModel } from '../service/scripted-model.ts'
import { openHome } from './program.ts'

test('ask answers, prints what is only proposed, and --approve does it once', async () => {
  const home = await openHome()
  try {
    const { suiteId } = await inWorkspace(home.home, async ({ client, projectId }) => {
      const [suite] = (await client.suites.list({ projectId })).items
      return { suiteId: suite!.id }
    })
    const model = await scriptedModel(({ results, prompts }) =>
      results.length > 0 || prompts[0] !== 'Rename it'
        ? { text: `You said: ${prompts.join()}` }
        : { calls: [{ name: 'updateEvalSuite', args: { suiteId, body: { name: 'Renamed' } } }] },
    )
    const env = { MCPDECK_MODEL_BASE_URL: model.settings.baseUrl, MCPDECK_MODEL: 'small' }
    expect(await home.run(['ask', 'Hello'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('MCPDECK_MODEL_BASE_URL'),
    })
    expect(await home.run(['ask'], { env, input: 'Hello\n' })).toMatchObject({ code: 0, stdout: 'You said: Hello\n' })

    const goesOn = await home.run(['ask', '--continue', 'Again'], { env })
    expect(goesOn).toMatchObject({ code: 0, stdout: 'You said: Hello,Again\n' })
    expect(goesOn.stderr).toContain('Today, since 00:00 UTC: 2 turns, 20 tokens in and 10 out.')

    const asked = await home.run(['ask', 'Rename it'], { env })
    expect(asked).toMatchObject({ code: 0, stdout: 'You said: Rename it\n' })
    expect((await home.run(['get', 'suites'])).stdout).not.toContain('Renamed')
    const actionId = /--approve (act_\w+)/.exec(asked.stderr)?.[1] ?? ''
    expect(await home.run(['ask', '--approve', actionId])).toMatchObject({ code: 0 })
    expect((await home.run(['get', 'suites'])).stdout).toContain('Renamed')
    expect(await home.run(['ask', '--approve', actionId])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('no proposal'),
    })
  } finally {
    await home.close()
  }
}, 60_000)
