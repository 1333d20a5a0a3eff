type Reasons = { screen?: string; verb?: string }

/** Returns one reason for both a missing screen and a missing verb. */
const neither = (why: string): Reasons => ({ screen: why, verb: why })

const RUNNER = 'Test runners send these reports; `mcpdeck api` sends one by hand.'
const CHOICE = 'A person chooses among the drafts, on the screen.'
const ADVICE = 'Advice is requested and read on the screen.'
const BROWSER = 'A person signs in; the screen follows the sign-in.'
const READ_ONLY = 'Built and changed in the hosted UI; read-only here.'
const SHOWN = 'For people to read; no command needs it as input.'

/** Why an operation is on no screen, or has no verb; by its name in the contract, or by its noun. */
export const MISSING: Readonly<Record<string, Reasons>> = {
  evalIngest: neither(RUNNER),
  conformanceIngest: neither(RUNNER),
  hosts: neither('Deprecated name of clients.'),
  tunnels: neither('The service’s own agent holds tunnels.'),
  chat: neither('Chat clients are other programs; Sessions lists the chats.'),
  'chats.get': { verb: '`mcpdeck api` prints it.' },
  computer: neither('Part of the service’s hosted computer.'),
  harness: neither('No form here uses built-in tools.'),
  images: neither(READ_ONLY),
  'images.get': { screen: 'The list has every field.' },
  'checkRepos.connect': neither('Connected at the repository’s host; read-only here.'),
  'chatSessions.list': { screen: 'Sessions lists them.' },
  'readiness.get': { screen: 'The list and the report have every field.' },
  'servers.readSkillFile': { screen: 'The tab names the files of a skill; the command prints one.' },
  'servers.checkOAuth': { verb: '`validate` and `doctor` report it.' },
  'environments.capabilities': neither('The project’s capabilities include it.'),
  'environments.ensureAdhoc': neither('mcpdeck does not use environments without a name.'),
  'environments.name': { verb: 'Only screens lead to environments without a name.' },
  'environments.restore': { verb: '`apply` creates it again; an archived name is free.' },
  'capabilities.get': { verb: SHOWN },
  projects: { verb: 'Rarely scripted; use `mcpdeck api`, or the screen, which asks for the typed name.' },
  connections: { verb: BROWSER },
  'personas.generate': { verb: CHOICE },
  'journeys.generate': { verb: CHOICE },
  'cases.generate': { verb: CHOICE },
  'cases.create': { verb: 'Suite imports and `apply` create cases in batches.' },
  'clients.duplicate': { verb: '`export` and `create` make a copy.' },
  'suites.attachEnvironment': { verb: 'The launch form attaches it.' },
  'hostCatalog.get': { verb: SHOWN },
  'plugins.version': { verb: 'The list of plugins has the version.' },
  waveInsights: { verb: ADVICE },
  userTestingInsights: { verb: ADVICE },
  'runs.requestInsights': { verb: ADVICE },
  'runs.requestJudge': { verb: ADVICE },
  traffic: { verb: 'Recorded only by the process that holds the connections.' },
  console: { verb: 'Recorded only by the process that holds the connections.' },
  'serverRequests.list': { screen: 'Requests are pushed to the screen.' },
  serverRequests: { verb: 'Servers can ask only while a dashboard is open, or a call that answers runs.' },
  roots: { verb: 'Only dashboards announce roots to servers.' },
  'signIns.get': { verb: '`mcpdeck api` prints it.' },
  liveServers: { verb: 'Needs a connection that stays open.' },
  calls: { verb: 'Shown and compared on the screen; `mcpdeck api` prints them.' },
  readiness: { verb: 'A person answers the open questions of the report.' },
}
