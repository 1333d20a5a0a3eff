import type { CallOptions, Client } from '../../api/client/client.ts'
import { isMissing } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import { newIdempotencyKey, type AnyEndpoint } from '../../api/contract/endpoint.ts'
import type { EvalCase, EvalSuiteDetail } from '../../api/contract/suites.ts'
import { capabilitiesOf, offWords, refuseClosed } from '../projects/feature-gate.ts'
import { readClients } from '../clients/clients.ts'
import { fileOf, type SuiteFile } from '../suites/suite-file.ts'
import { normalSuite } from '../suites/suite-form.ts'
import { modelOfNew, SEED_TITLE } from '../suites/sync-plan.ts'
import { formOf } from './forms.ts'
import { suiteNames, type NameIndex } from './index-of-names.ts'
import type { DocumentNoun, Form } from './nouns.ts'

type Wire = Record<string, unknown>
/** A row of a list; some environments have no name. */
export type Row = Wire & { id: string; name?: string | null; archived?: boolean | null }

/** A record of the service, converted to a document's form. */
export type StoredForm = { noun: Exclude<DocumentNoun, 'suite'>; id: string; record: Wire; form: Form }
export type StoredSuite = {
  noun: 'suite'
  id: string
  suite: SuiteFile
  detail: EvalSuiteDetail
  cases: readonly EvalCase[]
}
export type Stored = StoredForm | StoredSuite

/** The records of one project, through the operations of the contract. All rejections are ApiError. */
export type DocumentStore = {
  list: (noun: DocumentNoun) => Promise<Row[]>
  /** Returns the current record, taken from its row if that is complete. */
  read: (noun: DocumentNoun, id: string, index: NameIndex, row?: Row) => Promise<Stored>
  create: (noun: DocumentNoun, body: Wire) => Promise<Row>
  update: (noun: DocumentNoun, id: string, body: Wire) => Promise<Row>
  /** Deletes a record. Environments, journeys and swarms are archived instead, as the contract requires. */
  remove: (noun: DocumentNoun, row: Row, force?: boolean) => Promise<void>
}

const ENDPOINTS: Readonly<Record<DocumentNoun, Partial<Record<string, AnyEndpoint>>>> = {
  server: contract.servers,
  client: contract.clients,
  environment: contract.environments,
  suite: contract.suites,
  persona: contract.personas,
  swarm: contract.swarms,
  journey: contract.journeys,
}

/**
 * Returns the nouns that cannot be listed because their feature is off, with the service's reason.
 * @throws ApiError
 */
export async function closedNouns(
  client: Client,
  projectId: string,
  nouns: readonly DocumentNoun[],
): Promise<{ closed: readonly DocumentNoun[]; words: string }> {
  const capabilities = await capabilitiesOf(client, projectId)
  const wordsOf = (noun: DocumentNoun) => {
    const { gate } = ENDPOINTS[noun]['list'] as AnyEndpoint
    return gate && offWords(capabilities, gate)
  }
  const closed = nouns.filter(noun => wordsOf(noun) !== undefined)
  return { closed, words: closed[0] ? (wordsOf(closed[0]) ?? '') : '' }
}

export function documentStore(client: Client, projectId: string): DocumentStore {
  const call = async (noun: DocumentNoun, names: readonly string[], input: Wire, options?: CallOptions) => {
    const endpoint = names.map(name => ENDPOINTS[noun][name]).find(each => each !== undefined)
    if (!endpoint) throw new Error(`the contract has no ${names[0]} of a ${noun}`)
    return (await client.call(endpoint, { projectId, ...input } as object, options)) as Row
  }
  let capabilities: ReturnType<typeof capabilitiesOf> | undefined
  const target = (noun: DocumentNoun, id: string) => ({ [`${noun}Id`]: id })
  const readSuite = async (suiteId: string, index: NameIndex): Promise<StoredSuite> => {
    const [detail, cases] = await Promise.all([
      client.suites.get({ projectId, suiteId }),
      client.items(contract.cases.list, { projectId, suiteId }),
    ])
    const { suite, cases: forms } = fileOf(detail, cases, suiteNames(index))
    const { id: _id, model, ...settings } = suite
    // Settings that a new suite would have anyway are left out, so that exported files stay equal.
    const isImplied = model === modelOfNew({ suite: settings, cases: forms })
    const own = {
      suite: normalSuite({ ...settings, ...(!isImplied && model !== undefined && { model }) }),
      cases: forms.filter(each => each.title !== SEED_TITLE),
    }
    return { noun: 'suite', id: suiteId, suite: own, detail, cases }
  }
  const readWhole = async (noun: DocumentNoun, id: string): Promise<Row> => {
    try {
      return await call(noun, ['get'], target(noun, id))
    } catch (error) {
      // An older deployment has clients only under their former name (differences, row 1).
      if (noun !== 'client' || !isMissing(error)) throw error
      return await client.hosts.get({ projectId, hostId: id })
    }
  }
  return {
    list: async noun => {
      if (noun === 'client') return await readClients(client, projectId)
      if (noun === 'environment')
        return (await client.items(contract.environments.list, { projectId, includeArchived: true })) as Row[]
      const endpoint = ENDPOINTS[noun]['list'] as AnyEndpoint
      const rows = (await client.items(endpoint, { projectId } as object)) as Row[]
      if (rows.length === 0 && endpoint.gate)
        refuseClosed(endpoint, await (capabilities ??= capabilitiesOf(client, projectId)))
      return rows
    },
    read: async (noun, id, index, row) => {
      if (noun === 'suite') return await readSuite(id, index)
      const record = row && noun !== 'client' ? row : await readWhole(noun, id)
      return { noun, id, record, form: formOf(noun, record, index) }
    },
    create: async (noun, body) => {
      const isKeyed = ENDPOINTS[noun]['create']?.idempotency === 'header'
      return await call(noun, ['create'], { body }, isKeyed ? { idempotencyKey: newIdempotencyKey() } : {})
    },
    update: async (noun, id, body) => await call(noun, ['update'], { ...target(noun, id), body }),
    remove: async (noun, row, force = false) => {
      const body =
        noun === 'environment'
          ? { expectedRevision: row['revision'] }
          : noun === 'client' && force
            ? { force }
            : undefined
      await call(noun, ['delete', 'archive'], { ...target(noun, row.id), ...(body && { body }) })
    },
  }
}
