import { expect, test } from 'vitest'
import { refusal } from '../../api/client/errors/api-error.ts'
import type { Client } from '../../api/client/client.ts'
import { sendRerun } from './rerun-launch.ts'

test('a rerun without a name may have begun, also if the runs of its suite cannot be read', async () => {
  const list = () => Promise.reject(refusal('local-only', 'No access.'))
  const client = { runs: { list } } as unknown as Client
  const sent = await sendRerun(client, { projectId: 'p', suiteId: 's' }, [], async () => ({ runId: null }))
  expect(sent).toEqual({ kind: 'unclear', runs: [], lost: undefined })
})
