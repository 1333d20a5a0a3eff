import { namedItems } from '../../api/client/cache/cached.ts'
import { contract } from '../../api/contract/contract.ts'
import { defineScreen } from '../../tui/router/screen.ts'
import { journeysKeys, personasKeys, runSessionsKeys, swarmsKeys, waveRunsKeys, wavesKeys } from './bindings.ts'
import { swarmsRoute } from './route.ts'

/** The screen of swarms with their journeys, personas and waves. */
export const swarmsScreen = defineScreen({
  route: swarmsRoute,
  title: 'Swarms',
  about: 'Journeys of personas, and their waves.',
  order: 7,
  goKey: 'w',
  bindings: [swarmsKeys, journeysKeys, personasKeys, wavesKeys, waveRunsKeys, runSessionsKeys],
  named: queryClient => [
    ...namedItems(contract.swarms.list, 'swarm', ({ projectId }, swarmId) => swarmsRoute.to({ projectId, swarmId }))(
      queryClient,
    ),
    ...namedItems(contract.journeys.list, 'journey', ({ projectId }, journeyId) =>
      swarmsRoute.to({ projectId, swarmId: projectId, pane: 'detail', tab: 'journeys', journeyId }),
    )(queryClient),
    ...namedItems(contract.personas.list, 'persona', ({ projectId }, personaId) =>
      swarmsRoute.to({ projectId, swarmId: projectId, pane: 'detail', tab: 'personas', personaId }),
    )(queryClient),
  ],
  load: async () => (await import('./screen.tsx')).SwarmsScreen,
})
