import { ApiError } from '../../api/client/errors/api-error.ts'
import type { CallOptions, Client as ApiClient } from '../../api/client/client.ts'
import type { Client } from '../../api/contract/clients.ts'
import { contract } from '../../api/contract/contract.ts'

/**
 * Returns the clients of a project. Older deployments have them under their former name (differences, row 1).
 * @throws ApiError
 */
export async function readClients(client: ApiClient, projectId: string, call: CallOptions = {}): Promise<Client[]> {
  try {
    return await client.items(contract.clients.list, { projectId }, call)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error
    return await client.items(contract.hosts.list, { projectId }, call)
  }
}
