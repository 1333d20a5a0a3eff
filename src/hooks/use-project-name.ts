import { useApiQuery } from './use-api-query.ts'
import { useWorkspace } from './workspace.tsx'

/** A project's name, or its id while the name is not known. */
export function useProjectName(projectId: string): string {
  const { queries } = useWorkspace()
  const projects = useApiQuery(queries.projects.list.options({}))
  return projects.data?.items.find(project => project.id === projectId)?.name ?? projectId
}
