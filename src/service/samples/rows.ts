import type { Database } from '../../lib/sqlite.ts'

/** Kinds of marked records in the order in which they are deleted: records that refer to others come first. */
export const SAMPLE_KINDS = [
  'readinessRun',
  'suite',
  'journey',
  'scenario',
  'swarm',
  'environment',
  'persona',
  'client',
] as const
export type SampleKind = (typeof SAMPLE_KINDS)[number]

/** Parts in which samples are inserted, so that no part takes long. */
export const SAMPLE_STEPS = ['cast', 'nights', 'waves', 'visits', 'readiness'] as const
export type SampleStep = (typeof SAMPLE_STEPS)[number]

export type SampleRow = { kind: SampleKind; recordId: string; projectId: string }

export type NamedSample = { kind: SampleKind; id: string; name: string | null }

/** Names to show for records that have no name. */
const NAMES: Partial<Record<SampleKind, string>> = { readinessRun: `'Sample: readiness for ' || readinessRun.kind` }

/** Data that belongs to a record but is not deleted together with its row. */
const BELONGING: Partial<Record<SampleKind, readonly string[]>> = {
  suite: ['DELETE FROM run WHERE suiteId = :id'],
  journey: [
    `DELETE FROM insights WHERE scope = 'swarm'
     AND EXISTS (SELECT 1 FROM journeyRun r
                 WHERE r.projectId = insights.projectId AND r.waveId = insights.waveId AND r.journeyId = :id)
     AND NOT EXISTS (SELECT 1 FROM journeyRun r
                     WHERE r.projectId = insights.projectId AND r.waveId = insights.waveId AND r.journeyId <> :id)`,
    `DELETE FROM finding WHERE scope = 'swarm' AND substr(subjectId || '/', 1, length(:id) + 1) = :id || '/'`,
    'DELETE FROM journeyRun WHERE journeyId = :id',
  ],
  scenario: ['DELETE FROM insights WHERE scope = :id', 'DELETE FROM finding WHERE scope = :id'],
}

/** Queries that find a remaining record that refers to a given one. */
const NAMED_BY: Partial<Record<SampleKind, string>> = {
  swarm: 'SELECT 1 FROM journey WHERE swarmId = :id',
  environment: `
    SELECT 1 FROM scenario WHERE environmentId = :id
    UNION ALL SELECT 1 FROM journey, json_each(environmentIds) WHERE value = :id
    UNION ALL SELECT 1 FROM swarm, json_each(environmentIds) WHERE value = :id
    UNION ALL SELECT 1 FROM suite, json_each(settings, '$.environmentIds') WHERE value = :id
    UNION ALL SELECT 1 FROM suiteSchedule WHERE environmentId = :id`,
  persona: 'SELECT 1 FROM journey WHERE personaId = :id',
  client: `
    SELECT 1 FROM environment WHERE clientId = :id
    UNION ALL SELECT 1 FROM journey, json_each(clientIds) WHERE value = :id
    UNION ALL SELECT 1 FROM suite, json_each(settings, '$.clients') WHERE value ->> 'clientId' = :id`,
}

export function createSampleRows(database: Database) {
  const list = () =>
    SAMPLE_KINDS.flatMap(kind =>
      database.all<NamedSample>(
        `SELECT sample.kind, id, ${NAMES[kind] ?? 'name'} AS name FROM sample JOIN ${kind} ON id = recordId
         WHERE sample.kind = :kind ORDER BY id`,
        { kind },
      ),
    )
  const remove = ({ kind, id }: NamedSample): boolean => {
    for (const sql of BELONGING[kind] ?? []) database.run(sql, { id })
    const named = NAMED_BY[kind]
    if (named !== undefined && database.get(`${named} LIMIT 1`, { id })) return false
    return database.run(`DELETE FROM ${kind} WHERE id = :id`, { id }) > 0
  }
  const setDue = (steps: readonly SampleStep[]) => {
    database.run('DELETE FROM sampleDue')
    for (const [position, step] of steps.entries())
      database.run('INSERT INTO sampleDue (position, step) VALUES (:position, :step)', { position, step })
  }
  return {
    list,
    due: () =>
      database.all<{ step: SampleStep }>('SELECT step FROM sampleDue ORDER BY position').map(({ step }) => step),
    setDue,
    insert: (row: SampleRow) =>
      void database.run('INSERT INTO sample (kind, recordId, projectId) VALUES (:kind, :recordId, :projectId)', row),
    /**
     * Deletes the data of the samples, and every sample to which no other record refers. Afterwards nothing is marked
     * as a sample, and no part is due.
     */
    removeAll(): { removed: NamedSample[]; kept: NamedSample[] } {
      const all = list().map(sample => ({ sample, isRemoved: remove(sample) }))
      database.run('DELETE FROM sample')
      setDue([])
      const of = (removed: boolean) => all.flatMap(({ sample, isRemoved }) => (isRemoved === removed ? sample : []))
      return { removed: of(true), kept: of(false) }
    },
  }
}
