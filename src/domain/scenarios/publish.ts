import { ApiError } from '../../api/client/errors/api-error.ts'
import type { CallOptions, Client } from '../../api/client/client.ts'
import { contract } from '../../api/contract/contract.ts'
import type { InputOf } from '../../api/contract/endpoint.ts'
import type { Scenario } from '../../api/contract/user-testing.ts'

/** Statuses of a deployment that publishes with the other HTTP method. */
const OTHER_VERB = [404, 405]

/**
 * Publishes by POST, or by PUT if the deployment does not support POST (differences, row 4). Publishing is idempotent,
 * so the second request is safe. If the environment itself was not found, the second answer reports the same.
 */
export async function publishEnvironment(
  client: Pick<Client, 'call'>,
  input: InputOf<typeof contract.userTesting.publish>,
  options?: CallOptions,
): Promise<Scenario> {
  try {
    return await client.call(contract.userTesting.publish, input, options)
  } catch (error) {
    if (!(error instanceof ApiError) || !OTHER_VERB.includes(error.status ?? 0)) throw error
    return await client.call(contract.userTesting.publishPut, input, options)
  }
}
