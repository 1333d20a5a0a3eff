import type { CallOptions, Client } from '../../api/client/client.ts'
import { contract } from '../../api/contract/contract.ts'
import { namesOf, type Names } from './suite-form.ts'

type Thing = { id: string; name?: string | null | undefined }

/** Names of a project's servers and environments, including archived environments. */
export type ProjectNames = Names & { servers: readonly Thing[]; environments: readonly Thing[] }

/** @throws ApiError */
export async function readNames(client: Client, projectId: string, call: CallOptions = {}): Promise<ProjectNames> {
  const thing = ({ id, name }: Thing): Thing => ({ id, name })
  const servers = (await client.items(contract.servers.list, { projectId }, call)).map(thing)
  const environments = (await client.items(contract.environments.list, { projectId }, call)).map(thing)
  return { ...namesOf(servers, environments), servers, environments }
}
