import type { Client } from '../../api/contract/clients.ts'
import type { Environment } from '../../api/contract/environments.ts'

/** An environment with its client, if that is known. */
export type EnvironmentRow = { environment: Environment; client: Client | undefined }
