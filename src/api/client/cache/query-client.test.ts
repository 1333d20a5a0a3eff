import { QueryObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { createQueryClient, readAgain } from './query-client.ts'
import { PATIENCE } from '../../../../test/patience.ts'

test('an answer that was already under way when data was refreshed is read again', async () => {
  const queryClient = createQueryClient()
  const answers: PromiseWithResolvers<string>[] = []
  const answered = async (): Promise<string> => {
    const answer = Promise.withResolvers<string>()
    answers.push(answer)
    return await answer.promise
  }
  const observer = new QueryObserver(queryClient, { queryKey: ['scenarios', 'list'], queryFn: answered })
  const stop = observer.subscribe(() => undefined)
  const again = readAgain(queryClient)
  answers[0]!.resolve('before')
  await Promise.resolve()
  await expect.poll(() => answers.length, PATIENCE).toBe(2)
  answers[1]!.resolve('after')
  await again
  expect(observer.getCurrentResult().data).toBe('after')
  stop()
  queryClient.clear()
})
