import { useWholeList } from './use-whole-list.ts'
import { useWorkspace } from './workspace.tsx'

/** Returns a project's name, or its id while the name is unknown. */
export function useProjectName(projectId: string): string {
  const { queries } = useWorkspace()
  const projects = useWholeList(queries.projects.list, {})
  return projects.items?.find(project => project.id === projectId)?.name ?? projectId
}
