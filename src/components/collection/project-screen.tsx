import type { ComponentType, ReactNode } from 'react'
import { usePlace, useRouter } from '../../tui/router/router-context.tsx'
import { useWholeList } from '../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { NeedsProject } from '../needs-project.tsx'

/**
 * A screen of one project. Without one in its place it goes on with the only project that there is, or lets choose one.
 * @param what what the screen shows, such as `servers`
 */
export function projectScreen(what: string, Content: ComponentType<{ projectId: string }>): () => ReactNode {
  return function ProjectScreen() {
    const { projectId } = usePlace().params
    return projectId ? <Content key={projectId} projectId={projectId} /> : <WithoutProject what={what} />
  }
}

function WithoutProject({ what }: { what: string }) {
  const { queries } = useWorkspace()
  const router = useRouter()
  const projects = useWholeList(queries.projects.list, {})
  return <NeedsProject what={what} projects={projects} open={projectId => router.replace({ projectId })} />
}
