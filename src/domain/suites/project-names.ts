import type { CallOptions, Client } from '../../api/client/client.ts'
import { contract } from '../../api/contract/contract.ts'
import { namesOf, type Names } from './suite-form.ts'

type Thing = { id: string; name?: string | null | undefined }

/** What a project's servers and environments are called; archived environments have a name too. */
export type ProjectNames = Names & { servers: readonly Thing[]; environments: readonly Thing[] }

/** @throws ApiError */
export async function readNames(client: Client, projectId: string, call: CallOptions = {}): Promise<ProjectNames> {
  const servers: Thing[] = []
  for await (const page of client.pages(contract.servers.list, { projectId }, call))
    servers.push(...page.items.map(({ id, name }) => ({ id, name })))
  const { items } = await client.environments.list({ projectId }, call)
  const environments = items.map(({ id, name }) => ({ id, name }))
  return { ...namesOf(servers, environments), servers, environments }
}
