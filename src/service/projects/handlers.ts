import { ServiceError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { announcedLimits } from '../core/limits/settings.ts'
import type { Caller } from '../core/access/keys.ts'
import { permissionsOf, sandboxesOf } from './permissions.ts'
import { requireRole, roleIn } from '../core/access/rights.ts'
import type { ProjectRole } from '../../api/contract/endpoint.ts'
import type { ProjectRow } from '../core/access/rows.ts'
import { pageOf } from '../core/list-page.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

export function projectHandlers({ store, runs, connections, limits }: ServiceContext): Handlers['projects'] {
  return {
    list({ caller, query }) {
      if (query.organizationId !== undefined && query.organizationId !== caller.organizationId)
        throw new ServiceError('NOT_FOUND', `There is no organization ${query.organizationId}.`)
      const reachable = store.projects.list(caller.organizationId).flatMap(project => {
        const role = roleIn(caller, project)
        return role && role !== 'guest' ? [toProject(project, role)] : []
      })
      return pageOf(store.cursors, { list: `projects/${caller.keyId}`, items: reachable, query })
    },
    create: ({ caller, body }) =>
      store.write(() => {
        if (body.organizationId !== undefined && body.organizationId !== caller.organizationId)
          throw new ServiceError('NOT_FOUND', `There is no organization ${body.organizationId}.`)
        requireRole(caller.role ?? undefined, 'member')
        const now = Date.now()
        const project: ProjectRow = {
          id: newId('prj'),
          organizationId: caller.organizationId,
          name: body.name,
          description: body.description ?? null,
          icon: body.icon ?? null,
          visibility: body.visibility ?? 'private',
          createdAt: now,
          updatedAt: now,
        }
        store.projects.insert(project)
        // Its maker administrates it, whatever the key may do elsewhere.
        store.keys.grant(caller.keyId, project.id, 'admin')
        return toProject(project, 'admin')
      }),
    update: ({ project, body, caller }) =>
      store.write(() => {
        const updated = { ...project, ...body, updatedAt: Date.now() }
        store.projects.update(updated)
        return toProject(updated, roleIn(caller, project))
      }),
    delete({ project }) {
      const serverIds = store.write(() => {
        const servers = store.servers.list(project.id)
        store.projects.delete(project.id)
        return servers.map(({ id }) => id)
      })
      runs.stopDeleted()
      for (const id of serverIds) connections.drop(id)
      return { id: project.id, deleted: true }
    },
    capabilities({ project, caller }) {
      const role = roleIn(caller, project)
      return {
        projectId: project.id,
        organizationId: project.organizationId,
        role: organizationRoleOf(caller),
        projectRole: role ?? null,
        surface: 'rest',
        features: { sandboxes: sandboxesOf(limits, project.organizationId) },
        plan: { name: 'local', limits: announcedLimits(limits, project.organizationId), features: {} },
        can: permissionsOf(limits, project.organizationId, role),
      }
    },
  }
}

/** The organization role that a key's general role stands for; a key with grants only is a guest there. */
export function organizationRoleOf({ role }: Caller): 'owner' | 'member' | 'guest' {
  if (role === 'admin') return 'owner'
  return role === 'editor' || role === 'member' ? 'member' : 'guest'
}

function toProject(project: ProjectRow, role: ProjectRole | undefined) {
  return { ...project, role: role ?? null }
}
