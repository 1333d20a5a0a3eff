import { expect } from 'vitest'
import type { Client } from '../src/api/client/client.ts'
import { readDocuments } from '../src/domain/documents/document.ts'
import { exportDocuments } from '../src/domain/documents/export.ts'
import { DOCUMENT_NOUNS } from '../src/domain/documents/nouns.ts'
import { planDocuments } from '../src/domain/documents/plan.ts'
import { sendPlan, type Outcome } from '../src/domain/documents/send.ts'
import { documentStore } from '../src/domain/documents/store.ts'

/** Applies documents to a project like the command, in this process. */
export async function applied(client: Client, projectId: string, text: string): Promise<readonly Outcome[]> {
  const { docs, problems } = readDocuments([{ file: 'project.yaml', text }], {})
  expect(problems).toEqual([])
  const store = documentStore(client, projectId)
  const plan = await planDocuments(store, docs, [])
  if ('problems' in plan) throw new Error(JSON.stringify(plan.problems))
  return await sendPlan(client, store, projectId, plan)
}

/** A whole project as `export` prints it. */
export async function exported(client: Client, projectId: string): Promise<string> {
  const documents = await exportDocuments(documentStore(client, projectId), { nouns: DOCUMENT_NOUNS }, () => undefined)
  return documents.map(({ text }) => text).join('---\n')
}
