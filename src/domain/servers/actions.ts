import { contract } from '../../api/contract/contract.ts'
import { action } from '../writes/action.ts'

/** Returns the effect of calling a tool of a server, for the question before the call. */
export function callEffect(server: string): string {
  return `It acts on the server ${server}, with whatever effects the tool has there. It is sent once.`
}

/** Sentence about what signing out does not change. */
const NOT_REVOKED =
  'Nothing is revoked at its authorization server: what it granted ends there by itself, or on its own pages.'

/** Deletes the tokens of a server. */
export const signOut = action(contract.signIns.delete, {
  question: ({ name }: { name: string }) => ({
    title: `Sign out of "${name}"?`,
    lines: ['The tokens and the grant stored for it are forgotten, and its connections end.', NOT_REVOKED],
    action: 'Sign out',
    effect: `This forgets the tokens and the grant that are stored for ${name}`,
    brief: [NOT_REVOKED],
  }),
  progress: ({ name }) => `Signing out of ${name}…`,
  done: (_: unknown, { name }) => `Signed out of ${name}.`,
})
