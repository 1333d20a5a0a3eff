import type { Client } from '../../api/contract/client-shapes.ts'
import type { Environment } from '../../api/contract/environment-shapes.ts'

/** An environment with its client, where that is known. */
export type EnvironmentRow = { environment: Environment; client: Client | undefined }
