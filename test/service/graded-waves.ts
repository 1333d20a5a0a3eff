import { recordGradedWave, type Sighting, type WaveSource } from '../../src/service/findings/records.ts'
import type { Store } from '../../src/service/core/database/store.ts'
import { json } from './journey-cast.ts'
import type { Answer, Asked } from './scripted-model.ts'

export const SWARM: WaveSource = { kind: 'swarm' }

export function sighting(name: string, fields: Partial<Sighting> = {}): Sighting {
  return {
    fingerprint: name,
    dimension: 'goal',
    subject: { kind: 'journey', id: `id-${name}`, label: name },
    title: `The goal of ${name} is not reached`,
    evidence: [],
    ...fields,
  }
}

type Wave = { projectId: string; waveId: string; at: number; source?: WaveSource }

/** Records a wave that checked everything and saw these failures. */
export function record(store: Store, wave: Wave, sightings: Sighting[]): void {
  store.write(() => recordGradedWave(store, { source: SWARM, covers: () => true, ...wave, sightings }))
}

/** Sets a number or a gate of the workspace's own organization. */
export function set(store: Store, name: string, value: string): void {
  const organizationId = store.settings.get('localOrganizationId')!
  store.write(() => store.organizationSettings.set(organizationId, name, value))
}

export type Adviser = (asked: Asked) => Answer

/** Whether the request is for advice on failures. */
export const isForAdvice = ({ system }: Asked) => system.startsWith('You advise')
/** Whether the request is for observations beyond the failures. */
export const isForDiscovery = ({ system }: Asked) => system.startsWith('You look for what nobody asked')

/** Gives advice on every failure in the request. */
export const advice: Adviser = ({ prompts }) => {
  const { failures } = JSON.parse(prompts[0] ?? '') as { failures: { failure: number; title: string }[] }
  return json({
    summary: `Problems: ${failures.length}.`,
    advice: failures.map(({ failure, title }) => ({
      failure,
      rootCause: `Why: ${title}`,
      recommendation: `Mend it: ${title}`,
      acceptanceCriteria: ['It works.'],
      confidence: 'medium',
    })),
  })
}
