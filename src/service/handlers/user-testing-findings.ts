import { requireFinding, setDismissed, toScenarioFinding } from '../findings/records.ts'
import { scopeOf } from '../findings/record.ts'
import { requireScenario } from '../scenarios/records.ts'
import type { FindingScope } from '../store/findings.ts'
import type { ProjectRow } from '../store/projects.ts'
import type { Store } from '../workspace/store.ts'
import { pageOf } from '../core/list-page.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

type ScenarioCall = { project: ProjectRow; params: { scenarioId: string } }

export function userTestingFindingHandlers({ store }: ServiceContext): Handlers['userTestingFindings'] {
  const dismissal = (dismissed: boolean) => (call: ScenarioCall & { params: { findingId: string } }) =>
    store.write(() => {
      const scope = findingScopeOf(store, call)
      const row = requireFinding(store, scope, call.params.findingId)
      setDismissed(store, row, dismissed)
      return { id: row.id, scenarioId: scope.scope, projectId: call.project.id, dismissed }
    })
  return {
    list: call =>
      store.read(() => {
        const scope = findingScopeOf(store, call)
        const list = `findings/${scope.scope}`
        const rows = pageOf(store.cursors, { list, items: store.findings.list(scope), query: call.query })
        return { ...rows, items: rows.items.map(row => toScenarioFinding(store, row)) }
      }),
    dismiss: dismissal(true),
    undismiss: dismissal(false),
  }
}

function findingScopeOf(store: Store, { project, params }: ScenarioCall): FindingScope {
  const { id: scenarioId } = requireScenario(store, project.id, params.scenarioId)
  return scopeOf(project.id, { kind: 'user-testing', scenarioId })
}
