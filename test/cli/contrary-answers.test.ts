import { expect, test } from 'vitest'
import { openStage } from './stage.ts'

test('a dismissal is no success if its answer says otherwise', async ending => {
  const { home, service } = await openStage(ending)
  service.answers['GET /projects/p1/journey-findings'] = () => ({ body: { items: [{ id: 'f1', status: 'new' }] } })
  service.answers['GET /projects/p1/scenarios'] = () => ({ body: { items: [] } })
  const dismiss = async (dismissed: boolean, ...args: string[]) => {
    for (const name of ['dismiss', 'undismiss'])
      service.answers[`POST /projects/p1/journey-findings/f1/${name}`] = () => ({ body: { id: 'f1', dismissed } })
    return await home.run(['dismiss', 'f1', ...args, '--yes'], { env: service.env })
  }
  expect(await dismiss(true)).toMatchObject({ code: 0, stderr: expect.stringContaining('f1 is dismissed') })
  expect(await dismiss(false)).toMatchObject({ code: 3, stderr: expect.stringContaining('f1 is not dismissed') })
  expect(await dismiss(false, '--undo')).toMatchObject({ code: 0, stderr: expect.stringContaining('shown again') })
  expect(await dismiss(true, '--undo')).toMatchObject({ code: 3, stderr: expect.stringContaining('still dismissed') })
})

test('a search that the service cannot do finds nothing out', async ending => {
  const { home, service } = await openStage(ending)
  service.answers['GET /projects/p1/sessions'] = () => ({ body: { items: [] } })
  const search = (...args: string[]) => home.run(['search', 'rain', ...args], { env: service.env })
  const titles = await search()
  expect(titles).toMatchObject({ code: 0, stderr: expect.stringContaining('No session has it in its title.') })
  const none = await search('--scope', 'transcripts')
  expect(none).toMatchObject({ code: 3, stderr: 'This service does not search transcripts.\n' })
})
