import { onTestFinished } from 'vitest'
import { answer, startHttpServer } from '../../servers/http-server.ts'
import { cast, graded, wantsSum } from '../journey-cast.ts'
import { scriptedModel, type Answer } from '../scripted-model.ts'
import type { Verdict } from './steps.ts'

/** When to stop a wave: at which request to its models, counted from 1, and whether that one is answered. */
export type Stop = { at: number; answered: boolean }

/**
 * The model and the MCP server of all runs, in the process of the test, so that they outlive the service. The server's
 * `count` answers done or fails as it is told, and its `wait` never answers.
 */
export async function createPlayers() {
  let verdict: Verdict = { goalReached: true, failed: [], tool: 'works', graderBreaks: false }
  let stop: Stop | undefined
  let asked = 0
  const play = cast({
    persona: wantsSum,
    assistant: ({ results }) =>
      verdict.tool === 'unused' || results.length > 0
        ? { text: 'It is done.' }
        : { calls: [{ name: 'count', args: { fails: verdict.tool === 'fails' } }] },
    grader: (): Answer =>
      verdict.graderBreaks
        ? { status: 400, message: 'no grades today' }
        : graded(verdict.goalReached ? 1 : 0.1, verdict.failed),
  })
  const model = await scriptedModel(question => {
    asked += 1
    return stop && !stop.answered && asked >= stop.at ? 'silence' : play(question)
  })
  const server = await startHttpServer({
    'tools/list': (message, _request, response) =>
      answer(response, message, { tools: ['count', 'wait'].map(name => ({ name, inputSchema: { type: 'object' } })) }),
    'tools/call': (message, _request, response) => {
      const { name, arguments: args } = message.params as { name: string; arguments?: { fails?: boolean } }
      if (name === 'wait') return
      answer(response, message, {
        content: [{ type: 'text', text: args?.fails ? 'cannot' : 'done' }],
        isError: args?.fails ?? false,
      })
    },
  })
  onTestFinished(() => server.close())
  return {
    models: { ...model.settings, model: 'player' },
    serverUrl: server.url,
    /** The behaviour of the players from now on. */
    direct(next: Verdict, until?: Stop) {
      verdict = next
      stop = until
      asked = 0
    },
    /** Whether the models have received this many requests. */
    wasAsked: (times: number) => asked >= times,
  }
}

export type Players = Awaited<ReturnType<typeof createPlayers>>
