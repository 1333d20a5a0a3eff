import type { Tool } from '../../api/contract/server-operations.ts'
import { isPlainObject } from '../../lib/json.ts'

/** Whether a server declares that a tool changes nothing, so that a lost answer of it leaves no doubt. */
export function isReadOnly({ annotations }: Tool): boolean {
  return isPlainObject(annotations) && annotations['readOnlyHint'] === true
}
