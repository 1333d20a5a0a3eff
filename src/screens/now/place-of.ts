import type { NowTarget } from '../../domain/now/line.ts'
import type { Place } from '../../tui/router/place.ts'
import { findingsRoute } from '../findings/route.ts'
import { projectsRoute } from '../projects/route.ts'
import { runsRoute } from '../runs/route.ts'
import { scenariosRoute } from '../scenarios/route.ts'
import { serversRoute } from '../servers/route.ts'
import { wavePlace } from '../swarms/route.ts'

/** Returns the place that a line leads to; undefined if there is nothing more to show. */
export function placeOf(target: NowTarget): Place | undefined {
  switch (target.to) {
    case 'run': {
      const { projectId, suiteId, runId, failed } = target
      const tab = failed ? 'trials' : undefined
      return runsRoute.to({ projectId, suiteId: suiteId || undefined, runId, pane: 'run', tab })
    }
    case 'wave':
      return wavePlace(target.projectId, target.waveId)
    case 'server':
      return serversRoute.to({ projectId: target.projectId, serverId: target.serverId, pane: 'detail', tab: 'doctor' })
    case 'finding':
      return findingsRoute.to({
        projectId: target.projectId,
        findingId: target.findingId,
        scenarioId: target.scenarioId,
        pane: 'detail',
      })
    case 'scenario':
      return scenariosRoute.to({ projectId: target.projectId, scenarioId: target.scenarioId, pane: 'detail' })
    case 'suite':
      return runsRoute.to({ projectId: target.projectId, suiteId: target.suiteId })
    case 'project':
      return projectsRoute.to({ projectId: target.projectId })
    case 'here':
      return undefined
  }
}
