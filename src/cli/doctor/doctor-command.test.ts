import { expect, onTestFinished, test } from 'vitest'
import { slowAnswer } from '../../../test/pause.ts'
import type { CommandContext } from '../workspace/in-workspace.ts'
import { examineNamed } from './doctor-command.ts'

test('a failure of a later server while an earlier one is examined ends the command, not the process', async () => {
  const unhandled: unknown[] = []
  const note = (error: unknown) => void unhandled.push(error)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  const context = {
    projectId: async () => 'p1',
    find: async (_noun: string, name: string) => ({ id: name, name, enabled: true }),
    common: {},
    client: {
      servers: {
        async doctor({ serverId }: { serverId: string }) {
          if (serverId === 'slow') await slowAnswer(50, undefined)
          throw new TypeError(serverId)
        },
      },
    },
  } as unknown as CommandContext
  await expect(examineNamed(context, ['slow', 'broken'], {})).rejects.toThrow('slow')
  expect(unhandled).toEqual([])
})
