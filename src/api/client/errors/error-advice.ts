import type { ErrorCode, ErrorReason } from '../../contract/error.ts'
import {
  isServerFault,
  type ErrorFacts,
  type InvalidResponseCode,
  type NetworkFault,
  type RefusalCode,
} from './error-kinds.ts'
import {
  bodyOf,
  fieldOf,
  named,
  otherKey,
  quoted,
  quotedMessage,
  summarizeIssues,
  validValues,
  waitText,
  waitThen,
} from './field-issues.ts'
import type { RateLimitKind } from './rate-limit.ts'
import { tlsErrorText } from './system-error-text.ts'

type Words = string | ((error: ErrorFacts) => string)
/** Texts for one kind of error. */
export type Advice = { title: string; sentence: Words; next: Words }

/** Names of the kinds: codes of the service, limits, and `kind.code` for everything outside its contract. */
export type AdviceKey =
  | ErrorCode
  | ErrorReason
  | RateLimitKind
  | `network.${NetworkFault}`
  | `refused.${RefusalCode}`
  | `invalid-response.${InvalidResponseCode}`
  | 'timeout'
  | 'aborted'
  | 'redirect'
  | 'wrong-path'
  | 'proxy-page'
  | 'foreign-answer'
  | 'unknown-code'

const AGAIN = 'Try again.'
const CHECK_ADDRESS = 'Check the base address of the profile, and any proxy or VPN in between.'
const SHOW_RAW = 'Look at the raw answer; a newer mcpdeck may know this shape.'

const concurrentRuns: Advice = {
  title: 'No free run slot',
  sentence: 'The organization already has as many live runs as it may have.',
  next: 'Cancel one of the live runs, or wait until one ends; they hold the slots.',
}

const openRequests: Advice = {
  title: 'Too many open connection requests',
  sentence: 'The account has as many open connection requests as it may have.',
  next: 'Cancel or finish one of them; each ends by itself after an hour.',
}

