import type { Tool } from '../../api/contract/server-operations.ts'
import { isPlainObject } from '../../lib/json.ts'

/** Whether a server declares a tool as read-only, so that a lost answer leaves no doubt. */
export function isReadOnly(tool: Tool): boolean {
  return hasHint(tool, 'readOnlyHint')
}

/** Whether a server declares that a tool may destroy something. Without a declaration nothing is asked. */
export function isDestructive(tool: Tool): boolean {
  return hasHint(tool, 'destructiveHint')
}

function hasHint({ annotations }: Tool, hint: 'readOnlyHint' | 'destructiveHint'): boolean {
  return isPlainObject(annotations) && annotations[hint] === true
}
