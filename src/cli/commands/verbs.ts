import { Argument, Option } from 'commander'
import { GRANTS, SCENARIO_MODES, SESSION_SOURCES } from '../../api/contract/choices.ts'
import { collect, whole } from '../arguments/option-values.ts'
import { nounsHelp, PARENT_OPTIONS } from '../nouns/nouns.ts'
import { verb, type CommandDeclaration } from './declare.ts'
import { GIVE_UP } from './run.ts'
import { JSON_FLAG, WRITES } from './server-commands.ts'
import { REPEATS } from './repeat-flags.ts'

const SERVER_OVER_HTTP = ['<server>', 'id or name of a saved server over HTTP'] as const
const CLIENT_SECRET = ['--client-secret-env <variable>', 'environment variable with the secret of that client'] as const
const SCENARIO = ['<scenario>', 'id or name of a published scenario'] as const

const servers = () => import('../verbs/servers.ts')
const signIns = () => import('../verbs/sign-in.ts')
const access = () => import('../verbs/access.ts')
const runs = () => import('../verbs/runs.ts')

/** The keys of the screens as commands. */
export const verbs: readonly CommandDeclaration[] = [
  verb(
    {
      name: 'import-tokens',
      says: 'Import OAuth tokens that you obtained for a server.',
      words: [SERVER_OVER_HTTP],
      flags: [
        new Option('--input <file>', 'answer of the token endpoint; - reads standard input').makeOptionMandatory(),
        ['--client-id <id>', 'client of the tokens, for refreshing them'],
        CLIENT_SECRET,
        ...WRITES,
      ],
    },
    async () => (await servers()).importTokens,
  ),
  verb(
    {
      name: 'sign-in',
      says: 'Sign in to a server with OAuth: with a link for the browser, or with a grant that needs no person.',
      words: [SERVER_OVER_HTTP],
      flags: [
        ['--open', 'open the link in the browser'],
        ['--scope <scope>', 'scope to request instead of the server’s; repeatable', collect, []],
        ['--client-id <id>', 'client registered for mcpdeck, if none can be registered automatically'],
        CLIENT_SECRET,
        ['--client-document <url>', 'document of a client, which is its id where the server takes one'],
        ['--port <port>', 'port of the callback, if the client requires one', whole(1, 65_535)],
        new Option('--grant <grant>', 'sign in without a person, now and whenever a token ends').choices(GRANTS),
        ['--issuer <url>', 'authorization server that gets the secrets, instead of the one that the server names'],
        ['--client-secret-file <file>', 'file with the secret of the client; - reads standard input'],
        ['--client-key-env <variable>', 'environment variable with the private key of the client, as PEM or JWK'],
        ['--client-key-file <file>', 'file with that key; - reads standard input'],
        ['--assertion-env <variable>', 'environment variable with the token of the workload, or the ID token'],
        ['--assertion-file <file>', 'file with that token, which is read again for each request'],
        ['--idp <url>', 'identity provider of the ID token, for --grant enterprise'],
        ['--idp-client-id <id>', 'client that is registered there'],
        ['--idp-client-secret-env <variable>', 'environment variable with the secret of that client'],
        ...WRITES,
      ],
    },
    async () => (await signIns()).signIn,
  ),
  verb(
    {
      name: 'sign-out',
      says: 'Delete the tokens and the grant that the local workspace stores for a server.',
      words: [SERVER_OVER_HTTP],
      flags: WRITES,
    },
    async () => (await signIns()).signOut,
  ),
  verb(
    {
      name: 'describe',
      says: 'Print a record with its related records, for people.',
      words: [new Argument('<what>', 'kind of record; see below'), ['<name>', 'its id or name']],
      flags: [
        ['--json', 'print the record, with related records under relations'],
        ...PARENT_OPTIONS.map(option => [`--${option} <id>`, `${option} that it belongs to`] as const),
      ],
      after: () => nounsHelp(),
    },
    async () => (await import('../get/describe.ts')).describe,
  ),
  verb(
    {
      name: 'ask',
      says: 'Ask the agent of a project; prints actions that need approval as proposals.',
      words: [['[question]', 'question or task; by default standard input is read']],
      flags: [
        ['--continue', 'continue the last conversation of the project'],
        ['--approve <id>', 'show the agent’s proposal with this id, ask, and do it'],
        ...WRITES,
      ],
    },
    async () => (await import('../verbs/ask.ts')).ask,
    'handing-over',
  ),
  verb(
    {
      name: 'chat',
      says: 'Talk to the servers of an environment or a client with its model, which calls their tools without asking.',
      words: [['[text]', 'message; by default standard input is read']],
      flags: [
        ['--environment <name>', 'start a session with this environment, by id or name'],
        ['--client <name>', 'start a session with this client, by id or name'],
        ['--session <id>', 'continue this session'],
        JSON_FLAG,
        ...REPEATS,
      ],
    },
    async () => (await import('../verbs/ask.ts')).chat,
  ),
  verb(
    {
      name: 'search',
      says: 'Find sessions by their titles and transcripts.',
      words: [['<text>', 'text to find']],
      flags: [
        ['--json', 'print {"items": [...]}'],
        new Option('--scope <scope>', 'search only there').choices(['titles', 'transcripts']),
        new Option('--source <source>', 'only sessions of this source').choices(SESSION_SOURCES),
        ['--archived', 'search archived sessions'],
        ['--limit <count>', 'print at most this many', whole(1, Number.MAX_SAFE_INTEGER)],
      ],
    },
    async () => (await import('../verbs/search.ts')).search,
  ),
  verb(
    {
      name: 'cancel',
      says: 'Stop an eval run, a journey run, or all runs of a wave.',
      words: [['<run>', 'id of a run or wave, or locator or address of an eval run']],
      flags: WRITES,
    },
    async () => (await runs()).cancel,
  ),
  verb(
    {
      name: 'launch',
      says: 'Launch a journey, or the journeys of a swarm, as one wave, after showing its cost; prints its id.',
      words: [['<journey>', 'id or name of a journey, or of a swarm']],
      flags: [
        ['--environment <environment>', 'environment to use instead of the journey’s own; repeatable', collect, []],
        ['--watch', 'wait for its end; exit code 3 unless every run completed and no grader broke'],
        GIVE_UP,
        ...WRITES,
      ],
    },
    async () => (await import('../verbs/launch.ts')).launch,
    'handing-over',
  ),
  verb(
    {
      name: 'compare',
      says: 'Print what changed from one run to another, case by case.',
      words: [
        ['<base>', 'id, locator or address of the earlier run'],
        ['<run>', 'id, locator or address of the later run'],
      ],
      flags: [JSON_FLAG],
    },
    async () => (await runs()).compare,
  ),
  verb(
    {
      name: 'dismiss',
      says: 'Hide a finding without changing its status.',
      words: [['<finding>', 'id of a finding']],
      flags: [['--undo', 'show it again'], ['--scenario <id>', 'scenario that it belongs to'], ...WRITES],
    },
    async () => (await import('../verbs/findings.ts')).dismiss,
  ),
  verb(
    {
      name: 'publish',
      says: 'Publish an environment to visitors, after showing who may enter; prints the link.',
      words: [['<environment>', 'id or name of an environment']],
      flags: [
        new Option('--mode <mode>', 'who may enter').choices(SCENARIO_MODES).default('project_members'),
        ['--name <name>', 'name of the scenario'],
        ['--description <text>', 'text that visitors see first'],
        ...WRITES,
      ],
    },
    async () => (await access()).publish,
  ),
  verb(
    {
      name: 'unpublish',
      says: 'Take a scenario offline permanently, which ends its sessions.',
      words: [SCENARIO],
      flags: [['--environment <id>', 'its environment, if the service does not return it'], ...WRITES],
    },
    async () => (await access()).unpublish,
  ),
  verb(
    { name: 'rotate', says: 'Replace the link of a scenario; prints the new one.', words: [SCENARIO], flags: WRITES },
    async () => (await access()).rotate,
  ),
  verb(
    {
      name: 'invite',
      says: 'Invite someone to a scenario; prints the invitation if the service returns one.',
      words: [SCENARIO, ['<email>', 'their e-mail address']],
      flags: [['--mail', 'let the service send an e-mail'], ...WRITES],
    },
    async () => (await access()).invite,
  ),
  verb(
    {
      name: 'remove-member',
      says: 'Remove someone from a scenario, which ends its live sessions.',
      words: [SCENARIO, ['<member>', 'their e-mail address or id']],
      flags: WRITES,
    },
    async () => (await access()).removeMember,
  ),
]
