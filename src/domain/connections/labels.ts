import { ownValue } from '../../lib/own-value.ts'

/** Labels for the states of the contract, with what happens next or what to do. */
const CONNECTION_LABELS = {
  discovering: {
    text: 'discovering',
    tone: 'plain',
    what: 'The service checks whether the server requires a sign-in.',
  },
  awaiting_project: { text: 'waiting for a project', tone: 'warn', what: 'Choose a project in the browser.' },
  awaiting_authorization: { text: 'waiting for sign-in', tone: 'warn', what: 'Sign in, then it continues by itself.' },
  authorizing: { text: 'signing in', tone: 'plain', what: 'The sign-in is under way in a browser.' },
  validating: { text: 'validating', tone: 'plain', what: 'The service connects to the server.' },
  ready: { text: 'connected', tone: 'ok', what: 'The server is saved.' },
  failed: { text: 'failed', tone: 'error', what: 'No further attempts are made.' },
  expired: { text: 'expired', tone: 'error', what: 'It was open for the longest time allowed.' },
  cancelled: { text: 'cancelled', tone: 'muted', what: 'It was cancelled.' },
  gone: { text: 'gone', tone: 'muted', what: 'The service no longer has it.' },
} as const

type Label = { text: string; tone: 'plain' | 'ok' | 'warn' | 'error' | 'muted'; what: string }

/** Returns the label of a state. An unknown state is shown as received. */
export function connectionLabel(status: string): Label {
  return (
    ownValue<Label>(CONNECTION_LABELS, status) ?? {
      text: status,
      tone: 'plain',
      what: 'The service continues with it.',
    }
  )
}
