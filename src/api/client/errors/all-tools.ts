import type { ExportSnapshot, Tool } from '../../contract/server-operations.ts'
import { ApiError } from './api-error.ts'

/** The tools of a server for what builds on all of them. @throws ApiError where they could not be read */
export function allTools({ tools, unread }: ExportSnapshot): Tool[] {
  const why = unread?.['tools']
  if (why === undefined) return tools
  throw new ApiError({ kind: 'http', code: 'FEATURE_NOT_SUPPORTED', status: 422, message: why, sent: true })
}
