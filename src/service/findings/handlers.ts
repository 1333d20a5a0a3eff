import { scopeOf } from './record.ts'
import type { ProjectRow } from '../core/database/rows.ts'
import { latestPage } from '../core/list-page.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import { requireFinding, setDismissed, toSwarmFinding } from './records.ts'

export function journeyFindingHandlers({ store }: ServiceContext): Handlers['journeyFindings'] {
  const scopeIn = (projectId: string) => scopeOf(projectId, { kind: 'swarm' })
  const dismissal =
    (dismissed: boolean) =>
    ({ project, params }: { project: ProjectRow; params: { findingId: string } }) =>
      store.write(() => {
        const row = requireFinding(store, scopeIn(project.id), params.findingId)
        setDismissed(store, row, dismissed)
        return { id: row.id, projectId: project.id, dismissed }
      })
  return {
    list: ({ project, query }) =>
      latestPage(
        store,
        {
          name: 'findings',
          ownerId: project.id,
          query,
          page: (projectId, before, limit) => store.findings.page(scopeIn(projectId), before, limit),
        },
        toSwarmFinding,
      ),
    dismiss: dismissal(true),
    undismiss: dismissal(false),
  }
}