/** The meaning of every error and what to do about it (spec section 6). The compiler requires each code. */
export const advice: Record<AdviceKey, Advice> = {
  UNAUTHORIZED: {
    title: 'Key not accepted',
    sentence: 'The service does not accept this key: it is missing, wrong or revoked.',
    next: otherKey('Enter another key for this profile.'),
  },
  ORPHANED_KEY: {
    title: 'Key without an organization',
    sentence: 'The key belongs to no organization any more, so it can reach nothing.',
    next: otherKey('Create a new key in the organization that you work in and enter it here.'),
  },
  OAUTH_REQUIRED: {
    title: 'The server needs a grant',
    sentence: error => `The MCP server needs an OAuth grant; the key of this profile is fine.${quoted(error)}`,
    next: 'Sign in to that server, or import tokens for it, then repeat.',
  },
  FORBIDDEN: {
    title: 'Not allowed',
    sentence: 'This key has no access, or the feature is off for the organization.',
    next: 'Waiting will not help: ask an administrator of the project or organization.',
  },
  SERVER_CREDENTIALS: {
    title: 'The MCP server refuses',
    sentence: error => `The key of this profile is fine.${quoted(error)}`,
    next: 'Edit the server and store an Authorization header that it accepts, then repeat.',
  },
  SERVER_GRANT: {
    title: 'The grant gives no token',
    sentence: error => `The key of this profile is fine.${quoted(error)}`,
    next: 'Correct the grant with mcpdeck sign-in --grant, then repeat.',
  },
  NOT_FOUND: {
    title: 'Not found',
    sentence: 'It does not exist, or this key cannot see it.',
    next: 'Look at the list again; it may have been deleted.',
  },
  BASELINE_NOT_FOUND: {
    title: 'No baseline',
    sentence: 'There is no earlier run to compare this one with.',
    next: 'Choose a base run by hand.',
  },
  TRACE_NOT_AVAILABLE: {
    title: 'No trace',
    sentence: 'This trial has no recorded trace.',
    next: 'Look at its tool calls and error instead.',
  },
  CONFLICT: {
    title: 'Changed meanwhile',
    sentence: 'It is no longer as it was when you read it, or its name or state stands in the way.',
    next: 'Read it again, compare their version with yours, and choose.',
  },
  CI_OWNED_SUITE_READ_ONLY: {
    title: 'Suite owned by CI',
    sentence: 'This suite is written by a CI pipeline and cannot be edited here.',
    next: 'Change it where the pipeline takes it from, or copy it.',
  },
  environment_model_required: {
    title: 'Environment without a model',
    sentence: 'The environment resolves to no model.',
    next: 'Set a model on the environment or its client.',
  },
  MODEL_ENDPOINT: {
    title: 'No answer from the model',
    sentence: error => `${quotedMessage(error.message).replace(/\.$/, '')}.`,
    next: 'Nothing is repeated automatically: try again, or look at the endpoint of MCPDECK_MODEL_BASE_URL.',
  },
  UNUSABLE_ANSWER: {
    title: 'No usable answer',
    sentence: error => `The MCP server was reached, and gave no answer that can be used.${quoted(error)}`,
    next: 'Check its address and its settings; the doctor finds the step that fails.',
  },
  PROTOCOL_ERROR: {
    title: 'Error from the MCP server',
    sentence: error => `${quotedMessage(error.message).replace(/\.$/, '')}.`,
    next: 'This is its answer to the request: correct the request or the server, then send it again.',
  },
  VALIDATION_ERROR: {
    title: 'Input not accepted',
    sentence: error => `The service does not accept the input${named(', namely ', fieldOf(error))}.`,
    next: error => `Correct the input${named('; valid: ', validValues(error))}.`,
  },
  NO_SAVED_SERVER_SELECTION: {
    title: 'No servers chosen',
    sentence: 'The suite has no saved servers and the launch names none.',
    next: 'Choose the servers for this run.',
  },
  ENVIRONMENT_NOT_ATTACHED: {
    title: 'Environment not attached',
    sentence: 'The suite is not attached to that environment.',
    next: error => `Attach it, or choose another one${named(': ', validValues(error))}.`,
  },
  ENVIRONMENT_REQUIRED: {
    title: 'Several environments',
    sentence: 'The suite is attached to more than one environment.',
    next: error => `Choose one${named(': ', validValues(error))}.`,
  },
  ENVIRONMENT_SERVERS_NOT_OVERRIDABLE: {
    title: 'Servers fixed by the environment',
    sentence: 'A run on an environment takes its servers from there.',
    next: 'Launch without choosing servers.',
  },
  HETEROGENEOUS_TARGETS: {
    title: 'Mixed targets',
    sentence: 'The targets of a run group must all be of one kind.',
    next: 'Choose targets of one kind.',
  },
  ADHOC_UNAVAILABLE: {
    title: 'No ad-hoc environments',
    sentence: 'This deployment cannot make an environment on the spot.',
    next: 'Choose a saved environment.',
  },
  FEATURE_NOT_SUPPORTED: {
    title: 'Not supported',
    sentence: 'The MCP server or this deployment does not have that ability.',
    next: 'Nothing to repeat: the doctor shows what the server can do.',
  },
  SERVER_UNREACHABLE: {
    title: 'MCP server unreachable',
    sentence: error => `The MCP server is out of reach or broke off.${quoted(error)}`,
    next: 'Check that the server runs and its address is right; the doctor finds the step that fails.',
  },
  TIMEOUT: {
    title: 'MCP server silent',
    sentence: error => `The MCP server was reached and did not answer in time.${quoted(error)}`,
    next: 'Try again, or run the doctor on the server.',
  },
  INTERNAL_ERROR: {
    title: 'Fault in the service',
    sentence: 'The service failed on its side.',
    next: error =>
      (error.retryAfterMs === undefined ? AGAIN : `Wait ${waitText(error.retryAfterMs)}, then try again.`) +
      named(' If it stays, report request ', error.requestId),
  },
  RATE_LIMITED: {
    title: 'Too many requests',
    sentence: 'The service refused because of too many requests.',
    next: waitThen('try again'),
  },
  'key-rate': {
    title: 'Rate of the key used up',
    sentence: 'All users of this key together sent more than it allows per minute.',
    next: waitThen('requests go on by themselves'),
  },
  'burst-brake': {
    title: 'Too many launches',
    sentence: 'The service limits launches and generations that follow each other too quickly.',
    next: waitThen('repeat'),
  },
  'daily-quota': {
    title: 'Daily quota used up',
    sentence: 'The daily quota of launches or generations is used up.',
    next: 'It resets at 00:00 UTC.',
  },
  'insights-per-day': {
    title: 'Daily insights used up',
    sentence: 'The organization has used its daily insight requests.',
    next: 'They reset at 00:00 UTC; existing insights can still be read.',
  },
  'concurrent-runs': concurrentRuns,
  CONCURRENT_RUN_LIMIT: concurrentRuns,
  'agent-concurrency': {
    title: 'Agent busy',
    sentence: 'The agent is serving as many turns as it can.',
    next: waitThen('repeat'),
  },
  'connection-poll': {
    title: 'Asked too often',
    sentence: 'The state of this connection request was read too often.',
    next: waitThen('it is read again, more slowly'),
  },
  'open-requests': openRequests,
  ACTIVE_REQUEST_LIMIT: openRequests,
  'unknown-code': {
    title: 'Refused',
    sentence: error => `The service answered${named(' ', error.status)} with the code ${quotedMessage(error.code)}.`,
    next: error => (isServerFault(error) ? AGAIN : 'A newer mcpdeck may know this code.'),
  },
  redirect: {
    title: 'Redirected',
    sentence: error => `The address answered ${error.status}: it points elsewhere, and the key does not follow.`,
    next: 'Set the base address of the profile to where the service really is.',
  },
  'wrong-path': {
    title: 'Wrong base path',
    sentence:
      'Something answers at this address, but the service is not below this path: not even the account is found.',
    next: 'Correct the base address of the profile; it ends in a version, such as /api/v1.',
  },
  'proxy-page': {
    title: 'A web page instead of the service',
    sentence: error =>
      `An HTML page with status ${error.status} came back: from a proxy, a login page or a wrong address.`,
    next: CHECK_ADDRESS,
  },
  'foreign-answer': {
    title: 'Not the service',
    sentence: error => `Status ${error.status} came back with ${bodyOf(error)}, which is not how the service answers.`,
    next: error => (isServerFault(error) ? `${AGAIN} If it stays: ${CHECK_ADDRESS}` : CHECK_ADDRESS),
  },
  'invalid-response.html': {
    title: 'A web page instead of the service',
    sentence: 'An HTML page came back: from a proxy, a login page or a wrong address.',
    next: CHECK_ADDRESS,
  },
  'invalid-response.not-json': {
    title: 'Answer unreadable',
    sentence: 'The answer is cut off or is not JSON.',
    next: `${AGAIN} ${SHOW_RAW}`,
  },
  'invalid-response.mismatch': {
    title: 'Unexpected answer',
    sentence: error => `The answer does not match the contract: ${summarizeIssues(error.issues)}.`,
    next: SHOW_RAW,
  },
  'invalid-response.too-large': {
    title: 'Answer too large',
    sentence: error => error.message,
    next: 'Ask for less: a smaller page, or one item.',
  },
  'invalid-response.repeated-cursor': {
    title: 'List without an end',
    sentence: error => `${error.message} The rest cannot be read.`,
    next: 'What was read so far is shown; refresh to start over.',
  },
  'invalid-response.endless-list': {
    title: 'List not complete',
    sentence: error => error.message,
    next: 'Narrow it, or read on: --all does that on the command line.',
  },
  'network.dns': {
    title: 'Name not found',
    sentence: 'The name of the service cannot be resolved.',
    next: 'Check the network and the base address of the profile.',
  },
  'network.refused': {
    title: 'Connection refused',
    sentence: 'Nothing listens at the address of the service.',
    next: 'Start the service, or check the address and port of the profile.',
  },
  'network.unreachable': {
    title: 'No route to the service',
    sentence: 'There is no route to the service from this machine.',
    next: 'Check the network connection or VPN.',
  },
  'network.connect-timeout': {
    title: 'No connection',
    sentence: 'The service did not accept the connection in time.',
    next: 'Check the network, firewall or VPN, then try again.',
  },
  'network.tls': {
    title: 'Connection not trusted',
    sentence: error =>
      `The encrypted connection could not be established: ${tlsErrorText(error.systemCode, error.message)}.`,
    next: 'Check the address; a company proxy needs its certificate in NODE_EXTRA_CA_CERTS.',
  },
  'network.reset': {
    title: 'Connection lost',
    sentence: 'The connection broke before the answer was complete.',
    next: AGAIN,
  },
  'network.protocol': {
    title: 'Not HTTP',
    sentence: 'What answers at this address does not speak proper HTTP.',
    next: CHECK_ADDRESS,
  },
  'network.decode': {
    title: 'Answer damaged',
    sentence: 'The compressed answer cannot be unpacked.',
    next: `${AGAIN} If it stays, look at the proxy in between.`,
  },
  'network.other': {
    title: 'No answer',
    sentence: error => `The request failed on the network: ${quotedMessage(error.message)}.`,
    next: AGAIN,
  },
  timeout: { title: 'No answer in time', sentence: error => quotedMessage(error.message), next: AGAIN },
  aborted: { title: 'Cancelled', sentence: 'The request was cancelled.', next: AGAIN },
  'refused.read-only': {
    title: 'Read-only',
    sentence: 'mcpdeck runs read-only, so nothing was sent.',
    next: 'Start it without --read-only, or change the profile.',
  },
  'refused.invalid-input': {
    title: 'Input not complete',
    sentence: error => `Nothing was sent: ${summarizeIssues(error.issues)}.`,
    next: 'Correct the named fields.',
  },
  'refused.invalid-key': {
    title: 'Key unusable',
    sentence: 'Nothing was sent: the key has characters that are not allowed in one, such as a space or a line break.',
    next: 'Enter the key again.',
  },
  'refused.invalid-address': {
    title: 'Address unusable',
    sentence: 'Nothing was sent: the base address is not a plain http or https address.',
    next: 'Correct the base address of the profile; it holds no user, password, ? or #.',
  },
  'refused.foreign-address': {
    title: 'Foreign address',
    sentence: 'Nothing was sent: the request would have left the address that the key belongs to.',
    next: CHECK_ADDRESS,
  },
  'refused.rate-paused': {
    title: 'Paused by the service',
    sentence: 'Nothing was sent: the service asked for a long pause.',
    next: waitThen('refresh, or run mcpdeck budget reset to end the pause now'),
  },
  'refused.local-workspace': {
    title: 'Local workspace closed',
    sentence: error => `The local workspace could not be opened: ${quotedMessage(error.message)}.`,
    next: ({ details }) =>
      typeof details?.['next'] === 'string'
        ? details['next']
        : 'Look at its data directory (--data-dir chooses another), then try again; the dashboard also tries by ' +
          'itself.',
  },
  'refused.unrecorded-run': {
    title: 'Run not recorded',
    sentence: 'The run was executed, and what became of it could not be stored.',
    next: 'See that the disk of the workspace has room and may be written to; --log-file tells more.',
  },
  'refused.local-only': {
    title: 'Only in a local workspace',
    sentence: 'This service does not offer that; a local workspace does.',
    next: 'Save what it takes in a local workspace, and use that one (--local).',
  },
  'refused.journal': {
    title: 'Journal not writable',
    sentence: error => quotedMessage(error.message),
    next: 'Free disk space or repair the file: a write without a record could happen twice.',
  },
  'refused.feature-off': {
    title: 'Feature off',
    sentence: error => quotedMessage(error.message),
    next: 'Waiting will not help: an owner of the organization can have it switched on.',
  },
  'refused.earlier-write': {
    title: 'Earlier write open',
    sentence: error => error.message,
    next: 'mcpdeck journal lists what is open.',
  },
}
