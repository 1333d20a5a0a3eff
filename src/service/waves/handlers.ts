import { ServiceError } from '../core/errors.ts'
import { documentOf } from '../findings/envelopes.ts'
import { createGeneration, type InsightsSubject } from '../findings/generation.ts'
import { scopeOf } from '../findings/record.ts'
import { swarmWaves } from './facts.ts'
import type { ProjectRow } from '../core/access/rows.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

type WaveCall = { project: ProjectRow; params: { waveId: string } }

export function waveInsightHandlers(context: ServiceContext): Handlers['waveInsights'] {
  const { store } = context
  const generation = createGeneration(context, 'wave-insights', swarmWaves)
  const subjectOf = ({ project, params: { waveId } }: WaveCall): InsightsSubject => ({
    scope: scopeOf(project.id, { kind: 'swarm' }),
    waveId,
  })
  return {
    get(call) {
      const subject = subjectOf(call)
      const { waveId } = subject
      const row = generation.get(subject)
      if (!row) throw new ServiceError('NOT_FOUND', `Nobody has asked for insights of the wave ${waveId}.`)
      const { status, errorCode, errorMessage, updatedAt } = row
      const document = documentOf(store, subject.scope, row)
      const { discovery = null, ...insights } = document ?? {}
      return { waveId, status, insights: document && insights, discovery, errorCode, errorMessage, updatedAt }
    },
    request(call) {
      const { project, caller, params, body } = call
      const { organizationId } = caller
      generation.request(subjectOf(call), { organizationId, force: body?.force ?? false })
      return { waveId: params.waveId, projectId: project.id, status: 'pending' }
    },
    cancel(call) {
      const { waveId } = call.params
      const subject = subjectOf(call)
      if (!swarmWaves.has(store, subject.scope, waveId))
        throw new ServiceError('NOT_FOUND', `There is no wave ${waveId} in this project.`)
      if (!generation.cancel(subject))
        throw new ServiceError('CONFLICT', `No insights of the wave ${waveId} are being generated.`)
      return { waveId, projectId: call.project.id, canceled: true }
    },
  }
}
