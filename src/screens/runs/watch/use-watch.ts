import { useQueryClient } from '@tanstack/react-query'
import { contract } from '../../../api/contract/contract.ts'
import type { EvalSuite } from '../../../api/contract/suites.ts'
import { advice } from '../../../api/client/errors/error-advice.ts'
import { launchObstacle } from '../../../domain/runs/launch-rules.ts'
import { patternOfCommand, patternsIn } from '../../../domain/watching/watch-patterns.ts'
import { costOf, MOST_RUNS, serversOf } from '../../../domain/watching/watched-suite.ts'
import { clean } from '../../../tui/theme/text.ts'
import { useAskText } from '../../../components/ask-text.tsx'
import { useOpening } from '../../../components/opening.tsx'
import { useNotify } from '../../../hooks/notify.tsx'
import { useRunTask } from '../../../hooks/tasks.tsx'
import { useWorkspace } from '../../../hooks/workspace.tsx'

const NONE = { environmentIds: [], clientIds: [], serverIds: [] }
const USUAL_PATTERN = 'src/**'

/** Starts watching files for a suite, after saying what that costs, or stops. */
export function useWatch(projectId: string): (suite: EvalSuite) => Promise<void> {
  const { client, queries, watches, storedReaches } = useWorkspace()
  const queryClient = useQueryClient()
  const opening = useOpening(useRunTask())
  const ask = useAskText()
  const notify = useNotify()
  return async listed => {
    const name = clean(listed.name ?? listed.id)
    if (!watches) return
    if (watches.list().some(({ suiteId }) => suiteId === listed.id)) {
      watches.stop(listed.id)
      notify('ok', `${name} is no longer watched.`)
      return
    }
    const input = { projectId, suiteId: listed.id }
    const read = await opening({
      start: `Reading ${name}…`,
      work: async () => {
        const suite = await queryClient.fetchQuery({ ...queries.suites.get.options(input), staleTime: 0 })
        return {
          suite,
          cases: await client.items(contract.cases.list, input),
          servers: await serversOf(client, projectId, suite, NONE),
        }
      },
    })
    if (!read) return
    const { suite, cases, servers } = read
    const obstacle = launchObstacle(suite, NONE)
    if (obstacle) {
      const words = advice[obstacle.reason]
      const why = obstacle.sentence ?? (typeof words.sentence === 'string' ? words.sentence : words.title)
      notify('warn', `${why} mcpdeck run --watch-files takes --environment and --server.`)
      return
    }
    const cost = costOf(suite, cases, { most: MOST_RUNS })
    const reaches = await Promise.all(servers.map(async ({ id }) => await storedReaches?.of(id)))
    const suggested = reaches.flatMap(reach => (reach && patternOfCommand(reach, process.cwd())) ?? [])
    const remote = servers.filter(({ isProgram }) => !isProgram).map(server => clean(server.name))
    const text = await ask({
      title: `Watch files for ${name}`,
      lines: [
        'It runs now, and again whenever a matching file changes.',
        'Patterns are relative to the folder where mcpdeck was started.',
        cost ?? 'Its cases use no model.',
        ...(remote.length > 0
          ? [`${remote.join(', ')}: over HTTP, so the running server is tested, restarted or not.`]
          : []),
      ],
      initial: watches.patternOf(suite.id) ?? suggested[0] ?? USUAL_PATTERN,
    })
    if (text === undefined || patternsIn(text).length === 0) return
    watches.start({ projectId, suite, pattern: text.trim(), mostRuns: cost === undefined ? undefined : MOST_RUNS })
  }
}
